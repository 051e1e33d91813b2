import { afterEach, beforeAll, afterAll, describe, expect, it } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Subscription, memoryBus } from '@portico/bus';
import { ENTRY_ERRORS, Fault, FAULT_CODES, serverCalls } from '@portico/contracts';
import type { ServerState } from '@portico/contracts';
import { readConfig, startFrontDoor } from '@portico/front-door';
import { createLog } from '@portico/observe';
import { type AdminReply, admin, rawAdmin } from './admin-client.js';

const STATE: ServerState = {
  name: 'search',
  transport: 'http',
  source: 'api',
  enabled: true,
  state: 'connected',
  era: 'modern',
  protocolVersion: '2026-07-28',
  tools: 3,
  hiddenTools: [],
  error: null,
  since: '2026-11-30T00:00:00.000Z',
  stderr: [],
};

/** A front door alone: each test serves what it asks for. */
async function openAlone() {
  const home = mkdtempSync(join(tmpdir(), 'portico-admin-'));
  const lines: string[] = [];
  const log = createLog({ name: 'test', format: 'json', level: 'debug', write: (line) => void lines.push(line) });
  const bus = memoryBus({ log });
  const env = { PORT: '0', ADMIN_PORT: '0', PORTICO_HOME: home, BODY_LIMIT_BYTES: '4096' };
  const running = await startFrontDoor(bus, readConfig(env), log);
  return {
    bus,
    lines,
    url: running.url,
    adminUrl: running.adminUrl,
    adminToken: readFileSync(join(home, 'admin-token'), 'utf8').trim(),
    stop: () => running.close(),
    async close() {
      await running.close();
      await bus.close();
      rmSync(home, { recursive: true });
    },
  };
}

let door: Awaited<ReturnType<typeof openAlone>>;
let served: Subscription[] = [];
beforeAll(async () => {
  door = await openAlone();
});
afterAll(() => door.close());
afterEach(async () => {
  await Promise.all(served.map((one) => one.close()));
  served = [];
});

const { list: _, catalog: __, ...changes } = serverCalls;
const CHANGES = Object.values(changes);

/** Every change is answered alike; what was asked is kept, in order. */
async function serveChanges(): Promise<[string, unknown][]> {
  const asked: [string, unknown][] = [];
  for (const call of CHANGES) {
    served.push(
      await door.bus.serve(call, (request) => {
        asked.push([call.subject, request]);
        return Promise.resolve({ ok: true, server: STATE });
      }),
    );
  }
  return asked;
}

const POSTS: [string, object][] = [
  ['/api/mcp/save', { name: 'search', entry: { url: 'https://search.example/mcp' } }],
  ['/api/mcp/delete', { name: 'search' }],
  ['/api/mcp/toggle', { name: 'search', enabled: false }],
  ['/api/mcp/tool', { name: 'search', tool: 'find', hidden: true }],
  ['/api/mcp/test', { name: 'search' }],
  ['/api/mcp/prewarm', {}],
];
const GETS = ['/api/mcp', '/api/mcp/catalog'];
const ROUTES: [string, string, object | undefined][] = [
  ...GETS.map((path): [string, string, undefined] => ['GET', path, undefined]),
  ...POSTS.map(([path, body]): [string, string, object] => ['POST', path, body]),
];

const expectRefused = ({ status, body, headers }: AdminReply, wanted: number, code: string, field?: string): void => {
  expect([status, body]).toEqual([
    wanted,
    { ok: false, error: { code, ...(field !== undefined && { field }), message: expect.any(String) } },
  ]);
  expect(headers['content-type']).toBe('application/json');
  expect(headers['cache-control']).toBe('no-store');
};

