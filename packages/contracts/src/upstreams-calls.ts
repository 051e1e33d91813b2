import { z } from 'zod';
import type { Announcement, Call } from './call.js';

/** Where a server's entry comes from. By API `api` entries are changed, built-in ones switched and their tools hidden, those of the file neither. */
export const EntrySource = z.enum(['builtin', 'file', 'api']);

/** How one configured MCP server is, as its operators see it. No value of its `env` or `headers` is ever in it. */
export const ServerState = z.object({
  name: z.string(),
  transport: z.enum(['stdio', 'http']),
  source: EntrySource,
  enabled: z.boolean(),
  state: z.enum(['idle', 'connecting', 'connected', 'failed', 'disabled']),
  era: z.enum(['modern', 'legacy']).nullable(),
  protocolVersion: z.string().nullable(),
  /** How many tools it publishes, hidden ones not counted. */
  tools: z.int().nonnegative(),
  hiddenTools: z.array(z.string()),
  error: z.string().nullable(),
  /** ISO 8601: since when it is in this state. */
  since: z.string().nullable(),
  /** The last lines a stdio server wrote to standard error. */
  stderr: z.array(z.string()),
});
export type ServerState = z.infer<typeof ServerState>;

/** What the process that holds a server knows of it. */
export const ServerStatus = z.object({
  state: z.enum(['idle', 'connecting', 'connected', 'failed']),
  era: z.enum(['modern', 'legacy']).nullable(),
  protocolVersion: z.string().nullable(),
  /** The names of all its tools as it publishes them, hidden ones too; null: it has not been asked yet. */
  tools: z.array(z.string()).nullable(),
  error: z.string().nullable(),
  since: z.string().nullable(),
  stderr: z.array(z.string()),
});
export type ServerStatus = z.infer<typeof ServerStatus>;

export const ENTRY_ERRORS = [
  'INVALID_NAME',
  'RESERVED_NAME',
  'DUPLICATE_NAME',
  'TRANSPORT_REQUIRED',
  'TRANSPORT_CONFLICT',
  'TRANSPORT_UNSUPPORTED',
  'INVALID_FIELD',
  'UNKNOWN_FIELD',
  'PRIVATE_ADDRESS',
  'SECRET_NOT_ALLOWED',
  'STDIO_NOT_ALLOWED',
  'READ_ONLY_ENTRY',
  'UNKNOWN_SERVER',
  'UNKNOWN_TOOL',
] as const;
export const EntryErrorCode = z.enum(ENTRY_ERRORS);
export type EntryErrorCode = z.infer<typeof EntryErrorCode>;

/** Why a change was refused; nothing was changed. `field` is the part of the entry it is about. */
export const EntryError = z.object({ code: EntryErrorCode, field: z.string().optional(), message: z.string() });
export type EntryError = z.infer<typeof EntryError>;

const Changed = z.union([
  z.object({ ok: z.literal(true), server: ServerState.optional() }),
  z.object({ ok: z.literal(false), error: EntryError }),
]);
export type ServerChange = z.infer<typeof Changed>;

/** A server that the product knows how to run, for operators to choose from. */
export const KnownServer = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** What to save, `{workspace}` resolved; what `needs` names must be filled in first. */
  entry: z.record(z.string(), z.unknown()),
  needs: z.array(z.object({ name: z.string(), description: z.string() })),
  configured: z.boolean(),
  /** Whether the program that starts it is installed here; `none` for servers over HTTP. */
  launcher: z.enum(['present', 'missing', 'none']),
});
export type KnownServer = z.infer<typeof KnownServer>;

const Name = z.object({ name: z.string() });

/** Every configured server; those enabled are tried, and those still at it after 5 s are `connecting`. */
export const listServers = {
  subject: 'upstreams.list',
  request: z.object({}),
  reply: z.object({ servers: z.array(ServerState), fileError: z.string().optional() }),
  effect: 'read',
  deadlineMs: 10_000,
} satisfies Call;

export const listKnownServers = {
  subject: 'upstreams.catalog',
  request: z.object({}),
  reply: z.object({ servers: z.array(KnownServer) }),
  effect: 'read',
  deadlineMs: 5_000,
} satisfies Call;

const change = <Request extends z.ZodType>(subject: `upstreams.${string}`, request: Request, deadlineMs: number) =>
  ({ subject, request, reply: Changed, effect: 'write', deadlineMs }) satisfies Call;

/** Adds an entry, or replaces the one of the same spelling. `entry` is checked by the service, with an error for each rule. */
export const saveServer = change('upstreams.save', Name.extend({ entry: z.unknown() }), 10_000);
export const deleteServer = change('upstreams.delete', Name, 10_000);
export const toggleServer = change('upstreams.toggle', Name.extend({ enabled: z.boolean() }), 10_000);
export const hideTool = change('upstreams.tool', Name.extend({ tool: z.string(), hidden: z.boolean() }), 10_000);
/** Connects anew, whatever the state; waits for the outcome within the server's connect limit. */
export const testServer = change('upstreams.test', Name, 200_000);
/** Starts connecting every enabled server, 4 at a time, and does not wait for it. */
export const prewarmServers = change('upstreams.prewarm', z.object({}), 5_000);

/** All that an operator may ask of the configured servers, by the last word of its subject. */
export const serverCalls = {
  list: listServers,
  catalog: listKnownServers,
  save: saveServer,
  delete: deleteServer,
  toggle: toggleServer,
  tool: hideTool,
  test: testServer,
  prewarm: prewarmServers,
} as const;

/**
 * Asked of whichever instance holds the server. `connect`: connect first, unless it is; `reconnect`: connect anew. Answered
 * when that has come to its end, well or not, or when the asker's deadline passes.
 */
export const serverStatus = (server: string) =>
  ({
    subject: `upstream.${server}.status`,
    request: z.object({ attempt: z.enum(['none', 'connect', 'reconnect']) }),
    reply: ServerStatus,
    effect: 'write',
  }) satisfies Call;

/** The stored configuration has changed: every instance reads it again. */
export const serversChanged = { subject: 'upstreams.changed', payload: z.object({}) } satisfies Announcement;
