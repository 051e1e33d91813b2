import { FIXED_DOMAINS, SourceName } from '@portico/contracts';
import type { EntryErrorCode } from '@portico/contracts';
import { isPrivateHost } from './address-guard.js';
import { ENTRY_FIELDS, fieldNamed } from './entry-fields.js';
import type { EntryFields, Field, FieldName } from './entry-fields.js';
import { EntryRefusal } from './entry-refusal.js';
import { invalidField, isObject, quoted, said } from './invalid-field.js';
import { hasOnlyReferences, hasReference, referencedNames } from './references.js';
import { normalisedName } from './server-name.js';

/** What an operator allows in entries that are saved by API. */
export interface ApiPolicy {
  /** Names that references may use. */
  readonly serverSecrets: ReadonlySet<string>;
  readonly stdioByApi: boolean;
}

/** Another entry of the same configuration, as far as a new one may clash with it. */
export interface OtherEntry {
  readonly spelled: string;
  readonly source: 'builtin' | 'file' | 'api';
  readonly entry: { readonly name: string; readonly mount: 'namespace' | 'root' };
}

/** An entry as somebody wrote it, and what its acceptance depends on. */
export interface Draft {
  readonly spelled: string;
  readonly given: unknown;
  readonly by: 'builtin' | 'file' | 'api';
  readonly others: readonly OtherEntry[];
  readonly policy: ApiPolicy;
}

/** One thing that an entry must be. Rules are asked in order, and each may rely on those before it. */
export interface EntryRule {
  readonly id: string;
  refusal(draft: Draft): EntryRefusal | undefined;
}

const rule = (
  id: string,
  code: EntryErrorCode,
  /** `[field, sentence]` of what is wrong; undefined: nothing. */
  wrong: (draft: Draft, name: string) => readonly [string, string] | undefined,
): EntryRule => ({
  id,
  refusal(draft) {
    const found = wrong(draft, normalisedName(draft.spelled));
    return found && new EntryRefusal(code, found[0], found[1]);
  },
});

/** A rule on the content of fields: the first `[field, path]` that it finds is refused as INVALID_FIELD. */
const content = (
  id: string,
  find: (fields: EntryFields) => Iterable<readonly [FieldName, ...string[]]>,
): EntryRule => ({
  id,
  refusal({ given }) {
    for (const [field, ...path] of find(given as EntryFields))
      return invalidField(field, (given as EntryFields)[field], path);
    return undefined;
  },
});