describe('[UP-2] what the admin routes ask, and answer', () => {
  it('GET /api/mcp gives the state of each server, and what is wrong with the file', async () => {
    const reply = { servers: [STATE], fileError: 'mcp.json: it is not JSON' };
    served.push(await door.bus.serve(serverCalls.list, () => Promise.resolve(reply)));
    const { status, body, headers } = await admin(door, 'GET', '/api/mcp?any=thing');
    expect([status, body]).toEqual([200, reply]);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  });

  it('GET /api/mcp/catalog gives the servers that are known', async () => {
    const reply = {
      servers: [
        {
          name: 'everything',
          title: 'Everything',
          description: 'Each feature of the protocol once.',
          entry: { command: 'npx', args: ['-y', 'x'] },
          needs: [{ name: 'TOKEN', description: 'from the settings page' }],
          configured: false,
          launcher: 'present' as const,
        },
      ],
    };
    served.push(await door.bus.serve(serverCalls.catalog, () => Promise.resolve(reply)));
    expect(await admin(door, 'GET', '/api/mcp/catalog')).toMatchObject({ status: 200, body: reply });
  });

  it.each(POSTS)('POST %s asks with its body, and answers with the server', async (path, body) => {
    const asked = await serveChanges();
    expect(await admin(door, 'POST', path, { body })).toMatchObject({ status: 200, body: { ok: true, server: STATE } });
    expect(asked).toEqual([[`upstreams.${path.slice('/api/mcp/'.length)}`, body]]);
  });

  it.each(ENTRY_ERRORS)('%s is 404 for what is not there, 409 for what stands in the way, else 400', async (code) => {
    const error = { code, field: 'name', message: 'Because.' };
    served.push(await door.bus.serve(serverCalls.save, () => Promise.resolve({ ok: false, error })));
    const [path, given] = POSTS[0] as [string, object];
    const { status, body } = await admin(door, 'POST', path, { body: given });
    const wanted =
      code.startsWith('UNKNOWN_') && code !== 'UNKNOWN_FIELD' ? 404 : /^(DUPLICATE|READ)/.test(code) ? 409 : 400;
    expect([status, body]).toEqual([wanted, { ok: false, error }]);
  });

  it.each(ROUTES)('%s %s is 503 at once when nobody serves it', async (method, path, body) => {
    expectRefused(await admin(door, method, path, { body }), 503, 'BACKEND_UNAVAILABLE');
  });

  it.each(FAULT_CODES)('a service’s %s keeps its code, and is no success', async (code) => {
    served.push(await door.bus.serve(serverCalls.list, () => Promise.reject(new Fault(code, 'Because.'))));
    const answer = await admin(door, 'GET', '/api/mcp');
    expectRefused(answer, answer.status, code);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    if (code === 'TIMEOUT') expect(answer.status).toBe(504);
  });

  it('nothing of an error that nobody foresaw leaves', async () => {
    served.push(
      await door.bus.serve(serverCalls.list, () => Promise.reject(new Error('at /srv/portico, 10.0.0.7, hunter2'))),
    );
    const answer = await admin(door, 'GET', '/api/mcp');
    expectRefused(answer, 500, 'UNKNOWN_ERROR');
    expect(answer.text).not.toMatch(/srv|10\.0|hunter2| at /);
  });

  it('a reply outside the contract is not passed on', async () => {
    const odd = { servers: [{ ...STATE, era: 'hunter2' }] } as never;
    served.push(await door.bus.serve(serverCalls.list, () => Promise.resolve(odd)));
    const answer = await admin(door, 'GET', '/api/mcp');
    expectRefused(answer, 500, 'UNKNOWN_ERROR');
    expect(answer.text).not.toContain('hunter2');
  });

  it('a change is logged by its name, and the token is in no line', async () => {
    await serveChanges();
    await admin(door, 'POST', '/api/mcp/test', { body: { name: 'search' } });
    const line = door.lines.filter((one) => one.includes('admin.changed')).at(-1) as string;
    expect(JSON.parse(line)).toMatchObject({ event: 'admin.changed', call: 'upstreams.test', server: 'search' });
    expect(door.lines.join('')).not.toContain(door.adminToken);
  });

  it('a client that leaves stops what it asked for', async () => {
    let begun = (): void => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const stopped = new Promise<unknown>((resolve) => {
      void door.bus
        .serve(serverCalls.list, async (_request, { signal }) => {
          begun();
          await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
          resolve(signal.reason);
          return { servers: [] };
        })
        .then((one) => served.push(one));
    });
    const { hostname, port, host } = new URL(door.adminUrl);
    const socket = connect(Number(port), hostname);
    socket.write(`GET /api/mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${door.adminToken}\r\n\r\n`);
    await running;
    socket.destroy();
    expect(await stopped).toMatchObject({ code: 'CANCELLED' });
  });
});

