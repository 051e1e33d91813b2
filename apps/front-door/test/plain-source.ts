import { type SourceCatalogue, SourceAddress } from '@portico/contracts';
import type { SourceService } from '@portico/domain-kit';

/** A source at `domain.<name>` with these tools; `given` says what it does. Nothing checks what its handlers answer. */
export function plainSource(
  name: string,
  tools: readonly string[],
  given: Partial<SourceService> & { readonly lists?: Partial<SourceCatalogue> } = {},
): SourceService {
  const { lists, ...service } = given;
  return {
    address: SourceAddress.parse(`domain.${name}`),
    version: '1',
    configuration: 'c',
    connectTimeoutMs: 10_000,
    catalogue: () =>
      Promise.resolve({
        identity: {
          description: `The source ${name}.`,
          era: 'modern',
          protocolVersion: '2026-07-28',
          capabilities: {},
          mount: 'namespace',
          callTimeoutMs: 5_000,
        },
        tools: tools.map((tool) => ({
          definition: { name: tool, inputSchema: { type: 'object' } },
          policy: { effect: 'write' },
        })),
        resources: [],
        resourceTemplates: [],
        prompts: [],
        ...lists,
      }),
    callTool: () => Promise.resolve({ content: [{ type: 'text', text: 'ok' }] }),
    ...service,
  };
}
