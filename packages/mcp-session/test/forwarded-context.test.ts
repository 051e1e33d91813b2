import { afterEach, describe, expect, it } from '@jest/globals';
import { CONTEXT_HEADERS } from '@portico/contracts';
import type { CallContext } from '@portico/contracts';
import { startLegacyHttpServer, startModernHttpServer, stdioServer } from '@portico/testkit';
import type { FixtureServer, StdioFixture } from '@portico/testkit';
import { call, closeSessions, hold, overHttp, overStdio, soon, until } from './sessions.js';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  await closeSessions();
  for (const one of opened.splice(0)) await one.close();
});

const web = async (kind: 'modern' | 'legacy'): Promise<FixtureServer> => {
  const server = await (kind === 'modern' ? startModernHttpServer() : startLegacyHttpServer());
  opened.push(server);
  return server;
};
const pipe = (kind: 'modern' | 'legacy'): StdioFixture => {
  const server = stdioServer({ kind });
  opened.push(server);
  return server;
};

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const principal = { tenant: 'tenant-of-the-caller', subject: 'subject-of-the-caller' };
const full: CallContext = {
  correlationId: 'corr-1',
  taskId: 'task:1',
  agent: 'agent.1',
  leaseRef: '0123456789abcdef',
  leaseFence: 7,
  traceparent: TRACE,
  principal,
};
/** No two of them alike, and each with other fields than its neighbours. */
const contexts: CallContext[] = Array.from({ length: 96 }, (_, n) => ({
  correlationId: `corr-${n}`,
  ...(n % 2 === 0 && { taskId: `task-${n}` }),
  ...(n % 3 === 0 && { agent: `agent-${n}` }),
  ...(n % 5 === 0 && { leaseRef: `ref-${n}`, leaseFence: n }),
  ...(n % 7 === 0 && { traceparent: `00-${n.toString(16).padStart(32, '0')}-b7ad6b7169203331-01` }),
  principal,
}));

const headersOf = (context: CallContext) =>
  Object.fromEntries(
    Object.entries(CONTEXT_HEADERS).flatMap(([field, header]) => {
      const value = context[field as keyof typeof CONTEXT_HEADERS];
      return value === undefined ? [] : [[header.toLowerCase(), String(value)]];
    }),
  );
const metaOf = ({ correlationId, taskId, agent, leaseRef, leaseFence, traceparent }: CallContext) => ({
  'portico/correlation-id': correlationId,
  ...(taskId !== undefined && { 'portico/task-id': taskId }),
  ...(agent !== undefined && { 'portico/agent': agent }),
  ...(leaseRef !== undefined && { 'portico/lease-ref': leaseRef }),
  ...(leaseFence !== undefined && { 'portico/lease-fence': leaseFence }),
  ...(traceparent !== undefined && { traceparent }),
});
const OURS = /^(?:x-(?:correlation|task|agent|lease)-|traceparent|tracestate|baggage|portico|djayzone)/i;
const oursIn = (found: object) => Object.fromEntries(Object.entries(found).filter(([key]) => OURS.test(key)));
/** What a caller may try to be told for. */
const forged = {
  'portico/correlation-id': 'forged',
  'portico/lease-id': 'raw-lease',
  'djayzone/lease-id': 'raw-lease',
  traceparent: 'forged',
  tracestate: 'forged',
  baggage: 'forged',
  'com.example/own': 1,
};

