import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TokenIssuer, startTokenIssuer } from '@portico/testkit';
import { type OpenDoor, openDoor } from './open-door.js';

/** What a cut-over from an older endpoint, and the way back, stand on: docs/operating.md. */
describe('[OP-13] the public path', () => {
  let issuer: TokenIssuer;
  let open: OpenDoor;
  let tokens: OpenDoor;
  beforeAll(async () => {
    issuer = await startTokenIssuer();
    open = await openDoor();
    tokens = await openDoor({
      AUTH_MODE: 'jwt',
      JWT_ISSUER: issuer.issuer,
      JWT_AUDIENCE: 'https://portico.example.com/mcp',
      JWT_JWKS_URL: issuer.jwksUrl,
      PUBLIC_URL: 'https://portico.example.com',
    });
  });
  afterAll(async () => {
    await open?.close();
    await tokens?.close();
    await issuer?.close();
  });

  const ask = async (door: OpenDoor, method: string, path: string) => {
    const response = await fetch(`${door.url}${path}`, { method, redirect: 'manual' });
    await response.arrayBuffer();
    return { status: response.status, headers: response.headers };
  };

  it.each(['2026-07-28', '2025-11-25', '2025-06-18'])(
    'answers POST /mcp with 200, in revision %s',
    async (revision) => {
      const begin = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'old', version: '1' } };
      const modern = revision === '2026-07-28';
      const { status, message } = await open.rpc(modern ? 'tools/list' : 'initialize', modern ? {} : begin, {
        revision,
      });
      expect([status, message.result !== undefined]).toEqual([200, true]);
    },
  );

  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])(
    'refuses %s /mcp with 405, and says that POST is allowed',
    async (method) => {
      const { status, headers } = await ask(open, method, '/mcp');
      expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    },
  );

  it.each(['/', '/mcp/', '/MCP', '/mcp/mcp', '/mcpx', '/sse', '/messages', '/v1/mcp', '/api/mcp', '/metrics', '//mcp'])(
    'has nothing at %s, and sends nobody elsewhere',
    async (path) => {
      for (const door of [open, tokens])
        for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
          const { status, headers } = await ask(door, method, path);
          expect([method, status, headers.get('location')]).toEqual([method, 404, null]);
        }
    },
  );

  it('tells where tokens come from at both well-known paths, and only where tokens are asked for', async () => {
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
      const response = await fetch(`${tokens.url}${path}`, { redirect: 'manual' });
      expect([path, response.status]).toEqual([path, 200]);
      expect(await response.json()).toMatchObject({ resource: 'https://portico.example.com/mcp' });
      expect((await ask(open, 'GET', path)).status).toBe(404);
    }
    const refused = await ask(tokens, 'POST', '/mcp');
    expect([refused.status, refused.headers.get('location')]).toEqual([401, null]);
  });
});
