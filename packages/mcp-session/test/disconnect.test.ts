import { afterEach, describe, expect, it } from '@jest/globals';
import { stdioServer } from '@portico/testkit';
import type { StdioFixture, StdioScript } from '@portico/testkit';
import { call, closeSessions, faultOf, hold, overStdio, soon, until } from './sessions.js';

const fixtures: StdioFixture[] = [];
const fixture = (script: StdioScript): StdioFixture => {
  const made = stdioServer(script);
  fixtures.push(made);
  return made;
};
afterEach(async () => {
  await closeSessions();
  for (const made of fixtures.splice(0)) made.close();
});

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const twice = (server: StdioFixture) => server.events().filter((event) => event.startsWith('twice'));

describe('[UP-4][UP-13] a session that is ended on purpose', () => {
  it('is not made anew for what ran on it, not even for what may be asked twice', async () => {
    const server = fixture({ silentReads: true });
    const session = hold(overStdio(server));
    await session.callTool(call('echo'), { signal: soon() });
    const reading = faultOf(session.readResource({ uri: 'x:y' }, { signal: soon() }));
    const calling = faultOf(session.callTool(call('hang'), { signal: soon() }));
    await until(() => server.events().includes('resources/read') && server.executions() === 2);
    await session.disconnect();
    for (const fault of [await reading, await calling]) {
      expect(fault).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    }
    expect(server.pids()).toHaveLength(1);
    // We ended it: that says nothing of the server.
    expect(session.state).toBe('idle');
  });

  it('is gone before the process of the next use is started, also when that comes at once', async () => {
    const server = fixture({ stubborn: true });
    const session = hold(overStdio(server));
    await session.callTool(call('echo'), { signal: soon() });
    const ending = session.disconnect();
    expect((await session.callTool(call('echo', { a: 1 }), { signal: soon() })).structuredContent).toEqual({ a: 1 });
    await ending;
    expect(server.pids()).toHaveLength(2);
    expect(twice(server)).toEqual([]);
    // What the end was for is over; what came after it stays.
    expect(session.state).toBe('connected');
  });

  it('does not come back, nor stays, when it is ended in the moment in which it is connected', async () => {
    const server = fixture({});
    let ending: Promise<void> | undefined;
    const eraMemory = {
      recall: () => Promise.resolve(undefined),
      remember: () => void (ending ??= session.disconnect()),
    };
    const session = hold(overStdio(server), { eraMemory });
    expect(await faultOf(session.callTool(call('echo'), { signal: soon() }))).toMatchObject({ executed: 'no' });
    await ending;
    expect(session.state).toBe('idle');
    expect(server.pids()).toHaveLength(1);
    expect(server.pids().filter(isThere)).toEqual([]);
    expect((await session.callTool(call('echo', { a: 1 }), { signal: soon() })).structuredContent).toEqual({ a: 1 });
    expect(server.executions()).toBe(1);
  });
});
