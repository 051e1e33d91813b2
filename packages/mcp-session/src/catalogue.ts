import { PromptDefinition, ResourceDefinition, ResourceTemplateDefinition, ToolDefinition } from '@portico/contracts';
import type { Fault, StopSignal } from '@portico/contracts';
import type { z } from 'zod';
import type { Connection, ServerFacts, SessionParts } from './connection.js';
import { mirroredParams } from './header-values.js';
import type { MirroredParam } from './header-values.js';
import type { JsonObject } from './json-rpc.js';

/** All that one MCP server publishes, every page of it, each item exactly as it came. */
export interface ServerCatalogue extends ServerFacts {
  readonly tools: ToolDefinition[];
  readonly resources: z.infer<typeof ResourceDefinition>[];
  readonly resourceTemplates: z.infer<typeof ResourceTemplateDefinition>[];
  readonly prompts: z.infer<typeof PromptDefinition>[];
  /** The shortest time, in milliseconds, that any of its pages stays true; absent when the server does not say. */
  readonly ttlMs?: number;
  /** `public` only when every page is. */
  readonly cacheScope?: 'public' | 'private';
}

/** Arguments that each tool wants mirrored in headers, by its name. */
export type MirrorTable = ReadonlyMap<string, readonly MirroredParam[]>;

/** Bounds of one list: a server that goes on for ever is not followed. */
const PAGE_LIMIT = 1_000;
const ITEM_LIMIT = 20_000;
/** All lists together may be this many times one answer. */
const BYTES_FACTOR = 4;

interface Walk {
  readonly connection: Connection;
  readonly parts: SessionParts;
  readonly signal: StopSignal;
  bytesLeft: number;
  readonly ttls: number[];
  readonly scopes: unknown[];
}

/**
 * Reads every page of every list that the server declares; of a pinned one, which declares nothing, of every list it
 * answers. Items that are none, and repeated ones, are left out and logged. Rejects with a Fault.
 */
export async function readCatalogue(connection: Connection, parts: SessionParts, signal: StopSignal) {
  const { facts } = connection;
  const walk: Walk = {
    connection,
    parts,
    signal,
    bytesLeft: parts.answerLimitBytes * BYTES_FACTOR,
    ttls: facts.ttlMs === undefined ? [] : [facts.ttlMs],
    scopes: facts.cacheScope === undefined ? [] : [facts.cacheScope],
  };
  const mirrors = new Map<string, readonly MirroredParam[]>();
  const tools = await readList(walk, 'tools', 'tools/list', 'tools', ToolDefinition, 'name');
  const catalogue: ServerCatalogue = {
    ...facts,
    tools: tools.filter((tool) => hasGrantableHeaders(tool, mirrors, parts)),
    resources: await readList(walk, 'resources', 'resources/list', 'resources', ResourceDefinition, 'uri'),
    resourceTemplates: await readList(
      walk,
      'resources',
      'resources/templates/list',
      'resourceTemplates',
      ResourceTemplateDefinition,
      'uriTemplate',
    ),
    prompts: await readList(walk, 'prompts', 'prompts/list', 'prompts', PromptDefinition, 'name'),
    ...(walk.ttls.length > 0 && { ttlMs: Math.min(...walk.ttls) }),
    ...(walk.scopes.length > 0 && {
      cacheScope: walk.scopes.every((scope) => scope === 'public') ? 'public' : 'private',
    }),
  };
  return { catalogue, mirrors: mirrors as MirrorTable };
}

/** The headers that every tool wants, from `tools/list` alone: what a HeaderMismatch asks us to look up again. */
export async function readMirrors(
  connection: Connection,
  parts: SessionParts,
  signal: StopSignal,
): Promise<MirrorTable> {
  const walk: Walk = {
    connection,
    parts,
    signal,
    bytesLeft: parts.answerLimitBytes * BYTES_FACTOR,
    ttls: [],
    scopes: [],
  };
  const mirrors = new Map<string, readonly MirroredParam[]>();
  for (const tool of await readList(walk, 'tools', 'tools/list', 'tools', ToolDefinition, 'name')) {
    hasGrantableHeaders(tool, mirrors, parts);
  }
  return mirrors;
}

async function readList<Item extends JsonObject>(
  walk: Walk,
  capability: string,
  method: string,
  field: string,
  schema: z.ZodType<Item>,
  key: string,
): Promise<Item[]> {
  const { connection, parts, signal } = walk;
  const { capabilities } = connection.facts;
  const declared = capabilities[capability] !== undefined;
  if (!declared && Object.keys(capabilities).length > 0) return [];
  const items = new Map<unknown, Item>();
  const cursors = new Set<unknown>();
  const leftOut = (why: string, name?: unknown) =>
    parts.log.warn('session.item-left-out', {
      server: parts.name,
      list: method,
      why,
      ...(typeof name === 'string' && { name: name.slice(0, 128) }),
    });

  for (let cursor: unknown; ;) {
    const params = typeof cursor === 'string' ? { cursor } : {};
    const answer = await connection
      .ask({ method, params, signal, limitBytes: walk.bytesLeft })
      .catch((fault: Fault) => {
        // Not every server that has resources has templates, and a pinned one declares nothing.
        if (fault.rpc?.code === -32601 && (!declared || method === 'resources/templates/list')) return undefined;
        throw fault;
      });
    if (answer === undefined) break;
    const { result, bytes } = answer;
    walk.bytesLeft -= bytes;
    const page = result[field];
    if (!Array.isArray(page)) throw parts.faults.garbage(new Error(`${method} without ${field}`));
    for (const item of page as unknown[]) {
      const name = (item as JsonObject | null)?.[key];
      if (!schema.safeParse(item).success) leftOut('invalid', name);
      else if (items.has(name)) leftOut('repeated', name);
      else items.set(name, item as Item);
    }
    if (typeof result.ttlMs === 'number' && result.ttlMs >= 0) walk.ttls.push(result.ttlMs);
    if (result.cacheScope !== undefined || connection.facts.era === 'modern') walk.scopes.push(result.cacheScope);
    cursor = result.nextCursor;
    if (typeof cursor !== 'string') break;
    if (cursors.has(cursor)) throw parts.faults.garbage(new Error(`${method} gave one cursor twice`));
    cursors.add(cursor);
    if (cursors.size >= PAGE_LIMIT || items.size > ITEM_LIMIT) throw parts.faults.tooLarge(parts.answerLimitBytes);
  }
  return [...items.values()];
}

/** Over HTTP a tool whose wish for headers can not be granted must not be offered, and everything of ours is offered over HTTP. */
function hasGrantableHeaders(
  tool: ToolDefinition,
  mirrors: Map<string, readonly MirroredParam[]>,
  parts: SessionParts,
): boolean {
  const mirrored = mirroredParams(tool.inputSchema);
  if ('invalid' in mirrored) {
    parts.log.warn('session.item-left-out', {
      server: parts.name,
      list: 'tools/list',
      name: tool.name.slice(0, 128),
      why: mirrored.invalid,
    });
    return false;
  }
  if (mirrored.length > 0) mirrors.set(tool.name, mirrored);
  return true;
}
