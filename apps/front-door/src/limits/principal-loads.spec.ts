import { describe, expect, it } from '@jest/globals';
import { PrincipalLoads } from './principal-loads.js';

describe('[FD-5] the loads of principals', () => {
  it('are one for each, while it comes', () => {
    const loads = new PrincipalLoads(1_000);
    let now = performance.now();
    const load = loads.of('a', now);
    for (let n = 0; n < 10; n += 1) expect(loads.of('a', (now += 9_000))).toBe(load);
    expect(loads.of('b', now)).not.toBe(load);
  });

  it('are forgotten once they have rested for longer than a bucket takes to fill', () => {
    const loads = new PrincipalLoads(30_000);
    let now = performance.now();
    const load = loads.of('a', now);
    loads.of('b', (now += 31_000));
    expect(loads.of('a', now)).toBe(load);
    loads.of('b', (now += 31_000));
    loads.of('b', (now += 31_000));
    expect(loads.size).toBe(2);
    expect(loads.of('a', now)).not.toBe(load);
  });

  it('are remembered for as long as something runs', () => {
    const loads = new PrincipalLoads(1_000);
    let now = performance.now();
    const load = loads.of('a', now);
    load.running = 1;
    for (let n = 0; n < 5; n += 1) loads.of('b', (now += 11_000));
    expect([...loads.running()]).toEqual([load]);
    expect(loads.of('a', now)).toBe(load);
  });

  it('are bounded, however many come, and lose nothing that runs', () => {
    const loads = new PrincipalLoads(1e9);
    const now = performance.now();
    const busy = loads.of('busy', now);
    busy.running = 1;
    for (let n = 0; n < 250_000; n += 1) loads.of(`${n}`, now);
    expect(loads.size).toBeLessThanOrEqual(100_001);
    expect(loads.of('busy', now)).toBe(busy);
  });
});
