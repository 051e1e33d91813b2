import type { SourceAddress, SourceCatalogue } from '@portico/contracts';
import type { KnownSource } from '../src/published-catalogue.js';

type Definition = SourceCatalogue['tools'][number]['definition'];

interface Given {
  readonly tools?: readonly (Partial<Definition> & { readonly name: string })[];
  readonly prompts?: SourceCatalogue['prompts'];
  readonly resources?: SourceCatalogue['resources'];
  readonly resourceTemplates?: SourceCatalogue['resourceTemplates'];
  readonly mount?: 'namespace' | 'root';
  readonly effect?: 'read' | 'write' | 'destructive';
  readonly revision?: string;
}

/** A source and its catalogue, as discovery would give it to the front door. */
export const knownSource = (address: SourceAddress, given: Given): KnownSource => ({
  address,
  catalogue: {
    revision: given.revision ?? 'r1',
    identity: {
      description: `What ${address} does.`,
      era: 'modern',
      protocolVersion: '2026-07-28',
      capabilities: {},
      mount: given.mount ?? 'namespace',
      callTimeoutMs: 30_000,
    },
    tools: (given.tools ?? []).map((tool) => ({
      definition: { inputSchema: { type: 'object' }, ...tool } as Definition,
      policy: { effect: given.effect ?? 'write' },
    })),
    prompts: [...(given.prompts ?? [])],
    resources: [...(given.resources ?? [])],
    resourceTemplates: [...(given.resourceTemplates ?? [])],
  },
});