describe('[UP-2] who the admin routes are for', () => {
  it.each(ROUTES)('%s %s asks nobody without the token, or with a wrong one', async (method, path, body) => {
    const asked = await serveChanges();
    const none = await admin(door, method, path, { body, headers: { Authorization: undefined } });
    expectRefused(none, 401, 'UNAUTHENTICATED');
    expect(none.headers['www-authenticate']).toBe('Bearer realm="portico admin"');
    const wrong = await admin(door, method, path, { body, headers: { Authorization: `Bearer ${'x'.repeat(43)}` } });
    expectRefused(wrong, 401, 'UNAUTHENTICATED');
    expect(wrong.headers['www-authenticate']).toBe('Bearer realm="portico admin", error="invalid_token"');
    expect(asked).toEqual([]);
  });

  it('no token: not even which routes there are', async () => {
    for (const path of ['/api', '/api/', '/api/nothing', '/api/../mcp', '/api/mcp/../../mcp'])
      expectRefused(await admin(door, 'GET', path, { headers: { Authorization: undefined } }), 401, 'UNAUTHENTICATED');
  });

  it('what is no part of it is 404, for whoever asks', async () => {
    for (const path of ['/', '/mcp', '//api/mcp', '/apis', '/API/mcp', '/%61pi/mcp'])
      expectRefused(await admin(door, 'GET', path, { headers: { Authorization: undefined } }), 404, 'NOT_FOUND');
  });

  it('a page of another site is refused, preflight and form alike, even with the token', async () => {
    const asked = await serveChanges();
    const origin = { Origin: 'http://evil.example' };
    const [path, body] = POSTS[0] as [string, object];
    expectRefused(await admin(door, 'POST', path, { body, headers: origin }), 403, 'PERMISSION_DENIED');
    const form = { ...origin, Authorization: undefined, 'Content-Type': 'text/plain' };
    expectRefused(await admin(door, 'POST', path, { body, headers: form }), 403, 'PERMISSION_DENIED');
    const preflight = await admin(door, 'OPTIONS', path, {
      headers: { ...origin, Authorization: undefined, 'Access-Control-Request-Method': 'POST' },
    });
    expectRefused(preflight, 403, 'PERMISSION_DENIED');
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('a name that was rebound to this address is refused, though the page is its own origin', async () => {
    const asked = await serveChanges();
    const { port } = new URL(door.adminUrl);
    const headers = { Host: `evil.example:${port}`, Origin: `http://evil.example:${port}` };
    const [path, body] = POSTS[0] as [string, object];
    expectRefused(await admin(door, 'POST', path, { body, headers }), 403, 'PERMISSION_DENIED');
    expect(asked).toEqual([]);
  });

  it('its own names and its own page may', async () => {
    await serveChanges();
    const { port } = new URL(door.adminUrl);
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      const headers = { Host: `${name}:${port}`, Origin: `http://${name}:${port}` };
      expect(await admin(door, 'POST', '/api/mcp/prewarm', { body: {}, headers })).toMatchObject({ status: 200 });
    }
  });

  it('agents do not reach them where they are served', async () => {
    const response = await fetch(`${door.url}/api/mcp`, { headers: { Authorization: `Bearer ${door.adminToken}` } });
    expect(response.status).toBe(404);
  });
});

describe('[UP-2] what the admin routes take', () => {
  it.each([
    '/api',
    '/api/',
    '/api/mcp/',
    '/api/mcp/saved',
    '/API/mcp',
    '/api/MCP',
    '//api/mcp',
    '/api//mcp',
    '/api/../mcp',
    '/api/mcp/../mcp',
    '/api/./mcp',
    '/api%2fmcp',
    '/%61pi/mcp',
    '/api/%6dcp',
    '/api/mcp/%2e%2e/mcp',
    '/api/mcp%00',
    '/api/mcp;x=1',
    '/mcp',
    '/',
    '/constructor',
    '/api/constructor',
    '/api/mcp/__proto__',
  ])('%s is no route', async (path) => {
    served.push(await door.bus.serve(serverCalls.list, () => Promise.resolve({ servers: [] })));
    await serveChanges();
    expectRefused(await admin(door, 'GET', path), 404, 'NOT_FOUND');
    expectRefused(await admin(door, 'POST', path, { body: {} }), 404, 'NOT_FOUND');
  });

  it.each(ROUTES)('%s %s takes no other method', async (method, path) => {
    for (const other of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'].filter((one) => one !== method)) {
      const answer = await admin(door, other, path);
      expectRefused(answer, 405, 'UNSUPPORTED');
      expect(answer.headers.allow).toBe(method);
    }
    expect(await admin(door, 'HEAD', path)).toMatchObject({ status: 405, text: '' });
  });

  it.each([
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
  ])('a body of content type %j is 415', async (type) => {
    const asked = await serveChanges();
    const headers = { 'Content-Type': type };
    expectRefused(await admin(door, 'POST', '/api/mcp/prewarm', { body: {}, headers }), 415, 'UNSUPPORTED');
    expect(asked).toEqual([]);
  });

  it('a body beyond the limit is 413, whether it says so or not, and the connection ends', async () => {
    const asked = await serveChanges();
    const body = JSON.stringify({ name: 'x'.repeat(4_096) });
    const said = await admin(door, 'POST', '/api/mcp/delete', { body });
    expectRefused(said, 413, 'PAYLOAD_TOO_LARGE');
    expect(said.headers.connection).toBe('close');
    const chunked = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
    expectRefused(await admin(door, 'POST', '/api/mcp/delete', { body, headers: chunked }), 413, 'PAYLOAD_TOO_LARGE');
    expect(asked).toEqual([]);
  });

  it.each([
    ['', 'body'],
    ['{', 'body'],
    ['[]', 'body'],
    ['null', 'body'],
    ['"name"', 'body'],
    ['1', 'body'],
    [Buffer.from('{"name":"\xff"}', 'latin1'), 'body'],
    [`{"name":${'['.repeat(300)}${']'.repeat(300)}}`, 'body'],
    ['{"name":"a"}{"name":"b"}', 'body'],
    ['{}', 'name'],
    ['{"name":null,"enabled":true}', 'name'],
    ['{"name":["a"],"enabled":true}', 'name'],
    ['{"name":{"toString":"a"},"enabled":true}', 'name'],
    ['{"name":"a"}', 'enabled'],
    ['{"name":"a","enabled":"false"}', 'enabled'],
    ['{"name":"a","enabled":0}', 'enabled'],
    ['{"__proto__":{"name":"a","enabled":true}}', 'name'],
  ])('%j is refused as INVALID_FIELD, naming %s', async (body, field) => {
    const asked = await serveChanges();
    expectRefused(await admin(door, 'POST', '/api/mcp/toggle', { body }), 400, 'INVALID_FIELD', field);
    expect(asked).toEqual([]);
  });

  it('a field that is not known is named', async () => {
    const asked = await serveChanges();
    const body = { name: 'a', enable: true, enabled: true };
    expectRefused(await admin(door, 'POST', '/api/mcp/toggle', { body }), 400, 'UNKNOWN_FIELD', 'enable');
    const long = 'x'.repeat(1_000);
    const answer = await admin(door, 'POST', '/api/mcp/prewarm', { body: { [long]: 1 } });
    expectRefused(answer, 400, 'UNKNOWN_FIELD', long.slice(0, 64));
    expect(asked).toEqual([]);
  });

  it('a body of GET is not read, and nothing in it is taken for a request', async () => {
    const asked = await serveChanges();
    served.push(await door.bus.serve(serverCalls.list, () => Promise.resolve({ servers: [] })));
    const { host } = new URL(door.adminUrl);
    const head = `Host: ${host}\r\nAuthorization: Bearer ${door.adminToken}\r\n`;
    const hidden = `POST /api/mcp/prewarm HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    const last = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    const heard = await rawAdmin(
      door.adminUrl,
      `GET /api/mcp HTTP/1.1\r\n${head}Content-Length: ${hidden.length}\r\n\r\n${hidden}${last}`,
    );
    expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(asked).toEqual([]);
  });

  it('an absolute target, or two Hosts, lead nowhere', async () => {
    served.push(await door.bus.serve(serverCalls.list, () => Promise.resolve({ servers: [] })));
    const { host } = new URL(door.adminUrl);
    const rest = `Authorization: Bearer ${door.adminToken}\r\nConnection: close\r\n\r\n`;
    expect(
      await rawAdmin(door.adminUrl, `GET http://evil.example/api/mcp HTTP/1.1\r\nHost: ${host}\r\n${rest}`),
    ).toMatch(/^HTTP\/1\.1 404/);
    expect(
      await rawAdmin(door.adminUrl, `GET /api/mcp HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n${rest}`),
    ).toMatch(/^HTTP\/1\.1 40[03]/);
    expect(await rawAdmin(door.adminUrl, `GET /api/mcp HTTP/1.0\r\n${rest}`)).toMatch(/^HTTP\/1\.1 403/);
  });
});