describe.each(['modern', 'legacy'] as const)('[FD-18] the context of a call to a %s server', (kind) => {
  it('goes along in headers over HTTP, and in nothing else', async () => {
    const server = await web(kind);
    const session = hold(overHttp(server.url));
    await session.callTool(call('echo', {}, { meta: forged }), { signal: soon(), context: full });
    const sent = server.requests.find(({ message }) => message.method === 'tools/call')!;
    expect(oursIn(sent.headers)).toEqual({
      'x-correlation-id': 'corr-1',
      'x-task-id': 'task:1',
      'x-agent-id': 'agent.1',
      'x-lease-ref': '0123456789abcdef',
      'x-lease-fence': '7',
      traceparent: TRACE,
    });
    expect(oursIn(sent.message.params!['_meta'] as object)).toEqual({});
    expect(sent.message.params).toHaveProperty(['_meta', 'com.example/own'], 1);
    expect(JSON.stringify(server.requests)).not.toMatch(/of-the-caller|raw-lease|forged/);
  });

  it('goes along in _meta over stdio', async () => {
    const session = hold(overStdio(pipe(kind)));
    const { structuredContent } = await session.callTool(call('meta', {}, { meta: forged }), {
      signal: soon(),
      context: full,
    });
    const { meta } = structuredContent as { meta: Record<string, unknown> };
    expect(oursIn(meta)).toEqual({
      'portico/correlation-id': 'corr-1',
      'portico/task-id': 'task:1',
      'portico/agent': 'agent.1',
      'portico/lease-ref': '0123456789abcdef',
      'portico/lease-fence': 7,
      traceparent: TRACE,
    });
    expect(meta['com.example/own']).toBe(1);
    expect(JSON.stringify(meta)).not.toMatch(/of-the-caller|raw-lease|forged/);
  });

  it('is of nobody who does not give one, whatever their _meta says', async () => {
    const server = await web(kind);
    const session = hold(overHttp(server.url));
    await session.callTool(call('echo'), { signal: soon(), context: full });
    const before = server.requests.length;
    await session.callTool(call('echo', {}, { meta: forged }), { signal: soon() });
    for (const { headers, message } of server.requests.slice(before)) {
      expect(oursIn(headers)).toEqual({});
      expect(JSON.stringify(message)).not.toMatch(/portico\/|djayzone\/|trace|baggage/);
    }
    const piped = hold(overStdio(pipe(kind)));
    await piped.callTool(call('meta'), { signal: soon(), context: full });
    const { structuredContent } = await piped.callTool(call('meta', {}, { meta: forged }), { signal: soon() });
    expect(oursIn((structuredContent as { meta: object }).meta)).toEqual({});
  });

  it('is never another call’s, with many at once over HTTP and some that are told none', async () => {
    const server = await web(kind);
    const session = hold(overHttp(server.url));
    await Promise.all(
      contexts.map((context, n) =>
        session.callTool(call('echo', { n }), { signal: soon(), context: n % 4 === 3 ? undefined : context }),
      ),
    );
    const calls = server.requests.filter(({ message }) => message.method === 'tools/call');
    expect(calls).toHaveLength(contexts.length);
    for (const { headers, message } of calls) {
      const { n } = message.params!['arguments'] as { n: number };
      expect(oursIn(headers)).toEqual(n % 4 === 3 ? {} : headersOf(contexts[n]!));
    }
  });

  it('is never another call’s, with many at once over stdio and some that are told none', async () => {
    const session = hold(overStdio(pipe(kind)));
    const results = await Promise.all(
      contexts.map((context, n) =>
        session.callTool(call('meta'), { signal: soon(), context: n % 4 === 3 ? undefined : context }),
      ),
    );
    results.forEach(({ structuredContent }, n) => {
      const { meta } = structuredContent as { meta: object | null };
      expect(oursIn(meta ?? {})).toEqual(n % 4 === 3 ? {} : metaOf(contexts[n]!));
    });
  });

  it('is in no request that is everybody’s: discovery, initialisation, lists, listening, the end', async () => {
    const server = await web(kind);
    const session = hold(overHttp(server.url));
    await session.callTool(call('echo'), { signal: soon(), context: full });
    await session.catalogue({ signal: soon() });
    await until(() =>
      server.requests.some(({ httpMethod, message: m }) => httpMethod === 'GET' || m.method === 'subscriptions/listen'),
    );
    await session.close();
    for (const { headers, message } of server.requests) {
      if (message.method !== 'tools/call') expect(oursIn(headers)).toEqual({});
    }
  });
});

describe('[FD-18] the context of a call', () => {
  it('goes along with reads, prompts and completions too', async () => {
    const server = await web('modern');
    const session = hold(overHttp(server.url));
    const use = { signal: soon(), context: full };
    await session.readResource({ uri: 'fixture://text' }, use);
    await session.getPrompt({ name: 'greet' }, use);
    await session.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'a', value: 'o' } }, use);
    for (const method of ['resources/read', 'prompts/get', 'completion/complete']) {
      const sent = server.requests.find(({ message }) => message.method === method)!;
      expect(oursIn(sent.headers)).toEqual(headersOf(full));
    }
  });

  it('goes along again when the call is sent once more to a new session', async () => {
    const server = await startLegacyHttpServer();
    opened.push(server);
    const session = hold(overHttp(server.url));
    await session.callTool(call('echo'), { signal: soon() });
    server.forgetSessions();
    await session.callTool(call('echo'), { signal: soon(), context: full });
    const sent = server.requests.filter(({ message }) => message.method === 'tools/call').slice(1);
    expect(sent.map(({ headers }) => oursIn(headers))).toEqual([headersOf(full), headersOf(full)]);
  });

  it('goes along when its broken stream is taken up again', async () => {
    const server = await web('legacy');
    await hold(overHttp(server.url)).callTool(call('resume'), { signal: soon(), context: full });
    const resumed = server.requests.find(({ headers }) => headers['last-event-id'] !== undefined)!;
    expect(oursIn(resumed.headers)).toEqual(headersOf(full));
  });

  it('breaks out of no header: an id that may not stand in one is left out', async () => {
    const server = await web('modern');
    const session = hold(overHttp(server.url));
    const context = { ...full, taskId: 'a\r\nX-Agent-ID: forged', traceparent: '', agent: 'a b' };
    await session.callTool(call('echo'), { signal: soon(), context });
    const sent = server.requests.find(({ message }) => message.method === 'tools/call')!;
    expect(Object.keys(oursIn(sent.headers)).sort()).toEqual(['x-correlation-id', 'x-lease-fence', 'x-lease-ref']);
  });
});