const kindOf = (given: unknown): 'stdio' | 'http' => (Object.hasOwn(given as object, 'command') ? 'stdio' : 'http');
const keyOf = (given: unknown): string => (kindOf(given) === 'stdio' ? 'command' : 'url');
const RESERVED: ReadonlySet<string> = new Set(FIXED_DOMAINS);
/** Belongs to the protocol, the connection or the message: never an entry's to set. */
const OWN_HEADERS =
  /^(mcp-.*|accept|connection|content-(length|type)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** The texts of an entry that a process or a request is made of, each with where it stands. */
function* textsOf({ command, args, cwd, url, env, headers, oauth }: EntryFields) {
  for (const [field, text] of [
    ['command', command],
    ['cwd', cwd],
    ['url', url],
  ] as const)
    if (text !== undefined) yield { at: [field] as const, text, secret: false };
  for (const [index, text] of (args ?? []).entries())
    yield { at: ['args', String(index)] as const, text, secret: false };
  for (const [key, text] of Object.entries(env ?? {})) yield { at: ['env', key] as const, text, secret: true };
  for (const [key, text] of Object.entries(headers ?? {})) yield { at: ['headers', key] as const, text, secret: true };
  for (const [key, text] of Object.entries(oauth ?? {}))
    yield { at: ['oauth', key] as const, text, secret: key === 'clientSecret' };
}

function* urlsOf({ url, oauth }: EntryFields) {
  if (url !== undefined) yield { at: ['url'] as const, url };
  if (oauth?.tokenUrl !== undefined) yield { at: ['oauth', 'tokenUrl'] as const, url: oauth.tokenUrl };
}

const where =
  (
    texts: (fields: EntryFields) => Iterable<{ at: readonly [FieldName, ...string[]]; text: string; secret: boolean }>,
  ) =>
  (isWrong: (text: string, secret: boolean) => boolean) =>
    function* (fields: EntryFields) {
      for (const { at, text, secret } of texts(fields)) if (isWrong(text, secret)) yield at;
    };
const wrongTexts = where(textsOf);

const NAME_RULES: readonly EntryRule[] = [
  rule('name-usable', 'INVALID_NAME', ({ spelled }, name) =>
    SourceName.safeParse(name).success
      ? undefined
      : [
          'name',
          `the name ${quoted(spelled)} is not usable, a name takes 1 to 32 characters and begins with a letter or digit`,
        ],
  ),
  rule('name-not-reserved', 'RESERVED_NAME', ({ spelled }, name) =>
    RESERVED.has(name) ? ['name', `the name ${quoted(spelled)} belongs to a domain of the gateway itself`] : undefined,
  ),
  rule('name-writable', 'READ_ONLY_ENTRY', ({ spelled, by, others }, name) => {
    const same = others.find(({ entry }) => entry.name === name);
    if (by !== 'api' || same === undefined || same.source === 'api' || same.spelled !== spelled) return undefined;
    return [
      'name',
      `the server ${quoted(spelled)} is ${same.source === 'file' ? 'one of the servers file' : 'built in'}`,
    ];
  }),
  rule('name-free', 'DUPLICATE_NAME', ({ spelled, by, others }, name) => {
    const same = others.find(({ entry }) => entry.name === name);
    if (same === undefined || (by === 'api' && same.spelled === spelled)) return undefined;
    return ['name', `${quoted(same.spelled)} and ${quoted(spelled)} would both be named "${name}"`];
  }),
];

const TRANSPORT_RULES: readonly EntryRule[] = [
  rule('entry-is-object', 'INVALID_FIELD', ({ given }) =>
    isObject(given) && !Array.isArray(given)
      ? undefined
      : ['entry', `it is ${said(given, true)}, but it takes an object`],
  ),
  rule('transport-supported', 'TRANSPORT_UNSUPPORTED', ({ given }) =>
    (given as Record<string, unknown>)['type'] === 'sse'
      ? ['type', '"type" is "sse", a transport withdrawn from MCP; it takes "stdio" or "http"']
      : undefined,
  ),
  rule('transport-given', 'TRANSPORT_REQUIRED', ({ given }) =>
    Object.hasOwn(given as object, 'command') || Object.hasOwn(given as object, 'url')
      ? undefined
      : ['command', 'it has neither "command" nor "url", but it takes one of them'],
  ),
  rule('fields-known', 'UNKNOWN_FIELD', ({ given }) => {
    const unknown = Object.keys(given as object).find((name) => fieldNamed(name) === undefined);
    return unknown === undefined ? undefined : [unknown.slice(0, 64), `${quoted(unknown)} is not a field of an entry`];
  }),
  rule('fields-of-the-transport', 'TRANSPORT_CONFLICT', ({ given }) => {
    const other = Object.keys(given as object).find((name) => {
      const transport = fieldNamed(name)?.transport;
      return transport !== undefined && transport !== kindOf(given);
    });
    return other === undefined ? undefined : [other, `"${other}" does not go with "${keyOf(given)}"`];
  }),
];

/** One for each field: its value has the shape that it takes. */
const SHAPE_RULES: readonly EntryRule[] = Object.entries<Field>(ENTRY_FIELDS).map(([name, { schema }]) => ({
  id: `shape-of-${name}`,
  refusal({ given }) {
    if (!Object.hasOwn(given as object, name)) return undefined;
    const value = (given as Record<string, unknown>)[name];
    const { success, error } = schema.safeParse(value);
    return success ? undefined : invalidField(name, value, error.issues[0]?.path);
  },
}));

const CONTENT_RULES: readonly EntryRule[] = [
  rule('type-of-the-transport', 'TRANSPORT_CONFLICT', ({ given }) => {
    const { type } = given as EntryFields;
    if (type === undefined || (type === 'stdio') === (kindOf(given) === 'stdio')) return undefined;
    return ['type', `"type" is "${type}", which does not go with "${keyOf(given)}"`];
  }),
  // A NUL ends a C string: no process can be given one.
  content(
    'texts-without-nul',
    wrongTexts((text) => text.includes('\0')),
  ),
  // A secret among arguments would be seen by everyone who can list processes, one in a URL wherever the URL is shown.
  content(
    'references-in-place',
    wrongTexts((text, secret) => !secret && hasReference(text)),
  ),
  content(
    'references-well-formed',
    wrongTexts((text, secret) => secret && !hasOnlyReferences(text)),
  ),
  content('headers-not-the-protocols', function* ({ headers }) {
    for (const name of Object.keys(headers ?? {})) if (OWN_HEADERS.test(name)) yield ['headers', name];
  }),
  content('headers-of-one-line', function* ({ headers }) {
    for (const [name, text] of Object.entries(headers ?? {})) if (/[\r\n]/.test(text)) yield ['headers', name];
  }),
  content('urls-of-http', function* (fields) {
    for (const { at, url } of urlsOf(fields)) if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) yield [...at];
  }),
  // It would be repeated wherever the URL is shown; "headers" takes references instead.
  content('urls-without-password', function* (fields) {
    for (const { at, url } of urlsOf(fields)) {
      const { username, password } = new URL(url);
      if (username !== '' || password !== '') yield [...at];
    }
  }),
  // Of a name that leads somewhere private only the connection shows it: see `publicLookup`.
  rule('addresses-public', 'PRIVATE_ADDRESS', ({ given }) => {
    if ((given as EntryFields).allowPrivate) return undefined;
    for (const { at, url } of urlsOf(given as EntryFields)) {
      if (!isPrivateHost(url)) continue;
      const field = at.join('.');
      return [field, `"${field}" leads to a private address, which takes "allowPrivate": true`];
    }
    return undefined;
  }),
];

