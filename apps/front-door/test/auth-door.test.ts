import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallContext } from '@portico/contracts';
import { defineTool } from '@portico/domain-kit';
import { type TokenIssuer, newSigningKey, startTokenIssuer } from '@portico/testkit';
import { z } from 'zod';
import { sendRaw } from './auth-server.js';
import { type OpenDoor, type RpcOptions, openDoor, requestOf } from './open-door.js';

const AUDIENCE = 'https://portico.example.com/mcp';
const ALICE = { aud: AUDIENCE, sub: 'alice', tenant: 'acme', scope: 'portico:call' };
const seen: CallContext['principal'][] = [];
const whoami = {
  name: 'demo',
  description: 'For tests.',
  version: '1.0.0',
  tools: [
    defineTool({
      name: 'whoami',
      description: 'Says who calls.',
      input: z.looseObject({}),
      effect: 'read',
      handle: (_args, { context }) => {
        const { principal } = context as CallContext;
        seen.push(principal);
        return Promise.resolve(`${principal.tenant}/${principal.subject}`);
      },
    }),
  ],
};

let issuer: TokenIssuer;
let door: OpenDoor;
beforeAll(async () => {
  issuer = await startTokenIssuer();
  door = await openDoor({
    AUTH_MODE: 'jwt',
    JWT_ISSUER: issuer.issuer,
    JWT_AUDIENCE: AUDIENCE,
    JWT_JWKS_URL: issuer.jwksUrl,
    RATE_LIMIT_PER_SECOND: '1',
    RATE_LIMIT_BURST: '40',
  });
  await door.serve(whoami);
  await call(await issuer.sign({ ...ALICE, sub: 'first' }));
});
afterAll(async () => {
  await door.close();
  await issuer.close();
});

const call = (token: string, args: Record<string, unknown> = {}, { headers, ...options }: RpcOptions = {}) =>
  door.rpc(
    'tools/call',
    { name: 'demo.whoami', arguments: args },
    { ...options, headers: { Authorization: `Bearer ${token}`, ...headers } },
  );
const answered = async (asked: ReturnType<typeof call>): Promise<string> =>
  (await asked).message.result.content[0].text as string;

