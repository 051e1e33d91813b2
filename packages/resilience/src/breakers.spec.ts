import { createHook } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Breakers, CircuitOpen } from './breakers.js';
import type { BreakerOptions } from './breakers.js';

const RESET_MS = 60;
let breakers: Breakers;
const open = (options: Partial<BreakerOptions> = {}): Breakers =>
  (breakers = new Breakers({ failures: 3, resetMs: RESET_MS, capacity: 10, ...options }));
const fail =
  (error: unknown = new Error('broken')) =>
  async (): Promise<never> =>
    Promise.reject(error);
const failing = async (key: string, times: number): Promise<void> => {
  for (let n = 0; n < times; n++) await expect(breakers.run(key, fail())).rejects.toThrow('broken');
};
/** Ended timers have been told of by then; no timer of its own. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const rested = () => delay(RESET_MS * 2);

afterEach(() => breakers.close());

describe('[DI-5] Breakers', () => {
  it('open after so many failures in a row, and then begin nothing', async () => {
    open();
    await failing('a', 2);
    expect(breakers.state('a')).toBe('closed');
    await failing('a', 1);
    expect(breakers.state('a')).toBe('open');
    let begun = 0;
    const refused = breakers.run('a', async () => ++begun);
    await expect(refused).rejects.toBeInstanceOf(CircuitOpen);
    await expect(refused).rejects.toMatchObject({ retryAfterMs: expect.any(Number) });
    expect(begun).toBe(0);
  });

  it('count failures in a row only, however many there were before a success', async () => {
    open();
    for (let n = 0; n < 5; n++) {
      await failing('a', 2);
      expect(await breakers.run('a', async () => 'ok')).toBe('ok');
    }
    expect(breakers.state('a')).toBe('closed');
  });

  it('forget no failure because time went by', async () => {
    open({ resetMs: 60_000 });
    await failing('a', 2);
    await delay(1_100);
    await failing('b', 1);
    await failing('a', 1);
    expect(breakers.state('a')).toBe('open');
  });

  it('let exactly one through when half open, and close after its success', async () => {
    open();
    await failing('a', 3);
    await rested();
    expect(breakers.state('a')).toBe('half_open');
    let begun = 0;
    let answer: (() => void) | undefined;
    const work = async (): Promise<string> => {
      begun++;
      await new Promise<void>((resolve) => (answer = resolve));
      return 'ok';
    };
    const attempts = Array.from({ length: 20 }, () => breakers.run('a', work));
    const outcomes = Promise.allSettled(attempts);
    await delay(10);
    answer!();
    expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(begun).toBe(1);
    expect(breakers.state('a')).toBe('closed');
    expect(breakers.size).toBe(0);
  });

  it('open again at once when the one let through fails', async () => {
    open();
    await failing('a', 3);
    await rested();
    await failing('a', 1);
    expect(breakers.state('a')).toBe('open');
    await expect(breakers.run('a', async () => 'ok')).rejects.toBeInstanceOf(CircuitOpen);
  });

  it('neither count what says nothing of who was asked, nor close by it', async () => {
    open({ counts: (error) => (error as Error).message !== 'cancelled' });
    await failing('a', 2);
    for (let n = 0; n < 5; n++) await expect(breakers.run('a', fail(new Error('cancelled')))).rejects.toThrow();
    expect(breakers.state('a')).toBe('closed');
    await failing('a', 1);
    expect(breakers.state('a')).toBe('open');
    await rested();
    await expect(breakers.run('a', fail(new Error('cancelled')))).rejects.toThrow('cancelled');
    expect(breakers.state('a')).toBe('open');
  });

  it('keep keys apart', async () => {
    open();
    await failing('a', 3);
    expect(await breakers.run('b', async () => 'ok')).toBe('ok');
    expect(breakers.state('b')).toBe('closed');
  });

  it('track a key from its first failure to its next success', async () => {
    open();
    expect(breakers.tracks('a')).toBe(false);
    await failing('a', 1);
    expect([breakers.tracks('a'), breakers.tracks('b')]).toEqual([true, false]);
    await breakers.run('a', async () => 'ok');
    expect(breakers.tracks('a')).toBe(false);
  });

  it('begin anew when told to forget', async () => {
    open();
    await failing('a', 3);
    breakers.forget('a');
    expect(await breakers.run('a', async () => 'ok')).toBe('ok');
  });

  it('remember thrown things that are no errors', async () => {
    open();
    await expect(breakers.run('a', fail(null))).rejects.toBeNull();
    expect(breakers.size).toBe(1);
  });
});

describe('[DI-13] Breakers', () => {
  it('leave nothing of a key that works', async () => {
    open();
    for (let n = 0; n < 1_000; n++) await breakers.run(`key-${n}`, async () => n);
    expect(breakers.size).toBe(0);
  });

  it('remember at most so many that fail, and no timer of those forgotten', async () => {
    open({ failures: 1, resetMs: 60_000 });
    const timers = new Set<number>();
    const watch = createHook({
      init: (id, type) => void (type === 'Timeout' && timers.add(id)),
      destroy: (id) => void timers.delete(id),
    }).enable();
    for (let n = 0; n < 1_000; n++) await failing(`key-${n}`, 1);
    await turn();
    expect(breakers.size).toBe(10);
    expect(breakers.state('key-999')).toBe('open');
    expect(breakers.state('key-0')).toBe('closed');
    expect(timers.size).toBe(10);
    breakers.close();
    await turn();
    expect([breakers.size, timers.size]).toEqual([0, 0]);
    watch.disable();
  });
});
