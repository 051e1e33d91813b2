import { afterEach, describe, expect, it } from '@jest/globals';
import { FIXTURE_TOOLS, ODD_RESULT, startLegacyHttpServer } from '@portico/testkit';
import type { LegacyHttpScript, LegacyHttpServer } from '@portico/testkit';
import { call, closeSessions, faultOf, hold, overHttp, soon, until } from './sessions.js';

const servers: LegacyHttpServer[] = [];
const serve = async (script?: LegacyHttpScript): Promise<LegacyHttpServer> => {
  const server = await startLegacyHttpServer(script);
  servers.push(server);
  return server;
};

afterEach(async () => {
  await closeSessions();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const methods = (server: LegacyHttpServer) =>
  server.requests.map(({ httpMethod, message }) => message.method ?? httpMethod);

describe('a server of 2025 over HTTP', () => {
  it('[FD-14] passes definitions and results on exactly as they came', async () => {
    const tool = { name: 'odd', inputSchema: { type: 'object', $defs: {} }, execution: { x: 1 }, 'x-top': true };
    const server = await serve({ tools: [tool] });
    const session = hold(overHttp(server.url));
    const catalogue = await session.catalogue({ signal: soon() });
    expect(catalogue).toMatchObject({
      era: 'legacy',
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'legacy-fixture' },
    });
    expect(catalogue.tools).toEqual([tool]);
    expect(catalogue).not.toHaveProperty('ttlMs');
    expect(await session.callTool(call('odd'), { signal: soon() })).toEqual(ODD_RESULT);
  });

  it('[UP-3] is discovered, then initialised, then called with its session and without what its era does not know', async () => {
    const server = await serve();
    const session = hold(overHttp(server.url, { headers: { 'x-key': 'k' } }));
    const meta = { 'com.example/k': 1, 'io.modelcontextprotocol/logLevel': 'forged', progressToken: 'forged' };
    await session.callTool(call('echo', {}, { meta, client: { clientCapabilities: { sampling: {} } } }), {
      signal: soon(),
    });
    await until(() => server.streams.size === 1);
    expect(methods(server).slice(0, 3)).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    expect(server.requests[1]!.message.params).toMatchObject({ protocolVersion: '2025-11-25', capabilities: {} });
    const sent = server.requests.find(({ message }) => message.method === 'tools/call')!;
    expect(sent.headers).toMatchObject({
      'mcp-session-id': [...server.sessions][0],
      'mcp-protocol-version': '2025-11-25',
      'x-key': 'k',
    });
    expect(sent.headers).not.toHaveProperty('mcp-method');
    expect(sent.message.params).toEqual({ name: 'echo', arguments: {}, _meta: { 'com.example/k': 1 } });
  });

  it.each([
    ['404 and HTML', { status: 404, body: 'x' }],
    ['405', { status: 405 }],
    ['200 and -32601', { status: 200, body: { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'no' } } }],
    [
      '400 and an unsupported revision',
      {
        status: 400,
        body: { jsonrpc: '2.0', id: null, error: { code: -32022, message: 'no', data: { supported: ['2025-11-25'] } } },
      },
    ],
    ['500 and an error', { status: 500, body: { jsonrpc: '2.0', id: null, error: { code: -32603, message: 'no' } } }],
  ])('is recognised when it answers discovery with %s', async (_what, beforeInitialize) => {
    const server = await serve({ beforeInitialize });
    expect((await hold(overHttp(server.url)).catalogue({ signal: soon() })).era).toBe('legacy');
  });

  it('[UP-3] is not asked for the newer era again while the verdict is fresh', async () => {
    const server = await serve();
    const session = hold(overHttp(server.url));
    await session.callTool(call('echo'), { signal: soon() });
    server.forgetSessions();
    await session.callTool(call('echo'), { signal: soon() });
    expect(methods(server).filter((method) => method === 'initialize')).toHaveLength(2);
    expect(methods(server).filter((method) => method === 'server/discover')).toHaveLength(1);
  });

  it('works without sessions and without a stream for unasked messages, which is asked for once', async () => {
    const server = await serve({ sessions: false, stream: false });
    const session = hold(overHttp(server.url));
    let changes = 0;
    session.onChanged(() => changes++);
    for (let n = 0; n < 3; n++) await session.callTool(call('echo', { n }), { signal: soon() });
    await until(() => methods(server).includes('GET'));
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(methods(server).filter((method) => method === 'GET')).toHaveLength(1);
    expect(changes).toBe(0);
    await session.close();
    expect(methods(server)).not.toContain('DELETE');
  });

  it('hears list_changed, and takes a new session for a change', async () => {
    const server = await serve();
    const session = hold(overHttp(server.url));
    let changes = 0;
    session.onChanged(() => changes++);
    await session.catalogue({ signal: soon() });
    await until(() => server.streams.size === 1);
    server.tools = FIXTURE_TOOLS.slice(0, 2);
    server.toolsChanged();
    server.toolsChanged();
    await until(() => changes === 1);
    expect((await session.catalogue({ signal: soon() })).tools).toHaveLength(2);
    server.forgetSessions();
    await session.callTool(call('echo'), { signal: soon() });
    await until(() => changes === 2);
  });

  it('[UP-3] has its ping answered, in the middle of a call', async () => {
    const server = await serve();
    const result = await hold(overHttp(server.url)).callTool(call('ping-first'), { signal: soon() });
    expect(result.content).toEqual([{ type: 'text', text: 'pong' }]);
    expect(server.requests.find(({ message }) => message.id === 'from-server')?.message).toEqual({
      jsonrpc: '2.0',
      id: 'from-server',
      result: {},
    });
  });

  it('is heard out on the stream that resumes a broken one, without executing twice', async () => {
    const server = await serve();
    const result = await hold(overHttp(server.url)).callTool(call('resume'), { signal: soon() });
    expect(result.content).toEqual([{ type: 'text', text: 'resumed' }]);
    expect(server.executions).toBe(1);
    expect(server.requests.find(({ headers }) => headers['last-event-id'] !== undefined)?.httpMethod).toBe('GET');
  });

  it('[FD-26] hands progress to the caller in order, before the result, without our token', async () => {
    const server = await serve();
    const heard: unknown[] = [];
    await hold(overHttp(server.url)).callTool(call('progress'), {
      signal: soon(),
      onNotice: (notice) => heard.push(notice),
    });
    expect(heard).toEqual(
      [1, 2, 3].map((progress) => ({ method: 'notifications/progress', params: { progress, total: 3 } })),
    );
  });

  it('[FD-26] is told when a call is cancelled, and its stream is closed', async () => {
    const server = await serve();
    const session = hold(overHttp(server.url));
    const abort = new AbortController();
    const pending = faultOf(session.callTool(call('hang'), { signal: abort.signal }));
    await until(() => server.executions === 1);
    abort.abort();
    expect(await pending).toMatchObject({ code: 'CANCELLED', executed: 'unknown' });
    await until(() => server.abandoned === 1 && methods(server).includes('notifications/cancelled'));
    const { id } = server.requests.find(({ message }) => message.method === 'tools/call')!.message;
    expect(server.requests.find(({ message }) => message.method === 'notifications/cancelled')!.message.params).toEqual(
      { requestId: id },
    );
  });

  it('loses its session when ours is closed, and nothing stays open', async () => {
    const server = await serve();
    const session = hold(overHttp(server.url));
    await session.callTool(call('echo'), { signal: soon() });
    await until(() => server.streams.size === 1);
    await session.close();
    expect(methods(server).at(-1)).toBe('DELETE');
    expect(server.sessions.size).toBe(0);
    await until(() => server.streams.size === 0);
    expect(session.state).toBe('closed');
    expect(await faultOf(session.callTool(call('echo'), { signal: soon() }))).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
    });
  });

  it('is refused when it agrees to no revision of ours', async () => {
    const server = await serve({ protocolVersion: '1999-01-01' });
    expect(await faultOf(hold(overHttp(server.url)).catalogue({ signal: soon() }))).toMatchObject({
      code: 'UNSUPPORTED',
      executed: 'no',
    });
  });
});
