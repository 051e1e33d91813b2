import type { z } from 'zod';
import type { CallScope } from './call-scope.js';
import { checkedArguments } from './checked-arguments.js';
import type { Completers } from './completion.js';
import type { ReadResourceResult } from './serve-source.js';
import { uriTemplate } from './uri-template.js';
import type { UriTemplate } from './uri-template.js';

export type ResourceContent = { readonly text: string } | { readonly blob: Uint8Array };

export interface ResourceSpec<Variables extends z.ZodObject> {
  /** RFC 6570: one plain URI, or a family of them by `{x}`, `{+x}`, `{/x}`, `{?x,y}`. */
  readonly template: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly audience?: readonly ('user' | 'assistant')[];
  /** Clients may subscribe to it: the domain tells when it changes, with `resourceUpdated(uri)`. */
  readonly subscribable?: boolean;
  /** Checked before `read`; without it every variable is any text. */
  readonly variables?: Variables;
  readonly complete?: Completers;
  read(variables: z.output<Variables>, scope: CallScope): ResourceContent | Promise<ResourceContent>;
}

/** A resource, or a family of them, as a domain serves it. */
export interface DomainResource {
  readonly template: UriTemplate;
  readonly subscribable: boolean;
  readonly complete: Completers;
  /** As MCP lists it, but for the `uri` or `uriTemplate`. */
  readonly listing: { readonly name: string; readonly [key: string]: unknown };
  read(uri: string, variables: Record<string, string>, scope: CallScope): Promise<ReadResourceResult>;
}

/** Declares one resource. Throws, in a sentence, for a template that is not matched here. */
export function defineResource<Variables extends z.ZodObject = z.ZodObject<Record<string, z.ZodString>>>(
  spec: ResourceSpec<Variables>,
): DomainResource {
  const { name, title, description, mimeType, audience } = spec;
  return {
    template: uriTemplate(spec.template),
    subscribable: spec.subscribable ?? false,
    complete: spec.complete ?? {},
    listing: {
      name,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(mimeType !== undefined && { mimeType }),
      ...(audience && { annotations: { audience: [...audience] } }),
    },
    async read(uri, variables, scope) {
      const checked = spec.variables ? await checkedArguments(spec.variables, variables, 'variable') : variables;
      const content = await spec.read(checked as z.output<Variables>, scope);
      const body = 'text' in content ? { text: content.text } : { blob: Buffer.from(content.blob).toString('base64') };
      return { contents: [{ uri, ...(mimeType !== undefined && { mimeType }), ...body }] };
    },
  };
}
