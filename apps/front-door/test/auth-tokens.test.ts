import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLog } from '@portico/observe';
import { readSettings } from '@portico/settings';
import { type TokenIssuer, newSigningKey, startTokenIssuer } from '@portico/testkit';
import { exportSPKI } from 'jose';
import { authSettings, readAuth } from '../src/auth/auth-settings.js';
import type { TokenTiming } from '../src/auth/jwt-authenticator.js';
import { openAuthenticator } from '../src/auth/open-authenticator.js';
import { type AuthAnswer, type AuthServer, startAuthServer } from './auth-server.js';

const AUDIENCE = 'https://portico.example.com/mcp';
const METADATA = 'https://portico.example.com/.well-known/oauth-protected-resource/mcp';
const CLAIMS = { aud: AUDIENCE, sub: 'alice', tenant: 'acme', scope: 'portico:call other' };
const now = (): number => Math.floor(Date.now() / 1_000);
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

let issuer: TokenIssuer;
let server: AuthServer;
const closers: (() => Promise<void>)[] = [];

beforeEach(async () => {
  issuer = await startTokenIssuer();
  closers.push(() => issuer.close());
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const open = async (env: Record<string, string> = {}, timing: Partial<TokenTiming> = {}): Promise<void> => {
  const jwt = { AUTH_MODE: 'jwt', JWT_ISSUER: issuer.issuer, JWT_AUDIENCE: AUDIENCE, JWT_JWKS_URL: issuer.jwksUrl };
  const opened = await startAuthServer({ ...jwt, ...env }, timing);
  closers.push(() => opened.close());
  server = opened;
};
const keyFetches = (): number => issuer.requests.filter((line) => line === 'GET /jwks').length;

/** A 401 with the challenge by which clients find the issuer. */
const expectInvalidToken = (answer: AuthAnswer, message: string): void => {
  expect(answer.status).toBe(401);
  expect(answer.body).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32000, message, data: { code: 'UNAUTHENTICATED' } },
  });
  expect(answer.headers['www-authenticate']).toBe(
    `Bearer resource_metadata="${METADATA}", error="invalid_token", error_description="${message}", scope="portico:call"`,
  );
};

