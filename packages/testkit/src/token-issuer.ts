import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SigningKey, newSigningKey, signToken } from './signed-token.js';
import type { TokenClaims, TokenOptions } from './signed-token.js';

/** What the issuer does with a request for its keys: answers, breaks the connection, or never answers. */
export type IssuerHealth = 'up' | 'down' | 'slow';

/** An OAuth authorization server that signs real tokens: key set, metadata, and a token endpoint for client credentials. */
export interface TokenIssuer {
  /** Its address, and the `iss` of its tokens. */
  readonly issuer: string;
  readonly jwksUrl: string;
  /** `GET /jwks`, one a request, in order. */
  readonly requests: string[];
  /** What the token endpoint was asked for, in order. */
  readonly grants: URLSearchParams[];
  /** The key it signs with now. */
  readonly key: SigningKey;
  health: IssuerHealth;
  /** Instead of its key set: what `/jwks` answers with. The set is at `/moved` too. */
  answer: ((response: ServerResponse) => void) | undefined;
  /** A token with its own issuer, five minutes to live, and what is given; a claim given as undefined is left out. */
  sign(claims?: TokenClaims, options?: TokenOptions): Promise<string>;
  /** Signs with a new key from now on; the keys before it stay in the set only when `keepOld` is true. */
  rotate(options?: { readonly keepOld?: boolean; readonly alg?: string }): Promise<void>;
  close(): Promise<void>;
}

/** Starts one on a free loopback port, or on the one given. Any client id with the secret `secret` may have tokens. */
export async function startTokenIssuer({ alg = 'ES256', port = 0 } = {}): Promise<TokenIssuer> {
  let keys = [await newSigningKey(alg)];
  const server = createServer((request, response) => void serve(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const metadata = {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', url);
    issuer.requests.push(`${request.method} ${pathname}`);
    if (issuer.health === 'down') return void request.destroy();
    if (issuer.health === 'slow') return;
    if (pathname === '/jwks' && issuer.answer !== undefined) return issuer.answer(response);
    if (pathname === '/jwks' || pathname === '/moved')
      return answer(response, 200, { keys: keys.map((key) => key.jwk) });
    if (pathname === '/token') return grant(request, response);
    if (/^\/\.well-known\/(oauth-authorization-server|openid-configuration)$/.test(pathname))
      return answer(response, 200, metadata);
    return answer(response, 404, { error: 'not_found' });
  };

  const grant = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const asked = new URLSearchParams(body);
    issuer.grants.push(asked);
    const basic = Buffer.from(request.headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString();
    const [client, secret] = basic === '' ? [asked.get('client_id'), asked.get('client_secret')] : basic.split(':');
    if (secret !== 'secret') return answer(response, 401, { error: 'invalid_client' });
    const scope = asked.get('scope') ?? undefined;
    const token = await issuer.sign({ sub: client ?? '', aud: asked.get('resource') ?? undefined, scope });
    answer(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 300, scope });
  };

  const issuer: TokenIssuer = {
    issuer: url,
    jwksUrl: `${url}/jwks`,
    requests: [],
    grants: [],
    health: 'up',
    answer: undefined,
    get key() {
      return keys.at(-1) as SigningKey;
    },
    sign: (claims = {}, options = {}) => signToken(issuer.key, { iss: url, ...claims }, options),
    async rotate({ keepOld = false, alg: next = alg } = {}) {
      keys = [...(keepOld ? keys : []), await newSigningKey(next)];
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return issuer;
}

const answer = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
