import { z } from 'zod';
import { ToolPolicy } from './policy.js';
import { SourceAddress } from './source.js';

/** An MCP tool exactly as its source publishes it; unknown keys survive. */
export const ToolDefinition = z.looseObject({
  name: z.string().min(1),
  inputSchema: z.record(z.string(), z.unknown()),
});
export type ToolDefinition = z.infer<typeof ToolDefinition>;

export const CatalogueTool = z.object({
  definition: ToolDefinition,
  policy: ToolPolicy,
  /** The tool's own deadline; absent: its source's. */
  callTimeoutMs: z.int().positive().optional(),
});
export type CatalogueTool = z.infer<typeof CatalogueTool>;

export const ResourceDefinition = z.looseObject({ uri: z.string().min(1), name: z.string() });
export const ResourceTemplateDefinition = z.looseObject({ uriTemplate: z.string().min(1), name: z.string() });
export const PromptDefinition = z.looseObject({ name: z.string().min(1) });

/** Who a source is and how it speaks: what publishing needs besides the items themselves. */
export const SourceIdentity = z.object({
  description: z.string(),
  /** Era of an MCP server behind the source; our own domains are `modern`. */
  era: z.enum(['modern', 'legacy']),
  protocolVersion: z.string(),
  serverInfo: z.record(z.string(), z.unknown()).optional(),
  /** The MCP server capabilities it declared. */
  capabilities: z.record(z.string(), z.unknown()),
  instructions: z.string().optional(),
  /** `root`: its tools are published without a prefix. */
  mount: z.enum(['namespace', 'root']),
  /** Each principal is served by a session of its own: what one is told is not for another. */
  perPrincipal: z.boolean().optional(),
  /** Deadline of its tools that name none of their own. */
  callTimeoutMs: z.int().positive(),
  /** The source's own word on how long its lists stay true. */
  ttlMs: z.number().nonnegative().optional(),
  cacheScope: z.enum(['public', 'private']).optional(),
});
export type SourceIdentity = z.infer<typeof SourceIdentity>;

/** All that one source publishes. `revision` is a hash of the rest: equal content, equal revision. */
export const SourceCatalogue = z.object({
  revision: z.string(),
  identity: SourceIdentity,
  tools: z.array(CatalogueTool),
  resources: z.array(ResourceDefinition),
  resourceTemplates: z.array(ResourceTemplateDefinition),
  prompts: z.array(PromptDefinition),
});
export type SourceCatalogue = z.infer<typeof SourceCatalogue>;

/** A catalogue in pieces that fit a bus message: the same revision on each, items divided among them in order. */
export const CataloguePage = SourceCatalogue.extend({ nextCursor: z.string().optional() });
export type CataloguePage = z.infer<typeof CataloguePage>;

/** What is known of a source's catalogue: `pending` has never been asked, or is being asked for the first time. */
export const SourceState = z.enum(['fresh', 'stale', 'pending', 'unavailable']);
export type SourceState = z.infer<typeof SourceState>;

export const DiscoveryError = z.enum(['unreachable', 'invalid_response', 'unauthorized', 'circuit_open', 'timeout']);
export type DiscoveryError = z.infer<typeof DiscoveryError>;

export const SourceSummary = z.object({
  source: SourceAddress,
  state: SourceState,
  /** Absent until a catalogue has been fetched once. */
  revision: z.string().optional(),
  /** Milliseconds since the catalogue was fetched. */
  ageMs: z.number().nonnegative().optional(),
  error: DiscoveryError.optional(),
  /** ISO 8601: since when it has been unavailable. */
  since: z.string().optional(),
});
export type SourceSummary = z.infer<typeof SourceSummary>;
