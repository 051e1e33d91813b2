import { describe, expect, it } from '@jest/globals';
import { Stop } from '@portico/contracts';
import { RunningCalls } from './running-calls.js';

describe('[FD-26] cancellation by (session, request id)', () => {
  it('ends the named call and no other', () => {
    const calls = new RunningCalls();
    const [mine, other, theirs] = [new Stop(), new Stop(), new Stop()];
    calls.add('s1', 1, mine);
    calls.add('s1', 2, other);
    calls.add('s2', 1, theirs);
    expect(calls.cancel('s1', 1)).toBe(true);
    expect([mine, other, theirs].map(({ aborted }) => aborted)).toEqual([true, false, false]);
    expect(mine.reason).toMatchObject({ code: 'CANCELLED' });
  });

  it('tells the number 1 from the string "1"', () => {
    const calls = new RunningCalls();
    const controller = new Stop();
    calls.add('s', 1, controller);
    expect(calls.cancel('s', '1')).toBe(false);
    expect(controller.aborted).toBe(false);
  });

  it('forgets a call that has ended, and keeps a later one of the same name', () => {
    const calls = new RunningCalls();
    const [first, second] = [new Stop(), new Stop()];
    const release = calls.add('s', 'x', first);
    calls.add('s', 'x', second);
    release();
    expect(calls.cancel('s', 'x')).toBe(true);
    expect(second.aborted).toBe(true);
    expect(first.aborted).toBe(false);
  });

  it('holds nothing once all are released', () => {
    const calls = new RunningCalls();
    const releases = Array.from({ length: 100 }, (_, id) => calls.add('s', id, new Stop()));
    for (const release of releases) release();
    expect(calls.size).toBe(0);
  });
});
