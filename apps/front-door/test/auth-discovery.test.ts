import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
  auth,
  discoverOAuthProtectedResourceMetadata,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/client';
import { ClientCredentialsProvider as ProviderV1 } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type TokenIssuer, startTokenIssuer } from '@portico/testkit';
import { echoDomain } from './echo-domain.js';
import { type OpenDoor, openDoor } from './open-door.js';

const demo = echoDomain();
let issuer: TokenIssuer;
let door: OpenDoor;
let endpoint: URL;

beforeAll(async () => {
  issuer = await startTokenIssuer();
  // Tokens name the address, so it has to be known before the door opens.
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  endpoint = new URL(`http://127.0.0.1:${port}/mcp`);
  door = await openDoor({
    PORT: String(port),
    AUTH_MODE: 'jwt',
    JWT_ISSUER: issuer.issuer,
    JWT_AUDIENCE: endpoint.href,
    JWT_JWKS_URL: issuer.jwksUrl,
    JWT_DEFAULT_TENANT: 'acme',
  });
  await door.serve(demo.domain);
});
afterAll(async () => {
  demo.release();
  await door.close();
  await issuer.close();
});

const credentials = () => ({ clientId: 'agent-7', clientSecret: 'secret', expectedIssuer: issuer.issuer });

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}
const v2 = async (mode: 'auto' | 'legacy'): Promise<AnyClient> => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const authProvider = new ClientCredentialsProvider(credentials());
  await client.connect(new StreamableHTTPClientTransport(endpoint, { authProvider }));
  return client as unknown as AnyClient;
};
const v1 = async (): Promise<AnyClient> => {
  const client = new ClientV1({ name: 'test', version: '1' });
  // For client credentials this version asks for the scope it is set to, never for the one it is told.
  const authProvider = new ProviderV1({ ...credentials(), scope: 'portico:call' });
  await client.connect(new TransportV1(endpoint, { authProvider }) as never);
  return client as unknown as AnyClient;
};

describe.each([
  ['the SDK v2 client that negotiates', () => v2('auto')],
  ['the SDK v2 client that does not', () => v2('legacy')],
  ['the SDK v1 client', v1],
])('[FD-8] %s', (_name, connect) => {
  it('finds the issuer by the challenge, gets a token that is for this server, lists and calls', async () => {
    issuer.grants.length = 0;
    const client = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('demo.echo');
    const said = await client.callTool({ name: 'demo.echo', arguments: { a: 1 } });
    expect(said['isError']).toBeFalsy();
    await client.close();
    expect(issuer.grants.map((grant) => Object.fromEntries(grant))).toEqual([
      { grant_type: 'client_credentials', resource: endpoint.href, scope: 'portico:call' },
    ]);
  });
});

describe('[FD-8] the metadata document', () => {
  const wellKnown = (path = '/mcp') => new URL(`/.well-known/oauth-protected-resource${path}`, endpoint);

  it.each(['', '/mcp', '/mcp?a=1'])('is at /.well-known/oauth-protected-resource%s, for every origin', async (path) => {
    const response = await fetch(wellKnown(path), { headers: { Origin: 'https://client.example.com' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      resource: endpoint.href,
      authorization_servers: [issuer.issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['portico:call'],
      resource_name: 'Portico',
    });
  });

  it('may be asked for by pages with the header that SDKs add, and only be read', async () => {
    const headers = {
      Origin: 'https://client.example.com',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'mcp-protocol-version',
    };
    const preflight = await fetch(wellKnown(), { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('MCP-Protocol-Version');
    const head = await fetch(wellKnown(), { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const post = await fetch(wellKnown(), { method: 'POST', body: '{}' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    for (const path of ['/', '/other', '/mcp/', 'x']) expect((await fetch(wellKnown(path))).status).toBe(404);
  });

  it('is what the SDK finds, from a challenge and without one', async () => {
    const refused = await fetch(endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(refused);
    expect([resourceMetadataUrl?.href, scope, error]).toEqual([wellKnown().href, 'portico:call', undefined]);
    for (const opts of [{ resourceMetadataUrl }, {}]) {
      const found = await discoverOAuthProtectedResourceMetadata(endpoint, opts as object);
      expect(found.resource).toBe(endpoint.href);
    }
    const { authorizationServerUrl, authorizationServerMetadata } = await discoverOAuthServerInfo(endpoint);
    expect(authorizationServerUrl).toBe(issuer.issuer);
    expect(authorizationServerMetadata?.token_endpoint).toBe(`${issuer.issuer}/token`);
  });

  it('lets the SDK ask again for the scope that is missing', async () => {
    const token = await issuer.sign({ sub: 'alice', aud: endpoint.href, scope: 'other' });
    const refused = await door.rpc('tools/list', {}, { headers: { Authorization: `Bearer ${token}` } });
    expect(refused.status).toBe(403);
    const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(
      new Response(null, { status: 403, headers: refused.headers }),
    );
    expect([scope, error]).toEqual(['portico:call', 'insufficient_scope']);
    const provider = new ClientCredentialsProvider(credentials());
    const outcome = await auth(provider, {
      serverUrl: endpoint,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      scope,
    });
    expect(outcome).toBe('AUTHORIZED');
    const headers = { Authorization: `Bearer ${provider.tokens()?.access_token}` };
    expect((await door.rpc('tools/list', {}, { headers })).status).toBe(200);
  });

  it('names the address that loopback callers use where none is set, and is nowhere in other modes', async () => {
    const jwt = { AUTH_MODE: 'jwt', JWT_ISSUER: issuer.issuer, JWT_AUDIENCE: 'portico', JWT_JWKS_URL: issuer.jwksUrl };
    const byHost = await openDoor({ ...jwt, JWT_DEFAULT_SCOPES: 'portico:call' });
    const none = await openDoor();
    try {
      const document = await fetch(`${byHost.url}/.well-known/oauth-protected-resource`);
      expect(await document.json()).toEqual({
        resource: `${byHost.url}/mcp`,
        authorization_servers: [issuer.issuer],
        bearer_methods_supported: ['header'],
        resource_name: 'Portico',
      });
      const challenge = (await byHost.rpc('tools/list')).headers.get('www-authenticate');
      expect(challenge).toBe(`Bearer resource_metadata="${byHost.url}/.well-known/oauth-protected-resource/mcp"`);
      expect((await fetch(`${none.url}/.well-known/oauth-protected-resource`)).status).toBe(404);
    } finally {
      await byHost.close();
      await none.close();
    }
  });
});