const POLICY_RULES: readonly EntryRule[] = [
  // What is left unheeded could let two callers share what must not be shared: it is refused until it is served.
  rule('context-not-forwarded', 'INVALID_FIELD', ({ given }) =>
    (given as EntryFields).forwardContext === true
      ? ['forwardContext', '"forwardContext": true is not served yet']
      : undefined,
  ),
  rule('root-by-file', 'INVALID_FIELD', ({ given, by }) =>
    (given as EntryFields).mount === 'root' && by === 'api'
      ? ['mount', '"mount" is "root", which is for entries of the servers file']
      : undefined,
  ),
  rule('root-once', 'INVALID_FIELD', ({ given, others }) => {
    const root = others.find(({ entry }) => entry.mount === 'root');
    return (given as EntryFields).mount === 'root' && root !== undefined
      ? ['mount', `"mount" is "root", but ${quoted(root.spelled)} is mounted there`]
      : undefined;
  }),
  rule('stdio-by-api', 'STDIO_NOT_ALLOWED', ({ given, by, policy }) =>
    by === 'api' && !policy.stdioByApi && kindOf(given) === 'stdio'
      ? ['command', 'this gateway takes servers over HTTP only when they are saved by API (STDIO_BY_API is off)']
      : undefined,
  ),
  rule('secrets-by-api', 'SECRET_NOT_ALLOWED', ({ given, by, policy }) => {
    if (by !== 'api') return undefined;
    for (const { at, text } of textsOf(given as EntryFields)) {
      const denied = referencedNames(text).find((name) => !policy.serverSecrets.has(name));
      if (denied === undefined) continue;
      return [at.join('.').slice(0, 100), `${quoted(denied)} is not among the names that SERVER_SECRETS allows`];
    }
    return undefined;
  }),
];

/** Everything that an entry must be, in the order in which it is told. */
export const ENTRY_RULES: readonly EntryRule[] = [
  ...NAME_RULES,
  ...TRANSPORT_RULES,
  ...SHAPE_RULES,
  ...CONTENT_RULES,
  ...POLICY_RULES,
];
