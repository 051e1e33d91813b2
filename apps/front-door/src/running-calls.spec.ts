import { describe, expect, it } from '@jest/globals';
import { RunningCalls } from './running-calls.js';

describe('[FD-26] cancellation by (session, request id)', () => {
  it('ends the named call and no other', () => {
    const calls = new RunningCalls();
    const [mine, other, theirs] = [new AbortController(), new AbortController(), new AbortController()];
    calls.add('s1', 1, mine);
    calls.add('s1', 2, other);
    calls.add('s2', 1, theirs);
    expect(calls.cancel('s1', 1)).toBe(true);
    expect([mine, other, theirs].map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
    expect(mine.signal.reason).toMatchObject({ code: 'CANCELLED' });
  });

  it('tells the number 1 from the string "1"', () => {
    const calls = new RunningCalls();
    const controller = new AbortController();
    calls.add('s', 1, controller);
    expect(calls.cancel('s', '1')).toBe(false);
    expect(controller.signal.aborted).toBe(false);
  });

  it('forgets a call that has ended, and keeps a later one of the same name', () => {
    const calls = new RunningCalls();
    const [first, second] = [new AbortController(), new AbortController()];
    const release = calls.add('s', 'x', first);
    calls.add('s', 'x', second);
    release();
    expect(calls.cancel('s', 'x')).toBe(true);
    expect(second.signal.aborted).toBe(true);
    expect(first.signal.aborted).toBe(false);
  });

  it('holds nothing once all are released', () => {
    const calls = new RunningCalls();
    const releases = Array.from({ length: 100 }, (_, id) => calls.add('s', id, new AbortController()));
    for (const release of releases) release();
    expect(calls.size).toBe(0);
  });
});
