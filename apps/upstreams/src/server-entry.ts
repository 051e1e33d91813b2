import { isPrivateHost } from './address-guard.js';
import { EntryRefusal } from './entry-refusal.js';
import { fieldNamed } from './entry-fields.js';
import type { EntryFields, Field } from './entry-fields.js';
import { normalisedName } from './server-name.js';

/** A configured MCP server, checked and complete. Texts in `env` and `headers` still hold their references. */
export interface ServerEntry {
  readonly name: string;
  readonly transport:
    | {
        readonly kind: 'stdio';
        readonly command: string;
        readonly args: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly cwd: string | undefined;
      }
    | {
        readonly kind: 'http';
        readonly url: string;
        readonly headers: Readonly<Record<string, string>>;
        readonly allowPrivate: boolean;
        readonly oauth: OAuthClient | undefined;
      };
  readonly enabled: boolean;
  readonly description: string;
  readonly hiddenTools: ReadonlySet<string>;
  /** Milliseconds for all attempts of one connection together. */
  readonly connectTimeoutMs: number;
  /** Milliseconds of a call; absent: the service's own setting. */
  readonly callTimeoutMs: number | undefined;
  /** Most characters of text in one result. */
  readonly outputLimit: number;
  readonly mount: 'namespace' | 'root';
  readonly session: 'shared' | 'per-principal';
}

export type OAuthClient = NonNullable<EntryFields['oauth']>;

const DEFAULT_OUTPUT_LIMIT = 100_000;
/** A lower setting would cut answers that every model can read. */
const LOWEST_OUTPUT_LIMIT = 12_000;
/** A launcher may have to download the server first. */
const LAUNCHER = /(^|[\\/])(npx|uvx)(\.(cmd|exe))?$/i;
const LAUNCHER_CONNECT_MS = 180_000;
const CONNECT_MS = 20_000;

/**
 * Checks one entry of the `mcpServers` format. Throws an EntryRefusal for the first thing that is wrong; its sentence
 * says the field, what it got and what it takes.
 */
export function parseServerEntry(spelled: string, given: unknown): ServerEntry {
  const name = normalisedName(spelled);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new EntryRefusal('INVALID_FIELD', undefined, `it is ${said(given)}, but it takes an object`);
  }
  const kind = transportOf(given as Record<string, unknown>);
  const fields = checkedFields(given as Record<string, unknown>, kind);
  refuseUnserved(fields);
  refusePrivate(fields);
  return {
    name,
    transport:
      kind === 'stdio'
        ? { kind, command: fields.command!, args: fields.args ?? [], env: fields.env ?? {}, cwd: fields.cwd }
        : {
            kind,
            url: fields.url!,
            headers: fields.headers ?? {},
            allowPrivate: fields.allowPrivate ?? false,
            oauth: fields.oauth,
          },
    enabled: fields.enabled ?? true,
    description: fields.description ?? '',
    hiddenTools: new Set(fields.hiddenTools),
    connectTimeoutMs: Math.ceil(
      fields.connectTimeoutSeconds !== undefined
        ? fields.connectTimeoutSeconds * 1_000
        : LAUNCHER.test(fields.command ?? '')
          ? LAUNCHER_CONNECT_MS
          : CONNECT_MS,
    ),
    callTimeoutMs: fields.callTimeoutSeconds === undefined ? undefined : Math.ceil(fields.callTimeoutSeconds * 1_000),
    outputLimit: Math.max(fields.outputLimit ?? DEFAULT_OUTPUT_LIMIT, LOWEST_OUTPUT_LIMIT),
    mount: fields.mount ?? 'namespace',
    session: fields.session ?? 'shared',
  };
}

function transportOf(given: Record<string, unknown>): 'stdio' | 'http' {
  const [command, url] = [Object.hasOwn(given, 'command'), Object.hasOwn(given, 'url')];
  if (given['type'] === 'sse') {
    throw new EntryRefusal(
      'TRANSPORT_UNSUPPORTED',
      'type',
      '"type" is "sse", a transport withdrawn from MCP; it takes "stdio" or "http"',
    );
  }
  if (command && url) {
    throw new EntryRefusal('TRANSPORT_CONFLICT', 'url', 'it has "command" and "url", but it takes exactly one of them');
  }
  if (!command && !url) {
    throw new EntryRefusal(
      'TRANSPORT_REQUIRED',
      'command',
      'it has neither "command" nor "url", but it takes one of them',
    );
  }
  return command ? 'stdio' : 'http';
}

function checkedFields(given: Record<string, unknown>, kind: 'stdio' | 'http'): EntryFields {
  const checked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const field = fieldNamed(name);
    if (field === undefined) {
      throw new EntryRefusal('UNKNOWN_FIELD', name.slice(0, 64), `${quoted(name)} is not a field of an entry`);
    }
    if (field.transport !== undefined && field.transport !== kind) {
      const other = kind === 'stdio' ? 'command' : 'url';
      throw new EntryRefusal('TRANSPORT_CONFLICT', name, `"${name}" does not go with "${other}"`);
    }
    const parsed = field.schema.safeParse(value);
    if (!parsed.success) throw invalidField(name, field, value, parsed.error.issues[0]?.path ?? []);
    checked[name] = parsed.data;
  }
  const fields = checked as EntryFields;
  if (fields.type !== undefined && (fields.type === 'stdio') !== (kind === 'stdio')) {
    const other = kind === 'stdio' ? 'command' : 'url';
    throw new EntryRefusal(
      'TRANSPORT_CONFLICT',
      'type',
      `"type" is "${fields.type}", which does not go with "${other}"`,
    );
  }
  return fields;
}

/** Of a name that leads somewhere private only the connection shows it: see `publicLookup`. */
function refusePrivate({ url, allowPrivate }: EntryFields): void {
  if (url === undefined || allowPrivate || !isPrivateHost(url)) return;
  throw new EntryRefusal(
    'PRIVATE_ADDRESS',
    'url',
    '"url" leads to a private address, which takes "allowPrivate": true',
  );
}

function invalidField(
  name: string,
  { takes, secret }: Field,
  value: unknown,
  path: readonly PropertyKey[],
): EntryRefusal {
  const where = [name, ...path.map(String)].join('.').slice(0, 100);
  const inner = path.reduce<unknown>((from, key) => (isObject(from) ? from[key as string] : undefined), value);
  const subject = path.length === 0 ? 'it' : `"${name}"`;
  return new EntryRefusal(
    'INVALID_FIELD',
    where,
    `"${where}" is ${said(inner, secret)}, but ${subject} takes ${takes}`,
  );
}

/** What an entry may say but this version can not do is refused: left unheeded, two callers could share what must not be. */
function refuseUnserved(fields: EntryFields): void {
  const refuse = (field: string, what: string): never => {
    throw new EntryRefusal('INVALID_FIELD', field, `${what} is not served yet`);
  };
  if (fields.session === 'per-principal') refuse('session', '"session": "per-principal"');
  if (fields.oauth !== undefined) refuse('oauth', '"oauth"');
  if (fields.forwardContext === true) refuse('forwardContext', '"forwardContext": true');
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 64));

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A value as a sentence shows it: scalars as they are, cut; of all else, and of what may be secret, only the kind. */
function said(value: unknown, secret = false): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return secret ? 'another text' : quoted(value);
  return secret && value !== null ? `a ${typeof value}` : String(value);
}