describe('[FD-8][FD-9] a token of the issuer', () => {
  it('makes the caller a principal: subject, tenant and scopes', async () => {
    await open();
    const answer = await server.bearer(await issuer.sign(CLAIMS));
    expect(answer).toMatchObject({
      status: 200,
      body: { tenant: 'acme', subject: 'alice', scopes: ['portico:call', 'other'] },
    });
  });

  it.each(['RS256', 'PS256', 'ES384', 'EdDSA'])('may be signed with %s', async (alg) => {
    await issuer.rotate({ alg });
    await open();
    expect((await server.bearer(await issuer.sign(CLAIMS))).status).toBe(200);
  });

  it('has its tenant in the claim that is set, else the default, else it is 403', async () => {
    await open({ JWT_TENANT_CLAIM: 'https://example.com/org' });
    const named = await issuer.sign({ ...CLAIMS, 'https://example.com/org': 'globex' });
    expect((await server.bearer(named)).body.tenant).toBe('globex');
    const refused = await server.bearer(await issuer.sign(CLAIMS));
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { code: -32000, message: 'The token names no tenant.', data: { code: 'PERMISSION_DENIED' } } },
    });
    await open({ JWT_DEFAULT_TENANT: 'house' });
    expect((await server.bearer(await issuer.sign({ ...CLAIMS, tenant: undefined }))).body.tenant).toBe('house');
  });

  it.each([7, null, '', 'a\nb', 'a\u2028b', 'a\u202eb', 'x'.repeat(257), ['acme'], { toString: 'acme' }])(
    'with a tenant that is no name (%j) is refused, default or not',
    async (tenant) => {
      await open({ JWT_DEFAULT_TENANT: 'house' });
      expect((await server.bearer(await issuer.sign({ ...CLAIMS, tenant }))).status).toBe(403);
    },
  );

  it.each(['constructor', '__proto__', 'toString'])(
    'has no tenant by a claim called %s that it lacks',
    async (claim) => {
      await open({ JWT_TENANT_CLAIM: claim });
      expect((await server.bearer(await issuer.sign(CLAIMS))).status).toBe(403);
    },
  );

  it.each([undefined, '', 7, 'a\u0000b', 'x'.repeat(257)])(
    'with a subject that is no name (%j) is refused',
    async (sub) => {
      await open();
      expectInvalidToken(await server.bearer(await issuer.sign({ ...CLAIMS, sub })), 'The token names no subject.');
    },
  );

  it.each([
    [{ scope: undefined, scp: ['portico:call', 'a'] }, ['portico:call', 'a']],
    [{ scope: undefined, scp: 'portico:call a' }, ['portico:call', 'a']],
    [{ scope: ['portico:call', 7, 'a'] }, ['portico:call', 'a']],
    [{ scope: 'portico:call', scp: ['b'] }, ['portico:call']],
    [{ scope: 'portico:call * portico:call' }, ['portico:call']],
    [{ scope: undefined }, ['portico:call', 'default']],
  ])('with %j has the scopes %j', async (claims, scopes) => {
    await open({ JWT_DEFAULT_SCOPES: 'portico:call,default' });
    expect((await server.bearer(await issuer.sign({ ...CLAIMS, ...claims }))).body.scopes).toEqual(scopes);
  });

  it('has its scopes in the claim that is set, and in no other', async () => {
    await open({ JWT_SCOPE_CLAIM: 'permissions' });
    const token = await issuer.sign({ ...CLAIMS, permissions: ['portico:call'] });
    expect((await server.bearer(token)).body.scopes).toEqual(['portico:call']);
    expect((await server.bearer(await issuer.sign(CLAIMS))).status).toBe(403);
  });

  it.each([{ scope: 'other' }, { scope: '' }, { scope: '*' }, { scope: 7 }, { scope: null }, { scope: undefined }])(
    '[FD-5] without portico:call (%j) is 403 insufficient_scope',
    async (claims) => {
      await open();
      const answer = await server.bearer(await issuer.sign({ ...CLAIMS, ...claims }));
      const message = 'The scope portico:call is needed to list and call.';
      expect(answer).toMatchObject({
        status: 403,
        body: { error: { code: -32000, message, data: { code: 'PERMISSION_DENIED' } } },
      });
      expect(answer.headers['www-authenticate']).toBe(
        `Bearer resource_metadata="${METADATA}", error="insufficient_scope", error_description="${message}", scope="portico:call"`,
      );
    },
  );
});

