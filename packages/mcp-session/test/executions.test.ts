import { afterEach, describe, expect, it } from '@jest/globals';
import { startLegacyHttpServer, startModernHttpServer, stdioServer } from '@portico/testkit';
import type { FixtureServer, StdioFixture } from '@portico/testkit';
import type { ServerTarget } from '@portico/mcp-session';
import { call, closeSessions, faultOf, hold, overHttp, overStdio, soon } from './sessions.js';

interface Backend {
  readonly target: ServerTarget;
  executions(): number;
}

const httpServers: FixtureServer[] = [];
const processes: StdioFixture[] = [];
const overWeb = async (start: () => Promise<FixtureServer>): Promise<Backend> => {
  const server = await start();
  httpServers.push(server);
  return { target: overHttp(server.url), executions: () => server.executions };
};
const BACKENDS: Record<string, () => Promise<Backend>> = {
  'modern HTTP': () => overWeb(startModernHttpServer),
  'legacy HTTP': () => overWeb(startLegacyHttpServer),
  'legacy stdio': async () => {
    const server = stdioServer();
    processes.push(server);
    return { target: overStdio(server), executions: server.executions };
  },
  'modern stdio': async () => {
    const server = stdioServer({ kind: 'modern' });
    processes.push(server);
    return { target: overStdio(server), executions: server.executions };
  },
};

afterEach(async () => {
  await closeSessions();
  await Promise.all(httpServers.splice(0).map((server) => server.close()));
  processes.splice(0).forEach((server) => server.close());
});

describe.each(Object.keys(BACKENDS))('[FD-24][UP-6] a call to a %s server', (name) => {
  it.each([
    ['before', 'die-before', 0],
    ['while', 'die-during', 1],
    ['after', 'die-after', 1],
  ])('is never sent again when the connection is lost %s it acts', async (_when, tool, executions) => {
    const backend = await BACKENDS[name]!();
    const session = hold(backend.target);
    await session.callTool(call('echo'), { signal: soon() });
    const before = backend.executions();
    const fault = await faultOf(session.callTool(call(tool), { signal: soon() }));
    expect(fault).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    expect(backend.executions() - before).toBe(executions);
    // The next use finds a session that works.
    expect((await session.callTool(call('echo', { a: 1 }), { signal: soon() })).structuredContent).toEqual({ a: 1 });
    expect(backend.executions() - before).toBe(executions + 1);
  });

  it('is never sent again after its deadline, nor after an answer that is no MCP', async () => {
    const backend = await BACKENDS[name]!();
    const session = hold(backend.target);
    await session.callTool(call('echo'), { signal: soon() });
    const late = await faultOf(session.callTool(call('hang'), { signal: AbortSignal.timeout(100) }));
    expect(late).toMatchObject({ code: 'TIMEOUT', executed: 'unknown' });
    const garbage = await faultOf(session.callTool(call('garbage'), { signal: soon() }));
    expect(garbage).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'unknown' });
    expect(backend.executions()).toBe(3);
  });

  it('says how a JSON-RPC error ended it', async () => {
    const backend = await BACKENDS[name]!();
    const session = hold(backend.target);
    for (const [code, fault, executed] of [
      [-32602, 'INVALID_ARGUMENTS', 'unknown'],
      [-32601, 'UNSUPPORTED', 'no'],
      [-32002, 'NOT_FOUND', 'unknown'],
      [-32021, 'UNSUPPORTED', 'unknown'],
      [-32603, 'UNKNOWN_ERROR', 'unknown'],
      [1234, 'UNKNOWN_ERROR', 'unknown'],
    ] as const) {
      expect(await faultOf(session.callTool(call('rpc-error', { code }), { signal: soon() }))).toMatchObject({
        code: fault,
        executed,
        rpc: { code, message: 'said by the fixture', data: { why: 'scripted' } },
      });
    }
    expect(backend.executions()).toBe(6);
  });

  it('is not written at all when the signal has aborted already', async () => {
    const backend = await BACKENDS[name]!();
    const session = hold(backend.target);
    await session.callTool(call('echo'), { signal: soon() });
    const fault = await faultOf(session.callTool(call('echo'), { signal: AbortSignal.abort() }));
    expect(fault).toMatchObject({ code: 'CANCELLED', executed: 'no' });
    expect(backend.executions()).toBe(1);
  });
});

