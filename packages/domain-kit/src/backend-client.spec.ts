import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Fault } from '@portico/contracts';
import type { CallContext } from '@portico/contracts';
import { z } from 'zod';
import { BackendClient, BackendReader } from './backend-client.js';
import type { BackendSettings } from './backend-link.js';
import type { CallScope } from './call-scope.js';
import { credentialFrom } from './credential.js';
import { path } from './path-segment.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const logged: unknown[][] = [];
const log = {
  info() {},
  warn: (...line: unknown[]) => void logged.push(line),
  error: (...line: unknown[]) => void logged.push(line),
};

describe('the backend client', () => {
  let server: Server;
  let baseUrl: string;
  let answer: Answer;
  const requests: { line: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const clients: { close(): Promise<void> }[] = [];
  const client = (more: Partial<BackendSettings> = {}): BackendClient => {
    const made = new BackendClient({ name: 'The backend', baseUrl, log, ...more });
    clients.push(made);
    return made;
  };
  const scope = (more: Partial<CallScope> = {}): CallScope => ({
    signal: new AbortController().signal,
    context: undefined,
    remainingMs: () => 10_000,
    progress() {},
    log,
    ...more,
  });
  const status =
    (code: number, body = '', headers: Record<string, string> = {}): Answer =>
    (_request, response) =>
      void response.writeHead(code, headers).end(body);
  const fault = (asked: Promise<unknown>): Promise<Fault> =>
    asked.then(
      () => Promise.reject(new Error('it did not fail')),
      (error: Fault) => error,
    );

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        requests.push({
          line: `${request.method} ${request.url}`,
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
        });
        answer(request, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`;
  });
  beforeEach(() => {
    requests.length = 0;
    logged.length = 0;
    answer = status(200, '{"a":1,"more":2}');
  });
  afterAll(async () => {
    await Promise.all(clients.map((each) => each.close()));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('[AD-3][FD-18] reads JSON of the shape that is used, under the base path, with the query and the context', async () => {
    const context: CallContext = {
      correlationId: 'c-1',
      taskId: 't-1',
      leaseRef: 'l-1',
      leaseFence: 7,
      principal: { tenant: 't', subject: 's' },
    };
    const got = await client().get({
      path: path`/runs/${'a b'}`,
      query: { q: 'x&y', n: 2, none: undefined },
      scope: scope({ context }),
    });
    expect(got.json(z.looseObject({ a: z.number() })).a).toBe(1);
    expect(requests[0]?.line).toBe('GET /base/runs/a%20b?q=x%26y&n=2');
    expect(requests[0]?.headers).toMatchObject({
      'x-correlation-id': 'c-1',
      'x-task-id': 't-1',
      'x-lease-ref': 'l-1',
      'x-lease-fence': '7',
    });
    expect(requests[0]?.headers).not.toHaveProperty('x-agent-id');
    expect(JSON.stringify(requests[0]?.headers)).not.toContain('tenant');
  });

  it('[AD-3] sends JSON by the method that is asked', async () => {
    await client().send({ method: 'PATCH', path: '/x', json: { b: 1 }, scope: scope() });
    expect(requests).toMatchObject([
      { line: 'PATCH /base/x', body: '{"b":1}', headers: { 'content-type': 'application/json' } },
    ]);
  });

  it.each(['/a/../b', '/%2e%2e/b', '/a?b', '/a#b', '/a\\b', 'a', '/a\nb', '//evil.example/x/..'])(
    '[AD-2] sends no path like %j, which is not the one that it seems',
    async (asked) => {
      expect(await fault(client().get({ path: asked, scope: scope() }))).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        executed: 'no',
      });
      expect(requests).toEqual([]);
    },
  );

  it.each([
    [400, 'INVALID_ARGUMENTS', 'no'],
    [401, 'UNAUTHENTICATED', 'no'],
    [403, 'PERMISSION_DENIED', 'no'],
    [404, 'NOT_FOUND', 'no'],
    [409, 'CONFLICT', 'no'],
    [418, 'UNKNOWN_ERROR', 'unknown'],
    [422, 'INVALID_ARGUMENTS', 'no'],
    [429, 'RATE_LIMITED', 'no'],
    [500, 'UNKNOWN_ERROR', 'unknown'],
    [502, 'BACKEND_UNAVAILABLE', 'unknown'],
    [503, 'BACKEND_UNAVAILABLE', 'unknown'],
    [504, 'BACKEND_UNAVAILABLE', 'unknown'],
  ])('[AD-4] status %i is %s, executed %s, and its text stays inside', async (code, expected, executed) => {
    answer = status(code, 'at /srv/app/db.js: password=hunter2');
    const got = await fault(client().send({ method: 'POST', path: '/x', scope: scope() }));
    expect(got).toMatchObject({ code: expected, executed });
    expect(got.message).toMatch(/^The backend /);
    expect(got.message).not.toMatch(/hunter2|srv|127\.0\.0\.1/);
    expect(requests).toHaveLength(1);
  });

  it("[AD-4] tells the operator, and nobody else, that the gateway's own credential is refused", async () => {
    answer = status(401);
    await fault(client({ credential: credentialFrom({ value: 's3cret' }) }).get({ path: '/x', scope: scope() }));
    expect(logged).toEqual([['backend.credential-refused', { backend: 'The backend' }]]);
    expect(requests[0]?.headers.authorization).toBe('Bearer s3cret');
  });

  it.each([
    ['7', 7_000],
    ['0', 0],
    ['999999999', 86_400_000],
    [new Date(Date.now() + 60_000).toUTCString(), 60_000],
    [new Date(Date.now() - 60_000).toUTCString(), 0],
    ['soon', undefined],
    ['-5', undefined],
    ['1e9', undefined],
  ])('[AD-4] 429 with Retry-After %j waits %s ms', async (header, wait) => {
    answer = status(429, '', { 'retry-after': header });
    const { retryAfterMs } = await fault(client().get({ path: '/x', scope: scope() }));
    if (wait === undefined) expect(retryAfterMs).toBeUndefined();
    else expect(Math.abs(retryAfterMs! - wait)).toBeLessThan(2_000);
    expect(requests).toHaveLength(1);
  });

  it('[AD-4] lets the adapter word an error, within bounds', async () => {
    answer = status(409, JSON.stringify({ message: 'x'.repeat(2_000) }));
    const explaining = client({
      explain: (code, body) => (code === 409 ? (JSON.parse(body) as { message: string }).message : undefined),
    });
    expect((await fault(explaining.get({ path: '/x', scope: scope() }))).message).toBe('x'.repeat(500));
  });

  it('[AD-4] lets the adapter say what an error means where its status does not', async () => {
    const judging = client({
      faultOf: (code, headers, body) =>
        code !== 403
          ? undefined
          : body === 'key'
            ? new Fault('UNAUTHENTICATED', 'The key is not accepted.')
            : new Fault('BACKEND_UNAVAILABLE', 'Later.', { retryAfterMs: Number(headers['x-wait']) }),
    });
    const get = () => fault(judging.get({ path: '/x', scope: scope() }));
    answer = status(403, 'key');
    expect(await get()).toMatchObject({ code: 'UNAUTHENTICATED', message: 'The key is not accepted.' });
    expect(logged).toEqual([['backend.credential-refused', { backend: 'The backend' }]]);
    requests.length = 0;
    answer = status(403, '', { 'x-wait': '1' });
    expect(await get()).toMatchObject({ code: 'BACKEND_UNAVAILABLE', retryAfterMs: 1 });
    expect(requests).toHaveLength(2);
    answer = status(404);
    expect(await get()).toMatchObject({ code: 'NOT_FOUND', message: 'The backend has no such thing.' });
  });

  it('[AD-3] follows no redirect', async () => {
    answer = status(302, '', { location: 'http://127.0.0.1:1/elsewhere' });
    expect(await fault(client().get({ path: '/x', scope: scope() }))).toMatchObject({ code: 'UNKNOWN_ERROR' });
    answer = status(307, '', { location: '/base/other' });
    await fault(client().send({ method: 'POST', path: '/x', scope: scope() }));
    expect(requests.map(({ line }) => line)).toEqual(['GET /base/x', 'POST /base/x']);
  });

  it('[AD-3] takes at most what it is told to of an answer', async () => {
    const limited = client({ answerLimitBytes: 1_000 });
    answer = status(200, 'x'.repeat(1_000));
    expect((await limited.get({ path: '/x', scope: scope() })).text()).toHaveLength(1_000);
    let closed: Promise<void> | undefined;
    answer = (_request, response) => {
      closed = new Promise((resolve) => response.on('close', resolve));
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000))) continue;
      };
      response.on('drain', more);
      more();
    };
    expect(await fault(limited.get({ path: '/x', scope: scope() }))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    await closed;
  });

  it('[AD-3] takes 8 MiB and no more unless told otherwise', async () => {
    answer = status(200, Buffer.alloc(8 * 1024 * 1024, 'x').toString());
    expect((await client().get({ path: '/x', scope: scope() })).body).toHaveLength(8 * 1024 * 1024);
    answer = status(200, Buffer.alloc(8 * 1024 * 1024 + 1, 'x').toString());
    expect(await fault(client().get({ path: '/x', scope: scope() }))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it.each(['not json', '{"a":"x"}', '[]', ''])('[AD-4] takes %j for no answer', async (body) => {
    answer = status(200, body);
    const got = await client().get({ path: '/x', scope: scope() });
    expect(() => got.json(z.looseObject({ a: z.number() }))).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_ERROR', executed: 'yes' }),
    );
  });

  describe('[AD-3] asks again', () => {
    it('a GET once after 503, and never what is not a GET', async () => {
      answer = (...given) => (requests.length === 1 ? status(503) : status(200, '{}'))(...given);
      expect((await client().get({ path: '/x', scope: scope() })).status).toBe(200);
      requests.length = 0;
      answer = status(503);
      await fault(client().get({ path: '/x', scope: scope() }));
      expect(requests).toHaveLength(2);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        requests.length = 0;
        await fault(client().send({ method, path: '/x', json: {}, scope: scope() }));
        expect(requests).toHaveLength(1);
      }
    });

    it('a GET once after a lost connection, and never what is not a GET', async () => {
      const cut: Answer = (request) => void request.socket.destroy();
      answer = (...given) => (requests.length === 1 ? cut : status(200, '{}'))(...given);
      expect((await client().get({ path: '/x', scope: scope() })).status).toBe(200);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        requests.length = 0;
        answer = cut;
        expect(await fault(client().send({ method, path: '/x', scope: scope() }))).toMatchObject({
          code: 'BACKEND_UNAVAILABLE',
          executed: 'unknown',
        });
        expect(requests).toHaveLength(1);
      }
    });

    it('not when the wait asked for is beyond the deadline, nor after 502, 504 or 500', async () => {
      answer = status(503, '', { 'retry-after': '60' });
      expect(await fault(client().get({ path: '/x', scope: scope() }))).toMatchObject({
        code: 'BACKEND_UNAVAILABLE',
        retryAfterMs: 60_000,
      });
      for (const code of [502, 504, 500]) {
        answer = status(code);
        await fault(client().get({ path: '/x', scope: scope() }));
      }
      expect(requests).toHaveLength(4);
    });
  });

  it('[AD-4] says of a backend that is not there that nothing was executed, and not where it is', async () => {
    const nobody = createServer();
    await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
    const { port } = nobody.address() as AddressInfo;
    await new Promise((resolve) => nobody.close(resolve));
    const got = await fault(
      client({ baseUrl: `http://127.0.0.1:${port}` }).send({ method: 'POST', path: '/x', scope: scope() }),
    );
    expect(got).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
      message: 'The backend could not be reached.',
    });
  });

  it('[AD-3][AD-4] ends a request at its own limit or the deadline, whichever is first, as TIMEOUT', async () => {
    answer = () => {};
    expect(await fault(client({ timeoutMs: 30 }).get({ path: '/x', scope: scope() }))).toMatchObject({
      code: 'TIMEOUT',
      executed: 'unknown',
    });
    expect(await fault(client().get({ path: '/x', scope: scope({ remainingMs: () => 30 }) }))).toMatchObject({
      code: 'TIMEOUT',
    });
    answer = (_request, response) => void response.write('a');
    expect(await fault(client({ timeoutMs: 30 }).get({ path: '/x', scope: scope() }))).toMatchObject({
      code: 'TIMEOUT',
    });
  });

  it('[AD-3] ends a request with its signal, at the backend too', async () => {
    const ending = new AbortController();
    const closed = new Promise((resolve) => {
      answer = (_request, response) => {
        response.on('close', resolve);
        ending.abort();
      };
    });
    expect(await fault(client().get({ path: '/x', scope: scope({ signal: ending.signal }) }))).toMatchObject({
      code: 'CANCELLED',
    });
    await closed;
    requests.length = 0;
    expect(
      await fault(client().send({ method: 'POST', path: '/x', scope: scope({ signal: ending.signal }) })),
    ).toMatchObject({
      code: 'CANCELLED',
      executed: 'no',
    });
    expect(requests).toEqual([]);
  });

  describe('[AD-3] a credential', () => {
    let folder: string;
    beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'portico-credential-'))));
    afterAll(() => rm(folder, { recursive: true }));

    it('comes from the file before the value, and is read again when the file changes', async () => {
      const file = join(folder, 'token');
      await writeFile(file, 'first\n');
      const reading = client({
        credential: credentialFrom({ file, value: 'fixed' }, log),
        authorize: (secret) => ({ 'x-api-key': secret }),
      });
      const used = async () => {
        await reading.get({ path: '/x', scope: scope() });
        return requests.at(-1)?.headers['x-api-key'];
      };
      expect(await used()).toBe('first');
      await writeFile(join(folder, 'next'), 'second');
      await rename(join(folder, 'next'), file);
      expect(await used()).toBe('second');
      await rm(file);
      expect(await used()).toBe('second');
      expect(logged.at(-1)).toEqual(['backend.credential-unreadable', { reason: 'ENOENT' }]);
      for (const unusable of ['a\nb', '', 'tök€n', 'x'.repeat(20_000)]) {
        await writeFile(file, unusable);
        expect(await used()).toBe('second');
      }
      expect(JSON.stringify(logged)).not.toMatch(/first|second|portico-credential/);
    });

    it.each([
      ['folder', 'NO_FILE', (at: string) => mkdir(at)],
      ['pipe', 'NO_FILE', (at: string) => Promise.resolve(execFileSync('mkfifo', [at]))],
    ])('that has become a %s stays what it was, told once, and keeps nobody waiting', async (kind, reason, make) => {
      const file = join(folder, kind);
      await writeFile(file, 'kept');
      const reading = client({ credential: credentialFrom({ file }, log) });
      await reading.get({ path: '/x', scope: scope() });
      await rm(file);
      await make(file);
      for (let time = 0; time < 3; time++) await reading.get({ path: '/x', scope: scope() });
      expect(requests.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill('Bearer kept'));
      expect(logged).toEqual([['backend.credential-unreadable', { reason: reason }]]);
    });

    it('is in nothing that the backend complains of', async () => {
      const explaining = client({
        credential: credentialFrom({ value: 'the-secret' }, log),
        explain: (_status, body) => body,
      });
      answer = status(400, 'the-secret is no number, the-secret');
      expect(await fault(explaining.get({ path: '/x', scope: scope() }))).toMatchObject({
        message: '[secret] is no number, [secret]',
      });
    });

    it.each([{ file: '/nowhere/token' }, { value: '' }, { value: 'a\r\nx: y' }, {}])(
      '%j is none, and nothing is sent',
      async (from) => {
        const got = await fault(client({ credential: credentialFrom(from, log) }).get({ path: '/x', scope: scope() }));
        expect(got).toMatchObject({ code: 'UNAUTHENTICATED', executed: 'no' });
        expect(got.message).not.toContain('nowhere');
        expect(requests).toEqual([]);
      },
    );
  });

  it.each([
    'http://example.com',
    'http://10.0.0.1',
    'http://169.254.169.254',
    'http://svc.example.com',
    'http://kube.svc.example.com',
    'http://[fd00::1]',
    'ftp://example.com',
    'https://user:password@example.com',
    'https://example.com/#x',
    'nothing',
  ])('[AD-3] is not made for %s', (address) => {
    expect(() => client({ baseUrl: address })).toThrow(/^The address of "The backend" cannot be used: (?!.*password@)/);
  });

  it.each([
    'https://example.com/x',
    'https://10.0.0.1',
    'http://localhost:1',
    'http://127.8.8.8',
    'http://[::1]:9',
    'http://dispatcher:8080',
    'http://dispatcher.ci.svc',
    'http://dispatcher.ci.svc.cluster.local',
  ])('[AD-3] is made for %s', (address) => {
    expect(() => client({ baseUrl: address })).not.toThrow();
  });

  it('[AD-3] has a reader that has no way to send', async () => {
    const reader = new BackendReader({ name: 'The backend', baseUrl });
    clients.push(reader);
    expect(Object.getOwnPropertyNames(BackendReader.prototype).sort()).toEqual(['close', 'constructor', 'get']);
    expect(Object.keys(reader)).toEqual([]);
    await reader.get({ path: '/x', scope: scope(), method: 'POST', json: {}, body: 'x' } as never);
    expect(requests).toMatchObject([{ line: 'GET /base/x', body: '' }]);
  });
});
