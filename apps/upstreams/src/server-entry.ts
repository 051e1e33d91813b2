import { ENTRY_RULES } from './entry-rules/entry-rules.js';
import type { Draft, EntryRule } from './entry-rules/rule.js';
import type { EntryFields } from './entry-fields.js';
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
  /** The server is told the ids of each call's context. */
  readonly forwardContext: boolean;
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
 * Checks an entry of the `mcpServers` format and completes it. Throws an EntryRefusal for the first rule that it breaks;
 * its sentence says the field, what it got and what it takes.
 */
export function parseServerEntry(draft: Draft, rules: readonly EntryRule[] = ENTRY_RULES): ServerEntry {
  for (const rule of rules) {
    const refusal = rule.refusal(draft);
    if (refusal !== undefined) throw refusal;
  }
  const { command, url, ...fields } = draft.given as EntryFields;
  return {
    name: normalisedName(draft.spelled),
    transport:
      command !== undefined
        ? { kind: 'stdio', command, args: fields.args ?? [], env: fields.env ?? {}, cwd: fields.cwd }
        : {
            kind: 'http',
            url: url!,
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
        : LAUNCHER.test(command ?? '')
          ? LAUNCHER_CONNECT_MS
          : CONNECT_MS,
    ),
    callTimeoutMs: fields.callTimeoutSeconds === undefined ? undefined : Math.ceil(fields.callTimeoutSeconds * 1_000),
    outputLimit: Math.max(fields.outputLimit ?? DEFAULT_OUTPUT_LIMIT, LOWEST_OUTPUT_LIMIT),
    mount: fields.mount ?? 'namespace',
    session: fields.session ?? 'shared',
    forwardContext: fields.forwardContext ?? false,
  };
}