describe('[UP-2] the rest of the admin listener', () => {
  it('tells health, readiness and metrics without a token', async () => {
    const headers = { Authorization: undefined, Host: 'whatever.example', Origin: 'http://evil.example' };
    expect(await admin(door, 'GET', '/healthz', { headers })).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await admin(door, 'GET', '/readyz', { headers })).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await (await fetch(`${door.adminUrl}/metrics`)).text()).toContain('process_resident_memory_bytes');
  });

  it('ends within its time at a stop, whatever still runs', async () => {
    const stopping = await openAlone();
    let begun = (): void => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const serving = await stopping.bus.serve(serverCalls.test, () => {
      begun();
      return new Promise(() => undefined);
    });
    const cut = admin(stopping, 'POST', '/api/mcp/test', { body: { name: 'a' } }).catch((error: unknown) => error);
    await running;
    const stopped = performance.now();
    await stopping.stop();
    // 2 s are given to what runs.
    expect(performance.now() - stopped).toBeLessThan(20_000);
    expect(await cut).toMatchObject({ code: 'ECONNRESET' });
    void serving.close();
    await stopping.close();
  });

  it('holds a bounded number of connections, and answers again when they have gone', async () => {
    const { hostname, port } = new URL(door.adminUrl);
    const sockets = await Promise.all(
      Array.from(
        { length: 80 },
        () =>
          new Promise<Socket>((resolve) => {
            const socket = connect(Number(port), hostname, () => resolve(socket));
            socket.on('error', () => undefined);
          }),
      ),
    );
    // Who is let in and says nothing is told so, later, before it is closed.
    const closed = () =>
      sockets.filter((socket) => (socket.readableEnded || socket.destroyed) && socket.bytesRead === 0).length;
    for (const socket of sockets) socket.resume();
    for (const end = Date.now() + 10_000; closed() < 16 && Date.now() < end;)
      await new Promise((next) => setTimeout(next, 20));
    expect(closed()).toBeGreaterThanOrEqual(16);
    for (const socket of sockets) socket.destroy();
    for (const end = Date.now() + 10_000; ;) {
      const answer = await admin(door, 'GET', '/healthz').catch(() => undefined);
      if (answer?.status === 200) break;
      expect(Date.now()).toBeLessThan(end);
    }
  });

  it('closes a client that sends too slowly', async () => {
    const { host } = new URL(door.adminUrl);
    const body = `POST /api/mcp/prewarm HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${door.adminToken}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    const [headers, slow] = await Promise.all([
      rawAdmin(door.adminUrl, `GET /api/mcp HTTP/1.1\r\nHost: ${host}\r\n`),
      rawAdmin(door.adminUrl, body),
    ]);
    expect(headers).toMatch(/^(HTTP\/1\.1 408|$)/);
    expect(slow).toMatch(/^(HTTP\/1\.1 408|$)/);
  });
});
