import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@portico/observe';
import { readSettings } from '@portico/settings';
import { authSettings, readAuth } from '../src/auth/auth-settings.js';
import { isRefusal } from '../src/auth/authenticator.js';
import type { TokenTiming } from '../src/auth/jwt-authenticator.js';
import { openAuthenticator } from '../src/auth/open-authenticator.js';
import { protectedResourceMetadata } from '../src/auth/protected-resource.js';
import { refuse } from '../src/refusals.js';

export interface AuthAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The principal, or the JSON-RPC error. */
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- answers are asserted, not typed
}

export interface AuthServer {
  readonly url: string;
  readonly lines: string[];
  /** Headers as they go over the wire: names and values in turn. */
  send(headers: readonly string[], path?: string, method?: string): Promise<AuthAnswer>;
  bearer(token: string): Promise<AuthAnswer>;
  close(): Promise<void>;
}

/** A server that only tells who calls it: the authenticator alone, with times short enough for tests. */
export async function startAuthServer(
  env: Record<string, string>,
  timing: Partial<TokenTiming> = {},
): Promise<AuthServer> {
  const lines: string[] = [];
  const log = createLog({ name: 'test', format: 'json', level: 'debug', write: (line) => void lines.push(line) });
  const config = readAuth({ ...readSettings(authSettings, env), HOST: '127.0.0.1', PORTICO_HOME: '.portico' });
  const authenticator = await openAuthenticator(config, { log, timing });
  const metadata = protectedResourceMetadata(config);
  const server = createServer((req, res) => {
    req.resume();
    if (metadata(req, res)) return;
    void Promise.resolve(authenticator.authenticate(req)).then((asked) =>
      isRefusal(asked) ? refuse(res, asked) : void res.end(JSON.stringify(asked)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const send: AuthServer['send'] = (headers, path = '/mcp', method = 'POST') => sendRaw(port, headers, path, method);
  return {
    url: `http://127.0.0.1:${port}`,
    lines,
    send,
    bearer: (token) => send(['Authorization', `Bearer ${token}`]),
    async close() {
      authenticator.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sends one request with exactly these headers, repeated ones too. */
export async function sendRaw(
  port: number,
  headers: readonly string[],
  path = '/mcp',
  method = 'POST',
  body = '',
): Promise<AuthAnswer> {
  const hasHost = headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'host');
  const all = [...(hasHost ? [] : ['Host', `127.0.0.1:${port}`]), ...headers, 'Content-Length', String(body.length)];
  const req = request({ host: '127.0.0.1', port, path, method, agent: false, headers: all as never });
  req.end(body);
  const [res] = (await once(req, 'response')) as [import('node:http').IncomingMessage];
  let text = '';
  for await (const chunk of res) text += String(chunk);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  return { status: res.statusCode ?? 0, headers: res.headers, text, body: parsed };
}
