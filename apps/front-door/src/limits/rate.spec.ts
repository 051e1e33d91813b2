import { describe, expect, it } from '@jest/globals';
import { PrincipalLoad } from './principal-loads.js';
import { Rate } from './rate.js';

/** How many of requests sent each `everyMs` are let through in `forMs`. */
const letThrough = (rate: Rate, load: PrincipalLoad, everyMs: number, forMs: number, from = 0): number => {
  let count = 0;
  for (let now = from; now < from + forMs; now += everyMs) if (rate.take(load, now) === 0) count += 1;
  return count;
};

describe('[FD-5] the rate of a principal', () => {
  it.each([
    [50, 100],
    [3, 7],
    [7, 1],
  ])('%i/s with a burst of %i lets exactly the burst through at once', (perSecond, burst) => {
    const rate = new Rate(perSecond, burst);
    const load = new PrincipalLoad('a');
    for (let n = 0; n < burst; n += 1) expect(rate.take(load, 1_000)).toBe(0);
    const wait = rate.take(load, 1_000);
    expect(wait).toBeCloseTo(1_000 / perSecond, 3);
    // A refusal costs nothing: it is as long until the next token as it was said to be.
    expect(rate.take(load, 1_000 + wait)).toBe(0);
    expect(rate.take(load, 1_000 + wait)).toBeGreaterThan(0);
  });

  it('lets the rate through of any number, and the burst again after a rest', () => {
    const rate = new Rate(50, 100);
    const load = new PrincipalLoad('a');
    expect(letThrough(rate, load, 1, 10_000)).toBe(599);
    expect(letThrough(rate, load, 1, 1_000, 60_000)).toBe(149);
  });

  it('never refuses who keeps to it', () => {
    const rate = new Rate(50, 1);
    expect(letThrough(rate, new PrincipalLoad('a'), 20, 20_000)).toBe(1_000);
  });

  it('gives a token back, and waits for the bucket that all share', () => {
    const rate = new Rate(10, 5);
    const load = new PrincipalLoad('a');
    for (let n = 0; n < 5; n += 1) rate.take(load, 0);
    rate.giveBack(load);
    rate.lacking(load, 250, 0);
    expect(rate.take(load, 100)).toBeCloseTo(150);
    expect(rate.take(load, 250)).toBe(0);
    expect(rate.take(load, 250)).toBeGreaterThan(0);
  });
});
