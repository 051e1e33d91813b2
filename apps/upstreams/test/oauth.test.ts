import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { callTool } from '@portico/contracts';
import { startModernHttpServer } from '@portico/testkit';
import type { ModernHttpScript, ModernHttpServer } from '@portico/testkit';
import { startAuthorizationServer } from './authorization-server.js';
import type { AuthorizationServer } from './authorization-server.js';
import { opened } from './opened.js';
import { runUpstreams } from './running.js';
import type { Running } from './running.js';

const SECRET = 's3cret:with/odd+characters';
const { keep } = opened();

interface Setting {
  readonly issuer: AuthorizationServer;
  readonly server: ModernHttpServer;
  readonly running: Running;
}

async function set(
  oauth: (issuer: AuthorizationServer) => Record<string, unknown>,
  { accepts, ...script }: ModernHttpScript = {},
): Promise<Setting> {
  const issuer = keep(await startAuthorizationServer());
  const server = keep(
    await startModernHttpServer({ ...script, accepts: accepts ?? (() => `Bearer ${issuer.tokens.at(-1)}`) }),
  );
  const entry = {
    url: server.url,
    allowPrivate: true,
    oauth: { clientId: 'gate way', clientSecret: '${env:OAUTH_SECRET}', ...oauth(issuer) },
  };
  const running = keep(await runUpstreams({ a: entry }, { OAUTH_SECRET: SECRET }));
  return { issuer, server, running };
}

const called = ({ server }: Setting): unknown[] =>
  server.requests
    .filter(({ message }) => message.method === 'tools/call')
    .map(({ headers }) => headers['authorization']);
const faultOf = (promise: Promise<unknown>): Promise<Record<string, unknown>> =>
  promise.then(
    (value) => Promise.reject(new Error(`expected a fault, got ${JSON.stringify(value)}`)),
    (error: unknown) => error as Record<string, unknown>,
  );

