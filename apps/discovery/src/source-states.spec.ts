import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { SourceAddress } from '@portico/contracts';
import { SourceStates } from './source-states.js';

const TTL_MS = 300_000;
const A = 'upstream.a';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const open = (): SourceStates => new SourceStates({ ttlMs: TTL_MS, graceMs: 3_600_000 });
const keep = (states: SourceStates, source: SourceAddress = A, ownTtlMs?: number): void => {
  const at = performance.timeOrigin + performance.now();
  states.kept(source, { revision: 'r', at, ownTtlMs, configuration: 'c' }, 1);
};
/** Milliseconds until it is due, in steps; undefined: not within so long. */
const dueAfter = (states: SourceStates, mostMs: number, stepMs = 100): number | undefined => {
  for (let ms = 0; ms <= mostMs; ms += stepMs, jest.advanceTimersByTime(stepMs)) {
    if (states.isDueInBackground(A)) return ms;
  }
  return undefined;
};

describe('[DI-12] a source is probed again in the background', () => {
  it('before it is stale, and not at the same moment as others', () => {
    const states = open();
    const sources = Array.from({ length: 200 }, (_, n) => `upstream.s${n}` as const);
    for (const source of sources) keep(states, source);
    const dueAt = (): number => sources.filter((source) => states.isDueInBackground(source)).length;
    jest.advanceTimersByTime(TTL_MS * 0.69);
    expect(dueAt()).toBe(0);
    jest.advanceTimersByTime(TTL_MS * 0.11);
    expect(dueAt()).toBeGreaterThan(40);
    expect(dueAt()).toBeLessThan(160);
    jest.advanceTimersByTime(TTL_MS * 0.11);
    expect(dueAt()).toBe(200);
    expect(states.state(sources[0]!)).toBe('fresh');
  });

  it('when it was used within the last TTL, and not when that was longer ago', () => {
    const states = open();
    keep(states);
    jest.advanceTimersByTime(TTL_MS * 1.1);
    expect(states.isDueInBackground(A)).toBe(false);
    states.used(A);
    expect(states.isDueInBackground(A)).toBe(true);
    jest.advanceTimersByTime(TTL_MS * 1.01);
    expect(states.isDueInBackground(A)).toBe(false);
  });

  it('a moment after it has failed, while it is in use', () => {
    const states = open();
    keep(states);
    states.failed(A, 'timeout', 'c', 1);
    expect(dueAfter(states, 60_000)).toBeGreaterThanOrEqual(5_000);
    states.failed(A, 'timeout', 'c', 1);
    expect(dueAfter(states, 60_000)).toBeLessThanOrEqual(7_600);
  });

  it('no more often than each five seconds, however short-lived it calls its lists', () => {
    const states = open();
    keep(states, A, 0);
    expect(dueAfter(states, 60_000)).toBeGreaterThanOrEqual(3_500);
    expect(states.state(A)).toBe('stale');
  });
});

describe('[DI-7] the grace', () => {
  it('begins with the first failure, or with the end of the time when that is later', () => {
    const states = open();
    keep(states);
    states.failed(A, 'timeout', 'c', 1);
    jest.advanceTimersByTime(TTL_MS + 3_599_000);
    states.failed(A, 'timeout', 'c', 1);
    expect(states.state(A)).toBe('stale');
    jest.advanceTimersByTime(2_000);
    expect(states.state(A)).toBe('unavailable');

    keep(states);
    jest.advanceTimersByTime(TTL_MS + 7_200_000);
    states.failed(A, 'timeout', 'c', 1);
    expect(states.state(A)).toBe('stale');
    jest.advanceTimersByTime(3_601_000);
    expect(states.state(A)).toBe('unavailable');
  });
});