describe('[FD-8][FD-5] a token is refused', () => {
  beforeEach(() => open());

  it('when it has expired', async () => {
    const token = await issuer.sign({ ...CLAIMS, exp: now() - 30 });
    expectInvalidToken(await server.bearer(token), 'The token has expired.');
  });

  it('but not for clocks that are a few seconds apart', async () => {
    expect((await server.bearer(await issuer.sign({ ...CLAIMS, exp: now() - 2, nbf: now() + 2 }))).status).toBe(200);
    expect((await server.bearer(await issuer.sign({ ...CLAIMS, exp: now() - 6 }))).status).toBe(401);
    expect((await server.bearer(await issuer.sign({ ...CLAIMS, nbf: now() + 8 }))).status).toBe(401);
  });

  it('when it never expires', async () => {
    const token = await issuer.sign({ ...CLAIMS, exp: undefined });
    expectInvalidToken(await server.bearer(token), 'The token does not say when it expires.');
  });

  it('when it is not yet valid', async () => {
    const token = await issuer.sign({ ...CLAIMS, nbf: now() + 60 });
    expectInvalidToken(await server.bearer(token), 'The token is not valid yet.');
  });

  it.each(['https://other.example.com/mcp', undefined, [], `${AUDIENCE}/`])(
    'when it is for another audience (%j)',
    async (aud) => {
      const token = await issuer.sign({ ...CLAIMS, aud });
      expectInvalidToken(await server.bearer(token), 'The token is for another audience.');
    },
  );

  it.each(['https://other.example.com', undefined, 7])('when it is from another issuer (%j)', async (iss) => {
    expectInvalidToken(await server.bearer(await issuer.sign({ ...CLAIMS, iss })), 'The token is from another issuer.');
  });

  it('when its algorithm is none', async () => {
    for (const alg of ['none', 'None', 'NONE']) {
      const claims = { iss: issuer.issuer, exp: now() + 300, ...CLAIMS };
      for (const signature of ['', 'AAAA']) {
        const answer = await server.bearer(`${encoded({ alg, typ: 'JWT' })}.${encoded(claims)}.${signature}`);
        expect(answer.status).toBe(401);
        expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
      }
    }
  });

  it('when it is signed with HS256 and the public key', async () => {
    await issuer.rotate({ alg: 'RS256' });
    await open();
    const { publicKey, kid, jwk } = issuer.key;
    const signed = `${encoded({ alg: 'HS256', kid })}.${encoded({ iss: issuer.issuer, exp: now() + 300, ...CLAIMS })}`;
    const pem = await exportSPKI(publicKey);
    for (const secret of [pem, pem.trim(), `${pem}\n`, JSON.stringify(jwk), jwk.n as string]) {
      const token = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
      expectInvalidToken(await server.bearer(token), 'The algorithm of the token is not accepted.');
    }
  });

  it('when it is signed with an algorithm that is not allowed', async () => {
    await open({ JWT_ALGORITHMS: 'RS256' });
    expectInvalidToken(await server.bearer(await issuer.sign(CLAIMS)), 'The algorithm of the token is not accepted.');
  });

  it('when its key is unknown', async () => {
    const key = await newSigningKey('ES256');
    expectInvalidToken(
      await server.bearer(await issuer.sign(CLAIMS, { key })),
      'The token is signed with an unknown key.',
    );
  });

  it('when another key signed it in the name of a known one', async () => {
    const key = { ...(await newSigningKey('ES256')), kid: issuer.key.kid };
    expectInvalidToken(await server.bearer(await issuer.sign(CLAIMS, { key })), 'The signature of the token is wrong.');
  });

  it('when it brings its own key, or says where one is', async () => {
    const key = await newSigningKey('ES256');
    const asked = issuer.requests.length;
    for (const header of [
      { jwk: key.jwk, kid: undefined },
      { jku: `${issuer.issuer}/other`, kid: issuer.key.kid },
      { x5u: `${issuer.issuer}/other`, kid: issuer.key.kid },
    ]) {
      expect((await server.bearer(await issuer.sign(CLAIMS, { key, header }))).status).toBe(401);
    }
    expect(issuer.requests.slice(asked)).not.toContain('GET /other');
  });

  it('when its header demands what is not understood', async () => {
    const token = await issuer.sign(CLAIMS);
    const [, payload, signature] = token.split('.');
    const header = encoded({ alg: 'ES256', kid: issuer.key.kid, crit: ['exp'], exp: 1 });
    expect((await server.bearer(`${header}.${payload}.${signature}`)).status).toBe(401);
  });

  it('when it was changed after it was signed', async () => {
    const [header, , signature] = (await issuer.sign(CLAIMS)).split('.');
    const payload = encoded({ iss: issuer.issuer, exp: now() + 300, ...CLAIMS, tenant: 'globex' });
    expectInvalidToken(
      await server.bearer(`${header}.${payload}.${signature}`),
      'The signature of the token is wrong.',
    );
  });

  it.each(['abc', 'a.b', 'a.b.c', '..', 'a.b.c.d.e'])('when it is none at all: %s', async (token) => {
    expectInvalidToken(await server.bearer(token), 'The credential is not a token that can be verified.');
  });

  it('when it is oversized, without a look at it', async () => {
    const token = await issuer.sign({ ...CLAIMS, more: 'x'.repeat(7_000) });
    expect(token.length).toBeGreaterThan(8_192);
    expectInvalidToken(await server.bearer(token), 'The token is longer than 8 KiB.');
  });

  it('when it comes twice, whichever is good', async () => {
    const [good, bad] = [`Bearer ${await issuer.sign(CLAIMS)}`, 'Bearer abc'];
    for (const pair of [
      ['Authorization', good, 'Authorization', bad],
      ['Authorization', bad, 'authorization', good],
      ['AUTHORIZATION', good, 'Authorization', good],
    ]) {
      const answer = await server.send(pair);
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { code: -32000, data: { code: 'INVALID_ARGUMENTS' } } },
      });
      expect(answer.headers['www-authenticate']).toContain('error="invalid_request"');
    }
  });

  it.each(['Bearer', 'Bearer ', 'Bearer a b', 'Bearer a,b', 'bearer "a"'])(
    'when it is malformed: %s',
    async (value) => {
      const answer = await server.send(['Authorization', value]);
      expect(answer.status).toBe(400);
      expect(answer.headers['www-authenticate']).toContain('error="invalid_request"');
    },
  );

  it.each([[[]], [['Authorization', 'Basic YTpi']], [['Authorization', '']], [['X-Api-Key', 'abc']]])(
    'when there is none (%j): a challenge without an error',
    async (headers) => {
      const answer = await server.send(headers);
      expect(answer).toMatchObject({
        status: 401,
        body: { error: { code: -32000, data: { code: 'UNAUTHENTICATED' } } },
      });
      expect(answer.headers['www-authenticate']).toBe(`Bearer resource_metadata="${METADATA}", scope="portico:call"`);
    },
  );

  it('when it stands in the query', async () => {
    const answer = await server.send([], `/mcp?access_token=${await issuer.sign(CLAIMS)}`);
    expect(answer.status).toBe(401);
  });

  it('and nothing of it is repeated or logged', async () => {
    const tokens = [
      await issuer.sign({ ...CLAIMS, exp: now() - 60 }),
      await issuer.sign({ ...CLAIMS, aud: 'elsewhere-secret' }),
      await issuer.sign(CLAIMS, { key: await newSigningKey('ES256') }),
      await issuer.sign(CLAIMS),
      'not-a-token-secret',
    ];
    const answers = await Promise.all(tokens.map((token) => server.bearer(token)));
    const said = JSON.stringify([answers.map(({ headers, text }) => [headers, text]), server.lines]);
    for (const token of tokens) for (const part of token.split('.')) expect(said).not.toContain(part);
    expect(said).not.toContain('elsewhere-secret');
  });
});