describe('[FD-9] the principal of a call', () => {
  it.each<[string, Record<string, unknown>, RpcOptions]>([
    ['nothing else', {}, {}],
    [
      'headers',
      {},
      {
        headers: {
          'X-Tenant': 'globex',
          'X-Tenant-ID': 'globex',
          'X-Forwarded-User': 'root',
          'X-Auth-Request-User': 'root',
          'Cf-Access-Authenticated-User-Email': 'root@globex',
          'Cf-Access-Jwt-Assertion': 'a.b.c',
          'X-Agent-ID': 'root',
          'X-Portico-Principal': '{"tenant":"globex"}',
          Principal: 'globex/root',
          Cookie: 'tenant=globex',
          Forwarded: 'for=globex',
        },
      },
    ],
    [
      '_meta',
      {},
      {
        meta: {
          tenant: 'globex',
          principal: { tenant: 'globex', subject: 'root' },
          'portico/tenant': 'globex',
          'portico/principal': { tenant: 'globex', subject: 'root', scopes: ['*'] },
          'portico/agent': 'root',
          'djayzone/agent': 'root',
        },
      },
    ],
    [
      'arguments',
      { tenant: 'globex', principal: { tenant: 'globex', subject: 'root' }, context: { principal: {} } },
      {},
    ],
    [
      '_gateway_context',
      { _gateway_context: { agent: 'root', tenant: 'globex', subject: 'root', principal: { tenant: 'globex' } } },
      {},
    ],
    ['a 2025 revision', {}, { revision: '2025-06-18', headers: { 'Mcp-Session-Id': 'globex.root' } }],
  ])('is the token’s, whatever is written in %s', async (_where, args, options) => {
    const before = seen.length;
    const token = await issuer.sign(ALICE);
    expect(await answered(call(token, args, options))).toBe('acme/alice');
    expect(seen.slice(before)).toEqual([{ tenant: 'acme', subject: 'alice' }]);
  });

  it('is each caller’s own when many call at once', async () => {
    const people = Array.from({ length: 20 }, (_, i) => ({ tenant: `tenant-${i % 5}`, sub: `subject-${i}` }));
    const tokens = await Promise.all(people.map((person) => issuer.sign({ ...ALICE, ...person })));
    const twice = [...tokens.keys(), ...tokens.keys()];
    const said = await Promise.all(twice.map((i) => answered(call(tokens[i] as string))));
    expect(said).toEqual(twice.map((i) => `${people[i]?.tenant}/${people[i]?.sub}`));
  });

  it('reaches the limiter with its tenant: one name in two tenants is two callers', async () => {
    const [red, blue] = await Promise.all(
      ['red', 'blue'].map((tenant) => issuer.sign({ ...ALICE, tenant, sub: 'greedy' })),
    );
    // Another token of the same caller is no other caller.
    const again = await issuer.sign({ ...ALICE, tenant: 'red', sub: 'greedy' });
    const all = await Promise.all(Array.from({ length: 60 }, (_, i) => call((i % 2 === 0 ? red : again) as string)));
    expect(all.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(10);
    expect((await call(blue as string)).status).toBe(200);
  });

  it('is default, local and every scope in none mode, whatever is sent', async () => {
    const open = await openDoor();
    try {
      await open.serve(whoami);
      const headers = { Authorization: `Bearer ${await issuer.sign(ALICE)}`, 'X-Tenant': 'globex' };
      const said = await open.rpc('tools/call', { name: 'demo.whoami', arguments: {} }, { headers });
      expect(said.message.result.content[0].text).toBe('default/local');
      // Needs the scope portico:receipts, which nobody was given by name.
      const receipts = await open.rpc('tools/call', { name: 'gateway.receipts', arguments: {} });
      expect(receipts.message.result.isError).not.toBe(true);
    } finally {
      await open.close();
    }
  });
});

describe('[FD-5][FD-8] who does not prove who they are is turned away at the door', () => {
  const port = (): number => Number(new URL(door.url).port);
  const { body, headers } = requestOf('tools/call', { name: 'demo.whoami', arguments: {} });
  const send = (...more: string[]) =>
    sendRaw(
      port(),
      ['Content-Type', 'application/json', 'Accept', 'application/json', ...Object.entries(headers).flat(), ...more],
      '/mcp',
      'POST',
      JSON.stringify(body),
    );
  const now = (): number => Math.floor(Date.now() / 1_000);

  it('each with a JSON-RPC error, the status and the challenge that belong to it, and the tool never ran', async () => {
    const before = seen.length;
    const bearer = async (claims: object, options = {}): Promise<string[]> => [
      'Authorization',
      `Bearer ${await issuer.sign({ ...ALICE, ...claims }, options)}`,
    ];
    const good = await bearer({});
    const refusals: [string[], number, string, string | undefined][] = [
      [[], 401, 'UNAUTHENTICATED', undefined],
      [await bearer({ exp: now() - 60 }), 401, 'UNAUTHENTICATED', 'invalid_token'],
      [await bearer({ nbf: now() + 60 }), 401, 'UNAUTHENTICATED', 'invalid_token'],
      [await bearer({ aud: 'other' }), 401, 'UNAUTHENTICATED', 'invalid_token'],
      [await bearer({ iss: 'other' }), 401, 'UNAUTHENTICATED', 'invalid_token'],
      [await bearer({}, { key: await newSigningKey('ES256') }), 401, 'UNAUTHENTICATED', 'invalid_token'],
      [await bearer({ more: 'x'.repeat(7_000) }), 401, 'UNAUTHENTICATED', 'invalid_token'],
      [await bearer({ scope: 'other' }), 403, 'PERMISSION_DENIED', 'insufficient_scope'],
      [[...good, ...good], 400, 'INVALID_ARGUMENTS', 'invalid_request'],
      [[...good, 'Authorization', 'Basic YTpi'], 400, 'INVALID_ARGUMENTS', 'invalid_request'],
    ];
    for (const [sent, status, code, error] of refusals) {
      const answer = await send(...sent);
      const challenge = answer.headers['www-authenticate'] ?? '';
      expect([status, answer.body]).toEqual([
        answer.status,
        { jsonrpc: '2.0', id: null, error: { code: -32000, message: expect.any(String), data: { code } } },
      ]);
      expect(challenge).toMatch(/^Bearer resource_metadata="https:\/\/portico\.example\.com\/\.well-known\/[^"]+"/);
      expect(/ error="([^"]+)"/.exec(challenge)?.[1]).toBe(error);
    }
    expect((await send(...(await bearer({ tenant: undefined })))).status).toBe(403);
    expect(seen.length).toBe(before);
    expect((await send(...good)).status).toBe(200);
  });

  it('before anything of the body is read', async () => {
    const answer = await door.post('x'.repeat(2_000_000));
    expect(answer.status).toBe(401);
  });

  it('with 431 beyond what a header may have', async () => {
    expect((await send('Authorization', `Bearer ${'x'.repeat(20_000)}`)).status).toBe(431);
  });

  it('who sends a second credential is, behind however many headers it stands', async () => {
    const headers = ['Content-Type', 'application/json', 'Authorization', `Bearer ${await issuer.sign(ALICE)}`];
    const many = Array.from({ length: 1_500 }, () => ['X', 'y']).flat();
    const port = Number(new URL(door.url).port);
    const answer = await sendRaw(port, [...headers, ...many, 'Authorization', 'Bearer abc'], '/mcp', 'POST', '{}');
    expect(answer).toMatchObject({ status: 400, body: { error: { data: { code: 'INVALID_ARGUMENTS' } } } });
  });

  it('while the issuer’s keys are not to be had: 503 with Retry-After', async () => {
    const down = await startTokenIssuer();
    down.health = 'down';
    const waiting = await openDoor({
      AUTH_MODE: 'jwt',
      JWT_ISSUER: down.issuer,
      JWT_AUDIENCE: AUDIENCE,
      JWT_JWKS_URL: down.jwksUrl,
    });
    try {
      const headers = { Authorization: `Bearer ${await down.sign(ALICE)}` };
      const answer = await waiting.rpc('tools/list', {}, { headers });
      expect([answer.status, answer.message]).toEqual([
        503,
        {
          jsonrpc: '2.0',
          id: null,
          error: {
            code: -32000,
            message: expect.any(String),
            data: { code: 'BACKEND_UNAVAILABLE', retry_after_ms: expect.any(Number) },
          },
        },
      ]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      down.health = 'up';
      const deadline = performance.now() + 20_000;
      while ((await waiting.rpc('tools/list', {}, { headers })).status === 503 && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 100));
      expect((await waiting.rpc('tools/list', {}, { headers })).status).toBe(200);
    } finally {
      await waiting.close();
      await down.close();
    }
  });

  it('rotated keys: the new ones are taken, and a remembered token of the old is refused', async () => {
    const old = await issuer.sign(ALICE);
    expect((await call(old)).status).toBe(200);
    await issuer.rotate();
    const next = await issuer.sign({ ...ALICE, sub: 'next' });
    const deadline = performance.now() + 20_000;
    while ((await call(next)).status === 401 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await answered(call(next))).toBe('acme/next');
    expect((await call(old)).status).toBe(401);
  });

  it('and no line of the log has any part of a token', async () => {
    const token = await issuer.sign(ALICE);
    await call(token);
    const lines = door.lines.join('');
    for (const part of token.split('.')) expect(lines).not.toContain(part);
    expect(lines).not.toMatch(/eyJ[\w-]{10,}/);
  });
});
