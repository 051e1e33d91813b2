import { afterEach, describe, expect, it } from '@jest/globals';
import { FIXTURE_TOOLS, ODD_RESULT, stdioServer } from '@portico/testkit';
import type { StdioFixture, StdioScript } from '@portico/testkit';
import { call, closeSessions, faultOf, hold, overStdio, soon, until } from './sessions.js';

const fixtures: StdioFixture[] = [];
const fixture = (script?: StdioScript): StdioFixture => {
  const made = stdioServer(script);
  fixtures.push(made);
  return made;
};

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

afterEach(async () => {
  await closeSessions();
  for (const made of fixtures.splice(0)) {
    await until(() => !made.pids().some(lives));
    made.close();
  }
});

describe('a line that is made to trip its reader', () => {
  it('[FD-21] costs itself alone: a ping whose id nests 20,000 deep is not answered, and the call goes on', async () => {
    const session = hold(overStdio(fixture()));
    const result = await session.callTool(call('deep-ping', { depth: 20_000 }), { signal: soon() });
    expect(result.content).toEqual([{ type: 'text', text: 'still here' }]);
  });
});

describe('the era of a server over stdio', () => {
  it.each([
    ['legacy', 'legacy', 1],
    ['modern', 'modern', 1],
    ['dual', 'modern', 1],
    ['silent-on-discover', 'legacy', 1],
    ['dies-on-discover', 'legacy', 2],
  ] as const)('[UP-3] of kind %s is %s, after %i starts', async (kind, era, starts) => {
    const server = fixture({ kind });
    const session = hold(overStdio(server));
    const catalogue = await session.catalogue({ signal: soon() });
    expect(catalogue.era).toBe(era);
    expect(catalogue.tools).toEqual(FIXTURE_TOOLS);
    expect((await session.callTool(call('echo', { a: 1 }), { signal: soon() })).structuredContent).toEqual({ a: 1 });
    expect(server.pids()).toHaveLength(starts);
  });

  it('[UP-3] outlives the session with its age, and is asked anew when it is old or the server was upgraded', async () => {
    const minutes = (ago: number) => Date.now() - ago * 60_000;
    let kept: number | undefined;
    const eraMemory = {
      recall: () => Promise.resolve(kept),
      remember: (legacySince: number | undefined) => void (kept = legacySince),
    };
    const asked = async (kind: 'legacy' | 'modern', since: number | undefined) => {
      const server = fixture({ kind });
      kept = since;
      const session = hold(overStdio(server), { eraMemory });
      const { era } = await session.catalogue({ signal: soon() });
      return [era, ...server.events().filter((event) => /^(server\/discover|initialize)$/.test(event))];
    };
    expect(await asked('legacy', undefined)).toEqual(['legacy', 'server/discover', 'initialize']);
    expect(kept).toBeGreaterThan(minutes(1));
    const recent = minutes(5);
    expect(await asked('legacy', recent)).toEqual(['legacy', 'initialize']);
    expect(kept).toBe(recent);
    expect(await asked('legacy', minutes(11))).toEqual(['legacy', 'server/discover', 'initialize']);
    expect(await asked('legacy', minutes(-5))).toEqual(['legacy', 'server/discover', 'initialize']);
    expect(await asked('modern', recent)).toEqual(['modern', 'initialize', 'server/discover']);
    expect(kept).toBeUndefined();
  });

  it('[UP-3] is remembered: a legacy server started again is asked to initialise at once', async () => {
    const server = fixture({ kind: 'dies-on-discover' });
    const session = hold(overStdio(server));
    await session.callTool(call('echo'), { signal: soon() });
    await faultOf(session.callTool(call('die-during'), { signal: soon() }));
    await session.callTool(call('echo'), { signal: soon() });
    expect(server.events().filter((event) => event === 'server/discover')).toHaveLength(1);
    expect(server.pids()).toHaveLength(3);
  });
});