describe('[FD-8] a token in another header', () => {
  it('is read there alone, without Bearer', async () => {
    await open({ JWT_HEADER: 'Cf-Access-Jwt-Assertion', JWT_DEFAULT_SCOPES: 'portico:call' });
    const token = await issuer.sign({ ...CLAIMS, scope: undefined });
    expect(await server.send(['cf-access-jwt-assertion', token])).toMatchObject({
      status: 200,
      body: { subject: 'alice', scopes: ['portico:call'] },
    });
    expect((await server.bearer(token)).status).toBe(401);
    expect((await server.send(['Cf-Access-Jwt-Assertion', `Bearer ${token}`])).status).toBe(400);
    const twice = ['Cf-Access-Jwt-Assertion', token, 'Cf-Access-Jwt-Assertion', token];
    expect((await server.send(twice)).status).toBe(400);
  });
});

describe('[FD-8] a verified token is remembered', () => {
  it('and the same principal is handed out at once while it is', async () => {
    const jwt = { AUTH_MODE: 'jwt', JWT_ISSUER: issuer.issuer, JWT_AUDIENCE: AUDIENCE, JWT_JWKS_URL: issuer.jwksUrl };
    const config = readAuth({ ...readSettings(authSettings, jwt), HOST: '127.0.0.1', PORTICO_HOME: '.portico' });
    const authenticator = await openAuthenticator(config, { log: createLog({ name: 'test', write: () => undefined }) });
    closers.push(() => Promise.resolve(authenticator.close()));
    const req = { rawHeaders: ['Authorization', `Bearer ${await issuer.sign(CLAIMS)}`], headers: {} };
    const ask = () => authenticator.authenticate(req as unknown as IncomingMessage);
    const [first, second] = [await ask(), ask()];
    expect(second).toBe(first);
    expect(ask()).toBe(first);
  });

  it('and needs no issuer while it is', async () => {
    await open();
    const token = await issuer.sign(CLAIMS);
    await server.bearer(token);
    issuer.health = 'down';
    for (let i = 0; i < 5; i++) expect((await server.bearer(token)).status).toBe(200);
    expect(keyFetches()).toBe(1);
  });

  it('never past its expiry', async () => {
    await open({}, { toleranceMs: 0 });
    const token = await issuer.sign({ ...CLAIMS, exp: now() + 2 });
    expect((await server.bearer(token)).status).toBe(200);
    await sleep(2_100);
    expectInvalidToken(await server.bearer(token), 'The token has expired.');
  });

  it('until the keys are rotated: then all are forgotten at once', async () => {
    await open({}, { restMs: 0, retryMs: 0 });
    const old = await issuer.sign(CLAIMS);
    expect((await server.bearer(old)).status).toBe(200);
    await issuer.rotate();
    // Remembered still: nothing has shown that there are new keys.
    expect((await server.bearer(old)).status).toBe(200);
    expect((await server.bearer(await issuer.sign(CLAIMS))).status).toBe(200);
    expectInvalidToken(await server.bearer(old), 'The token is signed with an unknown key.');
  });

  it('and goes on when the keys were rotated and its own is still among them', async () => {
    await open({}, { restMs: 0, retryMs: 0 });
    const old = await issuer.sign(CLAIMS);
    await server.bearer(old);
    await issuer.rotate({ keepOld: true });
    expect((await server.bearer(await issuer.sign(CLAIMS))).status).toBe(200);
    expect((await server.bearer(old)).status).toBe(200);
  });

  it('no longer than is said, and then verified again', async () => {
    await open({}, { rememberMs: 50, refreshMs: 20 });
    const token = await issuer.sign(CLAIMS);
    expect((await server.bearer(token)).status).toBe(200);
    await issuer.rotate();
    // Nobody sends a newer token: the key is missed all the same.
    const deadline = performance.now() + 5_000;
    while ((await server.bearer(token)).status === 200 && performance.now() < deadline) await sleep(10);
    expectInvalidToken(await server.bearer(token), 'The token is signed with an unknown key.');
  });
});

