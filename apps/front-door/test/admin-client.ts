import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

/** Where operators are answered, and what they prove themselves with. */
export interface AdminDoor {
  readonly adminUrl: string;
  readonly adminToken: string;
}

export interface AdminReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- answers are asserted, not typed
}

export interface AdminRequest {
  /** On top of the token and, with a body, the JSON content type; undefined takes one away. */
  readonly headers?: Record<string, string | undefined>;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

/** Sends a request exactly as it is spelled: no path is resolved and no header corrected on the way. */
export function admin(
  { adminUrl, adminToken }: AdminDoor,
  method: string,
  path: string,
  { headers = {}, body }: AdminRequest = {},
): Promise<AdminReply> {
  const { hostname, port } = new URL(adminUrl);
  const sent =
    typeof body === 'string' || Buffer.isBuffer(body) ? body : body === undefined ? '' : JSON.stringify(body);
  const all = {
    Authorization: `Bearer ${adminToken}`,
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(sent)),
    }),
    ...headers,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const req = request({ hostname, port, method, path, headers: given, agent: false }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => (text += chunk));
      res.once('error', reject);
      res.once('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          text,
          body: text === '' ? undefined : JSON.parse(text),
        }),
      );
    });
    req.once('error', reject);
    req.end(sent);
  });
}

/** Writes bytes on a connection of their own and tells what came back until the server closed it. */
export function rawAdmin(adminUrl: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(adminUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let heard = '';
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(heard));
  });
}
