import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A double of an OAuth authorization server that grants client credentials, and says what the test wants it to. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly tokenUrl: string;
  /** `GET /path` or `POST /path`, in order. */
  readonly requests: {
    readonly line: string;
    readonly authorization: string | undefined;
    readonly form: URLSearchParams;
  }[];
  /** Tokens given so far; the last one is valid. */
  readonly tokens: string[];
  /** Answers a token request in place of a token. */
  answer: ((response: ServerResponse) => void) | undefined;
  expiresIn: number | undefined;
  metadata: Record<string, unknown>;
  close(): Promise<void>;
}

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const line = `${request.method} ${request.url}`;
    server.requests.push({ line, authorization: request.headers.authorization, form: new URLSearchParams(body) });
    const give = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (line === 'GET /.well-known/oauth-authorization-server') return void give(200, server.metadata);
    if (line !== 'POST /token') return void give(404, {});
    if (server.answer !== undefined) return server.answer(response);
    const token = `token-${server.tokens.length + 1}`;
    server.tokens.push(token);
    const life = server.expiresIn === undefined ? {} : { expires_in: server.expiresIn };
    give(200, { access_token: token, token_type: 'Bearer', ...life });
  };
  const http = createServer((request, response) => void handle(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server: AuthorizationServer = {
    issuer,
    tokenUrl: `${issuer}/token`,
    requests: [],
    tokens: [],
    answer: undefined,
    expiresIn: 3_600,
    metadata: { issuer, token_endpoint: `${issuer}/token` },
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  return server;
}
