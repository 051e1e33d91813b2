import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HeldSession } from '@portico/mcp-session';
import { PrincipalSessions } from './principal-sessions.js';

const opened: PrincipalSessions[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sessions) => sessions.close()));
});

/** Sessions that connect nowhere: what is looked at is which there are. */
function start(limit: number, idleMs: number) {
  const closed: string[] = [];
  const sessions = new PrincipalSessions({
    server: 'a',
    limit,
    idleMs,
    open: () => new HeldSession({ transport: 'http', url: 'http://192.0.2.1/', headers: {} }, { name: 'a' }),
    onClosed: (key) => closed.push(key),
  });
  opened.push(sessions);
  const working = (key: string) => {
    let end = (): void => {};
    const running = sessions.use(key, () => new Promise<void>((resolve) => (end = resolve)));
    return { running, end: () => end() };
  };
  const usedBy = (key: string) => sessions.use(key, (session) => Promise.resolve(session));
  return { sessions, closed, working, usedBy };
}

describe('[UP-10] sessions of callers', () => {
  it('are each caller’s own, and the same from call to call', async () => {
    const { usedBy } = start(10, 60_000);
    const [ann, ben, again] = [await usedBy('ann'), await usedBy('ben'), await usedBy('ann')];
    expect(again).toBe(ann);
    expect(ben).not.toBe(ann);
  });

  it('are no more than allowed: the longest idle makes room, one that works never does', async () => {
    const { sessions, closed, working, usedBy } = start(3, 60_000);
    const busy = working('busy');
    await usedBy('old');
    await delay(5);
    await usedBy('new');
    await usedBy('third');
    expect(closed).toEqual(['old']);
    expect(sessions.size).toBe(3);
    const [b, c] = [working('new'), working('third')];
    await expect(usedBy('fourth')).rejects.toMatchObject({ code: 'RATE_LIMITED', executed: 'no' });
    for (const one of [busy, b, c]) one.end();
    await Promise.all([busy.running, b.running, c.running]);
    await usedBy('fourth');
    expect(closed).toHaveLength(2);
  });

  it('end when nobody has used them for long enough, and not while somebody does', async () => {
    const { sessions, closed, working, usedBy } = start(10, 100);
    const busy = working('busy');
    const first = await usedBy('idle');
    while (closed.length === 0) await delay(10);
    expect(closed).toEqual(['idle']);
    expect(first.state).toBe('closed');
    await delay(300);
    expect(closed).toEqual(['idle']);
    busy.end();
    await busy.running;
    while (sessions.size > 0) await delay(10);
    expect(await usedBy('idle')).not.toBe(first);
  });

  it('are all gone when they are closed, and none is opened any more', async () => {
    const { sessions, closed, usedBy } = start(10, 60_000);
    await Promise.all(['a', 'b', 'c'].map(usedBy));
    await sessions.close();
    expect(closed.sort()).toEqual(['a', 'b', 'c']);
    await expect(usedBy('a')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
  });
});
