/** One HTTP request to an MCP endpoint, good or bad, as it goes onto the wire. */
export interface WireRequest {
  /** Says what is particular about it; unique among its kind. */
  readonly name: string;
  readonly verb: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const MODERN = '2026-07-28';
export const LEGACY = ['2025-11-25', '2025-06-18'] as const;
export const REVISIONS = [MODERN, ...LEGACY] as const;

type Loose = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string | undefined>>;

const BOTH_TYPES = 'application/json, text/event-stream';
const PROTOCOL = 'io.modelcontextprotocol';

/** The `_meta` that every request of the 2026 revision carries. */
export const envelope = (more: Loose = {}): Loose => ({
  [`${PROTOCOL}/protocolVersion`]: MODERN,
  [`${PROTOCOL}/clientInfo`]: { name: 'oracle-client', version: '1' },
  [`${PROTOCOL}/clientCapabilities`]: {},
  ...more,
});

/** A header's value as a client must write it: plain, or in the Base64 sentinel. */
export const headerValue = (value: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) ? value : sentinel(value);

export const sentinel = (value: string): string => `=?base64?${Buffer.from(value).toString('base64')}?=`;

/** A POST with exactly this body; `undefined` takes a header away. */
export const post = (name: string, body: string, headers: Headers = {}): WireRequest => ({
  name,
  verb: 'POST',
  headers: present({ 'Content-Type': 'application/json', Accept: BOTH_TYPES, ...headers }),
  body,
});

/** A request of the 2026 revision with the headers that belong to it; `message` changes the JSON-RPC message itself. */
export function modern(
  name: string,
  method: string,
  params: Loose = {},
  { headers = {}, message = {} }: { headers?: Headers; message?: Loose } = {},
): WireRequest {
  const named = params['name'] ?? params['uri'];
  return post(
    `${MODERN} ${name}`,
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: envelope(), ...params }, ...message }),
    {
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': headerValue(method),
      ...(typeof named === 'string' && named !== '' && { 'Mcp-Name': headerValue(named) }),
      ...headers,
    },
  );
}

/** A request of a 2025 revision, without a session. */
export const legacy = (
  revision: string,
  name: string,
  method: string,
  params: unknown = {},
  { headers = {}, message = {} }: { headers?: Headers; message?: Loose } = {},
): WireRequest =>
  post(
    `${revision} ${name}`,
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params !== undefined && { params }), ...message }),
    { 'MCP-Protocol-Version': revision, ...headers },
  );

/** The same request in every revision. */
export const inAll = (name: string, method: string, params: Loose = {}): WireRequest[] => [
  modern(name, method, params),
  ...LEGACY.map((revision) => legacy(revision, name, method, params)),
];

const present = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined));