describe.each(['legacy', 'modern'] as const)('a %s server over stdio', (kind) => {
  it('[FD-14] has its results passed on exactly as they came', async () => {
    const session = hold(overStdio(fixture({ kind })));
    expect(await session.callTool(call('odd'), { signal: soon() })).toEqual(ODD_RESULT);
  });

  it('[FD-26] has its progress handed on in order, before the result, without our token', async () => {
    const heard: unknown[] = [];
    const session = hold(overStdio(fixture({ kind })));
    await session.callTool(call('progress'), { signal: soon(), onNotice: (notice) => heard.push(notice) });
    expect(heard).toEqual(
      [1, 2, 3].map((progress) => ({ method: 'notifications/progress', params: { progress, total: 3 } })),
    );
  });

  it('[FD-26] is told when a call is cancelled, and goes on with the others', async () => {
    const server = fixture({ kind });
    const session = hold(overStdio(server));
    const abort = new AbortController();
    const pending = faultOf(session.callTool(call('hang'), { signal: abort.signal }));
    await until(() => server.executions() === 1);
    abort.abort();
    expect(await pending).toMatchObject({ code: 'CANCELLED', executed: 'unknown' });
    await until(() => server.events().includes('notifications/cancelled'));
    expect((await session.callTool(call('echo', { a: 1 }), { signal: soon() })).structuredContent).toEqual({ a: 1 });
  });

  it('gets the caller’s own _meta, and the protocol’s only where its era knows it', async () => {
    const session = hold(overStdio(fixture({ kind })));
    const meta = { 'com.example/k': 1, 'io.modelcontextprotocol/logLevel': 'forged' };
    const result = await session.callTool(call('meta', {}, { meta, client: { clientCapabilities: { roots: {} } } }), {
      signal: soon(),
    });
    const legacy = { 'com.example/k': 1 };
    const modern = {
      ...legacy,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'portico', version: '0.1.0' },
      'io.modelcontextprotocol/clientCapabilities': { roots: {} },
    };
    expect(result.structuredContent).toEqual({ meta: kind === 'modern' ? modern : legacy });
  });

  it('[UP-3] has its ping answered, and its changes heard', async () => {
    const server = fixture({ kind });
    const session = hold(overStdio(server));
    let changes = 0;
    session.onChanged(() => changes++);
    await session.callTool(call('ping-first'), { signal: soon() });
    await until(() => server.events().includes('answer'));
    await session.callTool(call('change'), { signal: soon() });
    await until(() => changes === 1);
  });

  it('[FD-25] gives PAYLOAD_TOO_LARGE for an overlong answer, whichever end its id is at, and lives on', async () => {
    const server = fixture({ kind });
    const session = hold(overStdio(server), { answerLimitBytes: 100_000 });
    const others = session.callTool(call('echo', { a: 1 }), { signal: soon() });
    const waiting = faultOf(session.callTool(call('hang'), { signal: AbortSignal.timeout(3_000) }));
    for (const tool of ['flood', 'flood-id-last']) {
      const fault = await faultOf(session.callTool(call(tool, { bytes: 500_000 }), { signal: soon() }));
      expect(fault).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', executed: 'yes' });
    }
    expect((await others).structuredContent).toEqual({ a: 1 });
    expect((await waiting).code).toBe('TIMEOUT');
    expect(server.pids()).toHaveLength(1);
  });
});