describe('[FD-8] the keys of the issuer', () => {
  it('are not fetched for every token of an unknown key', async () => {
    await open();
    await server.bearer(await issuer.sign(CLAIMS));
    const key = await newSigningKey('ES256');
    const unknown = await Promise.all(
      Array.from({ length: 50 }, (_, i) => issuer.sign(CLAIMS, { key: { ...key, kid: `unknown-${i}` } })),
    );
    const answers = await Promise.all(unknown.map((token) => server.bearer(token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(keyFetches()).toBeLessThanOrEqual(2);
  });

  it('down from the start: 503 with Retry-After, and served once they are back', async () => {
    issuer.health = 'down';
    await open({}, { restMs: 10, retryMs: 10 });
    const token = await issuer.sign(CLAIMS);
    const answer = await server.bearer(token);
    expect(answer).toMatchObject({
      status: 503,
      body: { error: { code: -32000, data: { code: 'BACKEND_UNAVAILABLE' } } },
    });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(answer.headers['www-authenticate']).toBeUndefined();
    issuer.health = 'up';
    await sleep(50);
    expect((await server.bearer(token)).status).toBe(200);
    const told = server.lines.filter((line) => line.includes('issuer-keys.fetch-failed'));
    expect(told).toHaveLength(1);
    expect(JSON.parse(told[0]!)).toMatchObject({ setting: 'JWT_JWKS_URL', reason: expect.any(String) });
    expect(told[0]).not.toMatch(/stack|file:|127\.0\.0\.1/);
  });

  it('down later: those fetched before go on, and a key that is not among them is 503', async () => {
    await open({}, { rememberMs: 0, refreshMs: 10, restMs: 10, retryMs: 10 });
    const token = await issuer.sign(CLAIMS);
    expect((await server.bearer(token)).status).toBe(200);
    issuer.health = 'down';
    await sleep(100);
    expect((await server.bearer(token)).status).toBe(200);
    expect((await server.bearer(await issuer.sign({ ...CLAIMS, exp: now() - 30 }))).status).toBe(401);
    await issuer.rotate();
    expect((await server.bearer(await issuer.sign(CLAIMS))).status).toBe(503);
  });

  it('are not used for ever when they can not be fetched again', async () => {
    await open({}, { rememberMs: 0, keepMs: 200, refreshMs: 10, retryMs: 10 });
    const token = await issuer.sign(CLAIMS);
    expect((await server.bearer(token)).status).toBe(200);
    issuer.health = 'down';
    const deadline = performance.now() + 5_000;
    while ((await server.bearer(token)).status === 200 && performance.now() < deadline) await sleep(10);
    expect((await server.bearer(token)).status).toBe(503);
  });

  it('slow: nobody waits longer than for one attempt', async () => {
    issuer.health = 'slow';
    await open({}, { timeoutMs: 100 });
    const tokens = await Promise.all([1, 2, 3].map(() => issuer.sign(CLAIMS)));
    const answers = await Promise.all(tokens.map((token) => server.bearer(token)));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(keyFetches()).toBe(1);
  });

  it.each<[string, NonNullable<TokenIssuer['answer']>]>([
    ['another status', (res) => void res.writeHead(500).end('{"keys":[]}')],
    ['no JSON', (res) => void res.end('<html>')],
    ['no key set', (res) => void res.end('{"keys":"none"}')],
    ['a redirect', (res) => void res.writeHead(302, { location: '/moved' }).end()],
    ['too much', (res) => void res.end(JSON.stringify({ keys: [], more: 'x'.repeat(300_000) }))],
  ])('answered with %s are none', async (_what, answer) => {
    issuer.answer = answer;
    await open();
    expect((await server.bearer(await issuer.sign(CLAIMS))).status).toBe(503);
  });

  it('that are broken later leave those fetched before', async () => {
    await open({}, { rememberMs: 0, refreshMs: 10, retryMs: 10 });
    const token = await issuer.sign(CLAIMS);
    expect((await server.bearer(token)).status).toBe(200);
    issuer.answer = (res) => void res.end('{"keys":7}');
    await sleep(100);
    expect((await server.bearer(token)).status).toBe(200);
  });
});

describe('[FD-5][FD-8] a flood of tokens that nobody has seen yet', () => {
  const bogus = (n: number, kid: string): string =>
    `${encoded({ alg: 'ES256', kid })}.${encoded({ iss: issuer.issuer, sub: `s-${n}` })}.${'A'.repeat(86)}`;

  it('is verified so many at once; beyond, 503 with Retry-After, while one that is remembered passes untouched', async () => {
    const jwt = { AUTH_MODE: 'jwt', JWT_ISSUER: issuer.issuer, JWT_AUDIENCE: AUDIENCE, JWT_JWKS_URL: issuer.jwksUrl };
    const config = readAuth({ ...readSettings(authSettings, jwt), HOST: '127.0.0.1', PORTICO_HOME: '.portico' });
    const authenticator = await openAuthenticator(config, { log: createLog({ name: 'test', write: () => undefined }) });
    closers.push(() => Promise.resolve(authenticator.close()));
    const ask = (token: string) => {
      const req = { rawHeaders: ['Authorization', `Bearer ${token}`], headers: {} };
      return authenticator.authenticate(req as unknown as IncomingMessage);
    };
    const [known, fresh] = [await issuer.sign(CLAIMS), await issuer.sign({ ...CLAIMS, sub: 'bob' })];
    const principal = await ask(known);
    const answers = Array.from({ length: 5_000 }, (_, n) => ask(bogus(n, issuer.key.kid)));
    expect(ask(known)).toBe(principal);
    const busy = answers.filter((answer) => !(answer instanceof Promise));
    expect(answers.length - busy.length).toBe(256);
    for (const refusal of busy)
      expect(refusal).toMatchObject({
        status: 503,
        code: -32000,
        faultCode: 'BACKEND_UNAVAILABLE',
        retryAfterMs: 1_000,
      });
    expect(ask(fresh)).toMatchObject({ status: 503 });
    for (const refusal of await Promise.all(answers.filter((answer) => answer instanceof Promise)))
      expect(refusal).toMatchObject({ status: 401 });
    expect(await ask(fresh)).toMatchObject({ subject: 'bob' });
  });

  it('of unknown keys waits in a small number, and leaves room for new ones of a known key', async () => {
    await open({}, { restMs: 0, retryMs: 0, timeoutMs: 3_000 });
    expect((await server.bearer(await issuer.sign(CLAIMS))).status).toBe(200);
    const fresh = await issuer.sign({ ...CLAIMS, sub: 'bob' });
    issuer.health = 'slow';
    let waiting = 400;
    const flood = Array.from({ length: 400 }, async (_, n) => {
      const answer = await server.bearer(bogus(n, `unknown-${n}`));
      waiting -= 1;
      return answer;
    });
    for (const end = performance.now() + 20_000; waiting > 128 && performance.now() < end;) await sleep(5);
    expect(waiting).toBe(128);
    expect((await server.bearer(fresh)).status).toBe(200);
    const answers = await Promise.all(flood);
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 503,
        body: { jsonrpc: '2.0', error: { code: -32000, data: { code: 'BACKEND_UNAVAILABLE' } } },
      });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
  });
});
