import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Bus, type Subscription, memoryBus } from '@portico/bus';
import { Fault, invalidateAnswers, invalidationConfirmed, invalidationPending } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { Invalidations, LONGEST_TTL_MS } from './invalidations.js';

const BUDGET_MS = 2_000;
const log = createLog({ name: 'test', format: 'json', level: 'error', write: () => undefined });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (holds: () => boolean) => {
  for (const end = Date.now() + 20_000; !holds() && Date.now() < end;) await pause(10);
  expect(holds()).toBe(true);
};

describe('[SC-10][SC-12] invalidations', () => {
  let bus: Bus;
  let one: Invalidations;
  let other: Invalidations;
  let told: string[];
  beforeEach(async () => {
    bus = memoryBus();
    one = await Invalidations.open(bus, { budgetMs: BUDGET_MS, log });
    other = await Invalidations.open(bus, { budgetMs: BUDGET_MS, log });
    told = [];
    await bus.listen(invalidationPending, ({ id }) => void told.push(`pending ${id}`));
    await bus.listen(invalidationConfirmed, ({ id }) => void told.push(`confirmed ${id}`));
  });
  afterEach(async () => {
    await one.close();
    await other.close();
    await bus.close();
  });
  const serve = (answer: () => Promise<void>): Promise<Subscription> =>
    bus.serve(invalidateAnswers, async () => {
      await answer();
      return { erased: 0, epoch: 1 };
    });

  it('one that is confirmed is nobody’s concern afterwards', async () => {
    await serve(async () => expect(one.awaited('t', 'a.get')).toBe(true));
    await one.drop('t', ['a.*']);
    expect([one.awaited('t', 'a.get'), other.awaited('t', 'a.get'), told]).toEqual([false, false, []]);
  });

  it('is known at once to be unconfirmed where nobody serves the cache, by every front door', async () => {
    const started = performance.now();
    await one.drop('t', ['a.get']);
    // Not the budget, and the others have heard.
    expect(performance.now() - started).toBeLessThan(BUDGET_MS / 2);
    for (const door of [one, other]) {
      expect(door.awaited('t', 'a.get')).toBe(true);
      expect([door.awaited('t', 'a.list'), door.awaited('u', 'a.get'), door.awaited('t', 'b.get')]).toEqual([
        false,
        false,
        false,
      ]);
    }
  });

  it('takes its budget, no more, where the cache fails or is silent, and all pass it by until it has confirmed', async () => {
    let asked = 0;
    await serve(async () => {
      asked += 1;
      if (asked === 1) await pause(BUDGET_MS * 1.5);
      if (asked === 2) throw new Fault('BACKEND_UNAVAILABLE', 'Not now.');
    });
    const started = performance.now();
    await one.drop('t', ['a.get']);
    const took = performance.now() - started;
    expect(took).toBeGreaterThan(BUDGET_MS * 0.9);
    expect(took).toBeLessThan(BUDGET_MS * 3);
    expect([one.awaited('t', 'a.get'), other.awaited('t', 'a.get')]).toEqual([true, true]);
    await until(() => !one.awaited('t', 'a.get') && !other.awaited('t', 'a.get'));
    expect(asked).toBe(3);
  });

  it('many of the same wait for one confirmation, which is asked for after the last of them', async () => {
    for (let n = 0; n < 50; n++) await one.drop('t', ['a.get']);
    expect(new Set(told).size).toBe(1);
    let asked = 0;
    await serve(async () => void (asked += 1));
    await until(() => !other.awaited('t', 'a.get'));
    expect([one.awaited('t', 'a.get'), asked]).toEqual([false, 1]);
  });

  it('are heard by a front door that was started later', async () => {
    await one.drop('t', ['a.get']);
    const late = await Invalidations.open(bus, { budgetMs: BUDGET_MS, log });
    await until(() => late.awaited('t', 'a.get'));
    await late.close();
  });

  it('of a front door that has died are asked for by another one, once it is silent for long', async () => {
    jest.useFakeTimers();
    const heir = await Invalidations.open(bus, { budgetMs: BUDGET_MS, log });
    try {
      let asked = 0;
      let fails = true;
      await serve(async () => {
        asked += 1;
        if (fails) throw new Fault('BACKEND_UNAVAILABLE', 'Not now.');
      });
      bus.tell(invalidationPending, { id: 'of one that has died', tenant: 't', patterns: ['a.get'] });
      await jest.advanceTimersByTimeAsync(45_000);
      expect([heir.awaited('t', 'a.get'), asked]).toEqual([true, 0]);
      await jest.advanceTimersByTimeAsync(60_000);
      // Passed by until it is confirmed, however often that fails.
      expect(asked).toBeGreaterThan(2);
      expect(heir.awaited('t', 'a.get')).toBe(true);
      fails = false;
      await jest.advanceTimersByTimeAsync(30_000);
      expect([heir.awaited('t', 'a.get'), one.awaited('t', 'a.get')]).toEqual([false, false]);
      expect(told).toContain('confirmed of one that has died');
    } finally {
      await heir.close();
      jest.useRealTimers();
    }
  });

  it('of its own are never taken for another’s, however long it slept', async () => {
    jest.useFakeTimers();
    const sleeper = await Invalidations.open(bus, { budgetMs: BUDGET_MS, log });
    const clock = jest.spyOn(performance, 'now');
    try {
      const dropping = sleeper.drop('t', ['a.get']);
      await jest.advanceTimersByTimeAsync(14_000);
      await dropping;
      const now = performance.now();
      clock.mockReturnValue(now + 120_000);
      await jest.advanceTimersByTimeAsync(1_500);
      expect([sleeper.awaited('t', 'a.get'), told.filter((line) => line.startsWith('confirmed'))]).toEqual([true, []]);
    } finally {
      clock.mockRestore();
      await sleeper.close();
      jest.useRealTimers();
    }
  });

  it('are remembered as long as an entry may live at most', async () => {
    bus.tell(invalidationPending, { id: 'of a front door that has died', tenant: 't', patterns: ['a.get'] });
    await pause(0);
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now');
    try {
      clock.mockReturnValue(now + LONGEST_TTL_MS - 60_000);
      expect(other.awaited('t', 'a.get')).toBe(true);
      clock.mockReturnValue(now + LONGEST_TTL_MS + 60_000);
      expect(other.awaited('t', 'a.get')).toBe(false);
    } finally {
      clock.mockRestore();
    }
  });

  it('beyond what can be remembered keep the cache out of the path', async () => {
    for (let n = 0; n < 10_001; n++)
      bus.tell(invalidationPending, { id: String(n), tenant: `t${n}`, patterns: ['a.get'] });
    await pause(0);
    expect([other.awaited('t10000', 'a.get'), other.awaited('nobody', 'b.get')]).toEqual([true, true]);
  });
});
