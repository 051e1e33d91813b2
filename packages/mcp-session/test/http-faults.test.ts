import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startModernHttpServer } from '@portico/testkit';
import type { FixtureServer, ModernHttpScript, ModernHttpServer } from '@portico/testkit';
import { call, closeSessions, faultOf, hold, overHttp, soon, until } from './sessions.js';

const servers: Pick<FixtureServer, 'close'>[] = [];
const serve = async (script?: ModernHttpScript): Promise<ModernHttpServer> => {
  const server = await startModernHttpServer(script);
  servers.push(server);
  return server;
};

afterEach(async () => {
  await closeSessions();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe('[FD-24] an HTTP status', () => {
  it.each([
    [401, 'UNAUTHENTICATED', 'no'],
    [403, 'PERMISSION_DENIED', 'no'],
    [429, 'RATE_LIMITED', 'no'],
    [500, 'UNKNOWN_ERROR', 'unknown'],
    [502, 'BACKEND_UNAVAILABLE', 'unknown'],
    [503, 'BACKEND_UNAVAILABLE', 'unknown'],
    [504, 'BACKEND_UNAVAILABLE', 'unknown'],
    [302, 'UNKNOWN_ERROR', 'unknown'],
    [418, 'UNKNOWN_ERROR', 'unknown'],
  ])('%i of a call is %s, executed: %s, and the call is not sent again', async (status, code, executed) => {
    const server = await serve();
    const fault = await faultOf(hold(overHttp(server.url)).callTool(call('status', { status }), { signal: soon() }));
    expect(fault).toMatchObject({ code, executed, rpc: undefined });
    expect(server.executions).toBe(1);
  });

  it('429 says when to come again', async () => {
    const server = await serve();
    const session = hold(overHttp(server.url));
    const limited = (headers: object) =>
      faultOf(session.callTool(call('status', { status: 429, headers }), { signal: soon() }));
    expect((await limited({ 'retry-after': '7' })).retryAfterMs).toBe(7_000);
    const date = new Date(Date.now() + 60_000).toUTCString();
    expect((await limited({ 'retry-after': date })).retryAfterMs).toBeGreaterThan(50_000);
    expect((await limited({ 'retry-after': '99999999' })).retryAfterMs).toBe(3_600_000);
    expect((await limited({ 'retry-after': 'soon' })).retryAfterMs).toBeUndefined();
  });

  it('429 at connecting says it too', async () => {
    const server = await serve({ status: 429, headers: { 'retry-after': '7' } });
    const fault = await faultOf(hold(overHttp(server.url)).callTool(call('echo'), { signal: soon() }));
    expect(fault).toMatchObject({ code: 'RATE_LIMITED', executed: 'no', retryAfterMs: 7_000 });
  });

  it('decides over the body that a proxy puts under it', async () => {
    const server = await serve();
    const request = call('rpc-error', { code: -32602, httpStatus: 401 });
    expect(await faultOf(hold(overHttp(server.url)).callTool(request, { signal: soon() }))).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  it.each([401, 403, 429, 503])(
    '%i at connecting fails with executed: no, and is no verdict on the era',
    async (status) => {
      const server = await serve({ status });
      const fault = await faultOf(hold(overHttp(server.url)).callTool(call('echo'), { signal: soon() }));
      expect(fault.executed).toBe('no');
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each([301, 302, 303, 307, 308])(
    '[UP-11] %i to another host is not followed, and nothing is told there',
    async (status) => {
      const elsewhere = await serve();
      const server = await serve({ status, headers: { location: elsewhere.url } });
      const session = hold(overHttp(server.url, { headers: { authorization: 'Bearer abc' } }));
      expect(await faultOf(session.callTool(call('echo'), { signal: soon() }))).toMatchObject({
        code: 'UNKNOWN_ERROR',
        executed: 'no',
        message: 'The server "fixture" redirects to another place, which is not followed.',
      });
      expect(elsewhere.requests).toHaveLength(0);
    },
  );

  it.each([
    'http://user:pass@HOST/mcp/',
    'http://HOST:1/mcp',
    '//evil.example/mcp',
    'https://HOST/mcp',
    'ftp://HOST/',
    'http://169.254.169.254/latest/meta-data/',
    'http://',
  ])('[UP-11] to %s is none to the same place', async (location) => {
    const server = await serve({ status: 308, headers: { location: location.replace('HOST', '127.0.0.1') } });
    expect(await faultOf(hold(overHttp(server.url)).callTool(call('echo'), { signal: soon() }))).toMatchObject({
      code: 'UNKNOWN_ERROR',
      executed: 'no',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('[UP-11] to another path of the same place is followed with what was asked, a circle not for ever', async () => {
    const server = await serve({ redirects: { '/mcp': '/mcp/', '/a': '/b', '/b': '/a' } });
    const session = hold(overHttp(server.url));
    expect((await session.callTool(call('echo', { a: 1 }), { signal: soon() })).structuredContent).toEqual({ a: 1 });
    expect(server.executions).toBe(1);
    const circle = hold(overHttp(server.url.replace('/mcp', '/a')));
    expect(await faultOf(circle.callTool(call('echo'), { signal: soon() }))).toMatchObject({ executed: 'no' });
    expect(server.requests.filter(({ path }) => path === '/a' || path === '/b')).toHaveLength(4);
  });
});

describe('[UP-11] the address of a name', () => {
  it('is looked up for each connection, and is the one connected to: one that was good once is not trusted again', async () => {
    // It announces no changes, so that nothing keeps a second connection open.
    const server = await serve({ capabilities: { tools: {}, prompts: {} } });
    let isGood = true;
    const asked: string[] = [];
    const lookup: LookupFunction = (hostname, options, callback) => {
      asked.push(hostname);
      if (!isGood) return callback(Object.assign(new Error('private'), { code: 'EACCES' }), []);
      if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    };
    const session = hold(overHttp(server.url.replace('127.0.0.1', 'rebound.invalid'), { lookup }));
    await session.callTool(call('echo'), { signal: soon() });
    isGood = false;
    const before = server.requests.length;
    // As long as its connection lives it needs no other.
    const broken = faultOf(session.callTool(call('die-during'), { signal: soon() }));
    expect(await broken).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    expect(await faultOf(session.callTool(call('echo'), { signal: soon() }))).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
    });
    expect(server.requests.slice(before).map(({ message }) => message.params?.['name'])).toEqual(['die-during']);
    expect(new Set(asked)).toEqual(new Set(['rebound.invalid']));
  });
});

describe('what a fault tells', () => {
  it('is never the address, the path or a credential', async () => {
    const server = await serve();
    const session = hold(overHttp(`${server.url}?key=hunter2`, { headers: { authorization: 'Bearer hunter2' } }));
    const faults = [];
    for (const tool of ['die-during', 'garbage', 'wrong-id', 'progress-then-stop']) {
      faults.push(await faultOf(session.callTool(call(tool), { signal: soon() })));
    }
    await server.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    faults.push(await faultOf(session.callTool(call('echo'), { signal: soon() })));
    for (const fault of faults) {
      expect(JSON.stringify(fault.toRecord())).not.toMatch(/127\.0\.0\.1|\/mcp|hunter2|ECONN|:\d{4,5}/);
      expect(fault.message).toContain('"fixture"');
    }
    expect(session.state).toBe('failed');
    expect(session.failure?.message).toBe('The server "fixture" could not be reached.');
  });
});

describe('an answer that is none', () => {
  it.each([
    ['garbage', 'UNKNOWN_ERROR'],
    ['wrong-id', 'UNKNOWN_ERROR'],
    ['progress-then-stop', 'BACKEND_UNAVAILABLE'],
  ])('%s fails at once, executed: unknown', async (tool, code) => {
    const server = await serve();
    const heard: unknown[] = [];
    const options = { signal: soon(), onNotice: (notice: unknown) => void heard.push(notice) };
    const started = performance.now();
    expect(await faultOf(hold(overHttp(server.url)).callTool(call(tool), options))).toMatchObject({
      code,
      executed: 'unknown',
    });
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(server.executions).toBe(1);
    expect(heard).toHaveLength(tool === 'progress-then-stop' ? 3 : 0);
  });
});

describe('[FD-25][UP-11] an answer beyond the limit', () => {
  it('is PAYLOAD_TOO_LARGE, executed: yes, and its connection is given up', async () => {
    const server = await serve({ capabilities: { tools: {} } });
    const session = hold(overHttp(server.url), { answerLimitBytes: 10_000 });
    expect((await session.callTool(call('flood', { bytes: 9_000 }), { signal: soon() })).content).toHaveLength(1);
    const fault = await faultOf(session.callTool(call('flood', { bytes: 10_000_000 }), { signal: soon() }));
    expect(fault).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', executed: 'yes' });
    expect(fault.message).toContain('10000');
    await until(() => server.connections() === 0);
    expect(server.executions).toBe(2);
    expect((await session.callTool(call('echo'), { signal: soon() })).content).toHaveLength(1);
  });

  it('is so too when it comes without a length, or as an event that never ends', async () => {
    for (const type of ['application/json', 'text/event-stream']) {
      let written = 0;
      const http = createServer((request, response) => {
        request.resume();
        response.writeHead(200, { 'content-type': type });
        if (type === 'text/event-stream') response.write('data: ');
        const more = setInterval(() => {
          written += 65_536;
          response.write('x'.repeat(65_536));
        }, 1);
        response.on('close', () => clearInterval(more));
      });
      await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
      servers.push({
        close: () => new Promise((resolve) => (http.close(() => resolve()), http.closeAllConnections())),
      });
      const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
      const session = hold(overHttp(url, { protocol: '2026-07-28' }), { answerLimitBytes: 200_000 });
      expect(await faultOf(session.callTool(call('echo'), { signal: soon() }))).toMatchObject({
        code: 'PAYLOAD_TOO_LARGE',
        executed: 'yes',
      });
      expect(written).toBeLessThan(20_000_000);
    }
  });

  it('bounds all pages of a catalogue together', async () => {
    const tools = Array.from({ length: 50 }, (_, n) => ({
      name: `t${n}`,
      inputSchema: { type: 'object', description: 'd'.repeat(9_000) },
    }));
    const server = await serve({ tools, pageSize: 1 });
    const session = hold(overHttp(server.url), { answerLimitBytes: 20_000 });
    expect(await faultOf(session.catalogue({ signal: soon() }))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(server.requests.length).toBeLessThan(15);
  });
});

describe('[FD-26] an aborted call of the modern era', () => {
  it('closes its stream at the server within 100 ms', async () => {
    const server = await serve();
    const session = hold(overHttp(server.url));
    const abort = new AbortController();
    const pending = faultOf(session.callTool(call('hang'), { signal: abort.signal }));
    await until(() => server.executions === 1);
    const started = performance.now();
    abort.abort();
    expect(await pending).toMatchObject({ code: 'CANCELLED', executed: 'unknown' });
    await until(() => server.abandoned === 1);
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(server.requests.filter(({ message }) => message.method === 'notifications/cancelled')).toHaveLength(0);
  });

  it('harms no other call on the session', async () => {
    const server = await serve();
    const session = hold(overHttp(server.url));
    const abort = new AbortController();
    const pending = faultOf(session.callTool(call('hang'), { signal: abort.signal }));
    const others = Array.from({ length: 5 }, (_, n) => session.callTool(call('echo', { n }), { signal: soon() }));
    abort.abort();
    await pending;
    expect(await Promise.all(others)).toHaveLength(5);
  });
});

describe('a server that takes connections and says nothing', () => {
  it('[UP-5] is given up at the connect limit, for all that wait, with executed: no', async () => {
    const http = createServer(() => undefined);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    servers.push({ close: () => new Promise((resolve) => (http.close(() => resolve()), http.closeAllConnections())) });
    const session = hold(overHttp(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`), {
      connectTimeoutMs: 300,
    });
    const faults = await Promise.all([1, 2].map(() => faultOf(session.callTool(call('echo'), { signal: soon() }))));
    for (const fault of faults) expect(fault).toMatchObject({ code: 'TIMEOUT', executed: 'no' });
    const pending = faultOf(session.callTool(call('echo'), { signal: soon() }));
    expect(session.state).toBe('connecting');
    await session.close();
    expect(await pending).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
  });
});

describe('[UP-5] the attempts of one connection', () => {
  it('are bounded together: each in time, both of them too late, is too late', async () => {
    const limit = 1_000;
    const http = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { id, method } = JSON.parse(body) as { id?: number; method: string };
        const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'slow', version: '1' } };
        const answer = method === 'initialize' ? { result } : { error: { code: -32601, message: 'unknown' } };
        setTimeout(() => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
        }, limit * 0.7);
      });
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
      const session = hold(overHttp(url), { connectTimeoutMs: limit });
      expect(await faultOf(session.callTool(call('echo'), { signal: soon() }))).toMatchObject({
        code: 'TIMEOUT',
        executed: 'no',
      });
      // With time for both it is no server that fails.
      const patient = hold(overHttp(url), { connectTimeoutMs: 20 * limit });
      expect((await patient.catalogue({ signal: soon() })).era).toBe('legacy');
    } finally {
      http.closeAllConnections();
      http.close();
    }
  });
});

describe('a signal that outlives its calls', () => {
  it('keeps no listener of them, however they ended', async () => {
    const server = await serve({ capabilities: { tools: {} } });
    const session = hold(overHttp(server.url));
    const { signal } = new AbortController();
    for (const tool of ['echo', 'die-during', 'garbage', 'progress', 'echo']) {
      await session.callTool(call(tool), { signal }).catch(() => undefined);
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('credentials that have aged', () => {
  it('are read anew for the next use', async () => {
    const server = await serve();
    let reads = 0;
    const session = hold(async () => overHttp(server.url, { headers: { authorization: `Bearer ${++reads}` } }));
    await session.callTool(call('echo'), { signal: soon() });
    await faultOf(session.callTool(call('status', { status: 401 }), { signal: soon() }));
    await session.callTool(call('echo'), { signal: soon() });
    expect(server.requests.at(-1)!.headers.authorization).toBe('Bearer 2');
  });
});