describe('[FD-24][UP-6] a call that provably was not executed', () => {
  it('is sent once more to a new session when the old one is unknown, and executed once', async () => {
    const server = await startLegacyHttpServer();
    httpServers.push(server);
    const session = hold(overHttp(server.url));
    await session.callTool(call('echo'), { signal: soon() });
    server.forgetSessions();
    expect((await session.callTool(call('echo', { a: 1 }), { signal: soon() })).structuredContent).toEqual({ a: 1 });
    expect(server.executions).toBe(2);
    const calls = server.requests.filter(({ message }) => message.method === 'tools/call');
    expect(calls).toHaveLength(3);
    expect(calls[2]!.message.id).not.toBe(calls[1]!.message.id);
  });

  it('is not sent a third time when the new session is unknown as well', async () => {
    const server = await startLegacyHttpServer();
    httpServers.push(server);
    const session = hold(overHttp(server.url));
    await session.callTool(call('echo'), { signal: soon() });
    // A server that forgets each session at once.
    (server.sessions as Set<string>).add = (id) => (id.length > 36 ? server.sessions : new Set()) as Set<string>;
    server.forgetSessions();
    const fault = await faultOf(session.callTool(call('echo'), { signal: soon() }));
    expect(fault).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    expect(server.requests.filter(({ message }) => message.method === 'tools/call')).toHaveLength(3);
    expect(server.executions).toBe(1);
  });

  it('shares one new session among all that found the old one unknown', async () => {
    const server = await startLegacyHttpServer();
    httpServers.push(server);
    const session = hold(overHttp(server.url));
    await session.callTool(call('echo'), { signal: soon() });
    server.forgetSessions();
    await Promise.all(Array.from({ length: 10 }, (_, n) => session.callTool(call('echo', { n }), { signal: soon() })));
    expect(server.executions).toBe(11);
    expect(server.requests.filter(({ message }) => message.method === 'initialize')).toHaveLength(2);
  });

  it('is sent once more with the headers that a refreshed tools/list asks for', async () => {
    const tool = (header?: string) => ({
      name: 'echo',
      inputSchema: {
        type: 'object',
        properties: { region: { type: 'string', ...(header && { 'x-mcp-header': header }) } },
      },
    });
    const server = await startModernHttpServer({ tools: [tool()], capabilities: { tools: {} } });
    httpServers.push(server);
    const session = hold(overHttp(server.url));
    await session.catalogue({ signal: soon() });
    server.tools = [tool('Region')];
    server.required = { echo: 'Mcp-Param-Region' };
    await session.callTool(call('echo', { region: 'eu' }), { signal: soon() });
    expect(server.executions).toBe(1);
    server.required = { echo: 'Mcp-Param-Never' };
    const fault = await faultOf(session.callTool(call('echo', { region: 'eu' }), { signal: soon() }));
    expect(fault).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'no', rpc: undefined });
    expect(server.executions).toBe(1);
    expect(server.requests.filter(({ message }) => message.method === 'tools/call')).toHaveLength(4);
  });

  it('fails with executed: no when nobody listens', async () => {
    const server = await startModernHttpServer();
    await server.close();
    const fault = await faultOf(hold(overHttp(server.url)).callTool(call('echo'), { signal: soon() }));
    expect(fault).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    expect(fault.message).toBe('The server "fixture" could not be reached.');
  });

  it('fails with executed: no when the process can not be started, or ends at once', async () => {
    const missing = hold({ transport: 'stdio', command: '/nonexistent/server', args: [], env: {} });
    expect(await faultOf(missing.callTool(call('echo'), { signal: soon() }))).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
    });
    const server = stdioServer({ exits: true });
    processes.push(server);
    expect(await faultOf(hold(overStdio(server)).callTool(call('echo'), { signal: soon() }))).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
    });
    // Once with discovery, once without: never again for the same use.
    expect(server.pids()).toHaveLength(2);
  });
});

describe('[FD-24] what is idempotent', () => {
  it('is asked again once after the connection was lost, and no more', async () => {
    const server = await startModernHttpServer();
    httpServers.push(server);
    const session = hold(overHttp(server.url));
    const asked = () => server.requests.filter(({ message }) => message.method === 'prompts/get').length;
    server.brokenPrompts = 1;
    expect((await session.getPrompt({ name: 'greet' }, { signal: soon() })).messages).toHaveLength(1);
    expect(asked()).toBe(2);
    server.brokenPrompts = 9;
    expect(await faultOf(session.getPrompt({ name: 'greet' }, { signal: soon() }))).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
    expect(asked()).toBe(4);
  });
});