describe('[UP-10] OAuth client credentials', () => {
  it('are exchanged for a token once, by one of all who come at the same time, which all use', async () => {
    const setting = await set(({ tokenUrl }) => ({ tokenUrl, scope: 'tools read' }));
    const { issuer, running } = setting;
    const results = await Promise.all(Array.from({ length: 30 }, (_, n) => running.call('upstream.a', 'echo', { n })));
    expect(results).toHaveLength(30);
    expect(issuer.tokens).toEqual(['token-1']);
    expect(new Set(called(setting))).toEqual(new Set(['Bearer token-1']));
    const [{ authorization, form }] = issuer.requests as [AuthorizationServer['requests'][0]];
    expect(Object.fromEntries(form)).toEqual({
      grant_type: 'client_credentials',
      scope: 'tools read',
      resource: setting.server.url,
    });
    const [id, secret] = Buffer.from(authorization!.replace('Basic ', ''), 'base64').toString().split(':');
    expect([id, decodeURIComponent(secret!)]).toEqual(['gate+way', SECRET]);
  });

  it('give a new token before the old one ends, by its own word', async () => {
    const setting = await set(({ tokenUrl }) => ({ tokenUrl }));
    setting.issuer.expiresIn = 2;
    await setting.running.call('upstream.a', 'echo');
    // A tenth of its life is left.
    await delay(1_850);
    await Promise.all([1, 2, 3].map(() => setting.running.call('upstream.a', 'echo')));
    expect(setting.issuer.tokens).toEqual(['token-1', 'token-2']);
    expect(new Set(called(setting))).toEqual(new Set(['Bearer token-1', 'Bearer token-2']));
  });

  it('[FD-24] are renewed once by one caller when the server refuses the token, and each refused call is sent once more', async () => {
    let valid = 1;
    const setting = await set(({ tokenUrl }) => ({ tokenUrl }), { accepts: () => `Bearer token-${valid}` });
    await setting.running.call('upstream.a', 'echo');
    await delay(1_100);
    valid = 2;
    const before = setting.server.executions;
    await Promise.all(Array.from({ length: 10 }, () => setting.running.call('upstream.a', 'echo')));
    expect(setting.issuer.tokens).toEqual(['token-1', 'token-2']);
    expect(setting.server.executions - before).toBe(10);
  });

  it('refused with a new token too are UNAUTHENTICATED, nothing executed, and no token is asked for in vain', async () => {
    let valid = 'token-1';
    const setting = await set(({ tokenUrl }) => ({ tokenUrl }), { accepts: () => `Bearer ${valid}` });
    await setting.running.call('upstream.a', 'echo');
    await delay(1_100);
    valid = 'none';
    const executed = setting.server.executions;
    const fault = await faultOf(setting.running.call('upstream.a', 'echo'));
    expect(fault).toMatchObject({ code: 'UNAUTHENTICATED', executed: 'no' });
    expect(setting.issuer.tokens).toEqual(['token-1', 'token-2']);
    expect(setting.server.executions).toBe(executed);
  });

  it.each([
    [400, { error: 'invalid_client' }, 'UNAUTHENTICATED'],
    [401, { error: 'invalid_client', error_description: SECRET }, 'UNAUTHENTICATED'],
    [500, {}, 'BACKEND_UNAVAILABLE'],
    [429, {}, 'BACKEND_UNAVAILABLE'],
    [200, { access_token: 'two\r\nlines', token_type: 'Bearer' }, 'BACKEND_UNAVAILABLE'],
    [200, { access_token: 'mac', token_type: 'mac' }, 'BACKEND_UNAVAILABLE'],
    [200, 'no object', 'BACKEND_UNAVAILABLE'],
    [302, {}, 'BACKEND_UNAVAILABLE'],
  ] as const)('answered %i %j are %s; no secret is told, and the next call asks again', async (status, body, code) => {
    const setting = await set(({ tokenUrl }) => ({ tokenUrl }));
    setting.issuer.answer = (response) =>
      void response.writeHead(status, { location: setting.server.url }).end(JSON.stringify(body));
    const fault = await faultOf(setting.running.call('upstream.a', 'echo'));
    expect(fault).toMatchObject({ code, executed: 'no' });
    expect(String(fault['message'])).not.toMatch(/s3cret|127\.0\.0\.1|token-|invalid/);
    expect(setting.server.requests).toEqual([]);
    setting.issuer.answer = undefined;
    expect(await setting.running.call('upstream.a', 'echo', { a: 1 })).toMatchObject({ structuredContent: { a: 1 } });
  });

  it('[UP-11] whose answer is endless are given up', async () => {
    const setting = await set(({ tokenUrl }) => ({ tokenUrl }));
    setting.issuer.answer = (response) => {
      response.on('error', () => {});
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    expect(await faultOf(setting.running.call('upstream.a', 'echo'))).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });

  it('are taken where the metadata of the server and of its authorization server lead', async () => {
    const resource: Record<string, unknown> = {};
    const setting = await set(() => ({}), { metadata: resource });
    resource['/.well-known/oauth-protected-resource/mcp'] = {
      resource: setting.server.url,
      authorization_servers: [setting.issuer.issuer],
    };
    setting.issuer.metadata['token_endpoint_auth_methods_supported'] = ['client_secret_post'];
    await setting.running.call('upstream.a', 'echo');
    const [metadata, token] = setting.issuer.requests;
    expect(metadata?.line).toBe('GET /.well-known/oauth-authorization-server');
    expect(token?.authorization).toBeUndefined();
    expect(token?.form.get('client_secret')).toBe(SECRET);
  });

  it.each([
    ['another issuer', { issuer: 'https://other.example' }],
    ['an address that is none', { token_endpoint: 'file:///etc/passwd' }],
    ['an address with a password', { token_endpoint: 'https://a:b@c.example/token' }],
    ['no endpoint', { token_endpoint: undefined }],
  ])('[UP-11] are told to nobody when the metadata names %s', async (_, changed) => {
    const resource: Record<string, unknown> = {};
    const setting = await set(() => ({}), { metadata: resource });
    resource['/.well-known/oauth-protected-resource'] = {
      resource: setting.server.url,
      authorization_servers: [setting.issuer.issuer],
    };
    Object.assign(setting.issuer.metadata, changed);
    expect(await faultOf(setting.running.call('upstream.a', 'echo'))).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(setting.issuer.requests.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
  });

  it('[UP-11] are told to nobody when the metadata is of another resource', async () => {
    const resource: Record<string, unknown> = {};
    const setting = await set(() => ({}), { metadata: resource });
    resource['/.well-known/oauth-protected-resource'] = {
      resource: 'https://other.example/mcp',
      authorization_servers: [setting.issuer.issuer],
    };
    expect(await faultOf(setting.running.call('upstream.a', 'echo'))).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(setting.issuer.requests).toEqual([]);
  });

  it('leave no caller waiting for longer than he wants to, and take nobody along', async () => {
    const setting = await set(({ tokenUrl }) => ({ tokenUrl }));
    let answer: (() => void) | undefined;
    setting.issuer.answer = (response) =>
      void (answer = () => response.writeHead(200).end(JSON.stringify({ access_token: 'late', token_type: 'bearer' })));
    const request = { tool: 'echo', arguments: {} };
    const leaving = faultOf(setting.running.bus.ask(callTool('upstream.a'), request, { deadlineMs: 200 }));
    const staying = faultOf(setting.running.call('upstream.a', 'echo'));
    expect(await leaving).toMatchObject({ code: 'TIMEOUT' });
    answer!();
    // The token is not the one this server takes: it was used.
    expect(await staying).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(setting.server.requests.map(({ headers }) => headers['authorization'])).toContain('Bearer late');
  });
});