describe('a process', () => {
  it('[FD-25] whose line never ends is given up', async () => {
    const server = fixture();
    const session = hold(overStdio(server), { answerLimitBytes: 100_000 });
    expect((await faultOf(session.callTool(call('endless-line'), { signal: soon() }))).code).toBe('PAYLOAD_TOO_LARGE');
    await until(() => !server.pids().some(lives));
    expect((await session.callTool(call('echo', { a: 1 }), { signal: soon() })).structuredContent).toEqual({ a: 1 });
  });

  it('[UP-9] gets the environment it is given, and nothing else', async () => {
    const session = hold(overStdio(fixture()));
    const { structuredContent } = await session.callTool(call('environment'), { signal: soon() });
    expect(structuredContent).toEqual({ PORTICO_FIXTURE: 'only-this' });
  });

  it('[UP-9] has its last lines of stderr kept, cut, and no more', async () => {
    const server = fixture({ stderrLines: 80 });
    const session = hold(overStdio(server));
    await session.callTool(call('echo'), { signal: soon() });
    await until(() => session.stderr.at(-1)?.startsWith('stderr 80 ') === true);
    expect(session.stderr).toHaveLength(50);
    expect(session.stderr[0]).toMatch(/^stderr 31 /);
    expect(Math.max(...session.stderr.map((line) => line.length))).toBe(4_096);
  });

  it('[UP-9] is ended with its whole group, what ignores SIGTERM too', async () => {
    const server = fixture({ grandchild: true });
    const session = hold(overStdio(server));
    await session.callTool(call('echo'), { signal: soon() });
    await until(() => server.pids().length === 2);
    await session.close();
    await until(() => !server.pids().some(lives));
  });

  it('[UP-9] is asked to end first, by SIGTERM, and is gone when its session is closed', async () => {
    const server = fixture({ stubborn: true });
    const session = hold(overStdio(server));
    await session.callTool(call('echo'), { signal: soon() });
    await session.close();
    expect(server.events()).toContain('ignored SIGTERM');
    expect(server.pids().some(lives)).toBe(false);
  });

  it('[UP-6][UP-9] that ends by itself takes its group along, and is started anew by the next use', async () => {
    const server = fixture({ grandchild: true });
    const session = hold(overStdio(server));
    await session.callTool(call('echo'), { signal: soon() });
    const [first, grandchild] = server.pids();
    let changes = 0;
    session.onChanged(() => changes++);
    expect(await faultOf(session.callTool(call('die-during'), { signal: soon() }))).toMatchObject({
      executed: 'unknown',
    });
    await until(() => !lives(grandchild!));
    await session.callTool(call('echo'), { signal: soon() });
    expect(server.pids()[2]).not.toBe(first);
    await until(() => changes === 1);
  });

  it('[UP-6] that died unseen costs the next call nothing: it was never written', async () => {
    const server = fixture();
    const session = hold(overStdio(server));
    await session.callTool(call('echo'), { signal: soon() });
    process.kill(server.pids()[0]!, 'SIGKILL');
    await until(() => session.state === 'idle');
    expect((await session.callTool(call('echo', { a: 1 }), { signal: soon() })).structuredContent).toEqual({ a: 1 });
    expect(server.executions()).toBe(2);
  });

  it('[UP-5] that never answers is given up at the connect limit, for all that wait, and started once', async () => {
    const server = fixture({ mute: true });
    const session = hold(overStdio(server), { connectTimeoutMs: 500 });
    const faults = await Promise.all([1, 2, 3].map(() => faultOf(session.callTool(call('echo'), { signal: soon() }))));
    for (const fault of faults) expect(fault).toMatchObject({ code: 'TIMEOUT', executed: 'no' });
    expect(server.pids()).toHaveLength(1);
    await until(() => !server.pids().some(lives));
  });

  it('[UP-4] still connecting is gone when the session is closed', async () => {
    const server = fixture({ mute: true });
    const session = hold(overStdio(server));
    const pending = faultOf(session.callTool(call('echo'), { signal: soon() }));
    await until(() => server.pids().length === 1);
    expect(session.state).toBe('connecting');
    await session.close();
    expect(await pending).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    expect(server.pids().some(lives)).toBe(false);
  });

  it('[UP-4] invalidated while connecting never comes back: its process is gone before another is started', async () => {
    const server = fixture({ kind: 'silent-on-discover' });
    const session = hold(overStdio(server));
    const pending = faultOf(session.callTool(call('echo'), { signal: soon() }));
    await until(() => server.pids().length === 1);
    await session.disconnect();
    expect(await pending).toMatchObject({ executed: 'no' });
    expect(server.pids().some(lives)).toBe(false);
    expect(session.state).toBe('idle');
    expect((await session.callTool(call('echo', { a: 1 }), { signal: soon() })).structuredContent).toEqual({ a: 1 });
    expect(server.pids()).toHaveLength(2);
    expect(server.executions()).toBe(1);
    expect(server.events().filter((event) => event.startsWith('twice'))).toEqual([]);
  });

  it('[UP-4][UP-6] never runs beside what is left of the one before it', async () => {
    const server = fixture({ stubborn: true });
    const session = hold(overStdio(server), { answerLimitBytes: 100_000 });
    await faultOf(session.callTool(call('endless-line'), { signal: soon() }));
    // The first still ignores SIGTERM while the second is wanted.
    expect(lives(server.pids()[0]!)).toBe(true);
    await session.callTool(call('echo'), { signal: soon() });
    expect(server.pids()).toHaveLength(2);
    expect(server.events().filter((event) => event.startsWith('twice'))).toEqual([]);
  });

  it('[UP-4] is shared by all that come while it starts, and one that leaves takes nobody along', async () => {
    const server = fixture();
    const session = hold(overStdio(server));
    const leaving = faultOf(session.callTool(call('echo'), { signal: AbortSignal.timeout(1) }));
    const others = Array.from({ length: 10 }, (_, n) => session.callTool(call('echo', { n }), { signal: soon() }));
    expect(await leaving).toMatchObject({ code: 'TIMEOUT', executed: 'no' });
    expect(await Promise.all(others)).toHaveLength(10);
    expect(server.pids()).toHaveLength(1);
    expect(server.executions()).toBe(10);
  });
});
