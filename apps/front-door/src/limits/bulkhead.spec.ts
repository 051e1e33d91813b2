import { describe, expect, it } from '@jest/globals';
import { Fault, type Principal } from '@portico/contracts';
import { Bulkhead } from './bulkhead.js';

const caller = (subject: string, tenant = 'default'): Principal => ({ tenant, subject, scopes: [] });
const [ada, bo, cy] = [caller('ada'), caller('bo'), caller('cy')];
/** How many of so many get in. */
const entered = (bulkhead: Bulkhead, address: string, principal: Principal, tries: number): number =>
  Array.from({ length: tries }, () => bulkhead.enter(address, principal)).filter((fault) => fault === undefined).length;

describe('[FD-33] the bulkhead', () => {
  it('gives one domain so many places, and another its own', () => {
    const bulkhead = new Bulkhead({ concurrency: 64, halved: false });
    expect(entered(bulkhead, 'slow', ada, 100)).toBe(64);
    expect(entered(bulkhead, 'quick', ada, 100)).toBe(64);
  });

  it('refuses with RATE_LIMITED, executed no, and a time to come again', () => {
    const bulkhead = new Bulkhead({ concurrency: 1, halved: false });
    bulkhead.enter('slow', ada);
    const fault = bulkhead.enter('slow', bo);
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ code: 'RATE_LIMITED', executed: 'no', retryAfterMs: 1_000 });
  });

  it('gives one principal at most half of a domain, so that others find room', () => {
    const bulkhead = new Bulkhead({ concurrency: 7, halved: true });
    expect(entered(bulkhead, 'slow', ada, 20)).toBe(3);
    expect(bulkhead.enter('slow', caller('ada'))).toMatchObject({ code: 'RATE_LIMITED', executed: 'no' });
    expect(entered(bulkhead, 'slow', bo, 20)).toBe(3);
    expect(entered(bulkhead, 'slow', cy, 20)).toBe(1);
    expect(entered(bulkhead, 'slow', cy, 20)).toBe(0);
    expect(entered(bulkhead, 'quick', ada, 20)).toBe(3);
  });

  it('gives the only place of a domain to whoever asks first', () => {
    const bulkhead = new Bulkhead({ concurrency: 1, halved: true });
    expect(entered(bulkhead, 'slow', ada, 9)).toBe(1);
    expect(entered(bulkhead, 'slow', bo, 9)).toBe(0);
    bulkhead.leave('slow', ada);
    expect(entered(bulkhead, 'slow', bo, 9)).toBe(1);
  });

  it('takes nobody for another whose tenant and name read alike', () => {
    const bulkhead = new Bulkhead({ concurrency: 2, halved: true });
    expect(bulkhead.enter('slow', caller('b:c', 'a'))).toBeUndefined();
    expect(bulkhead.enter('slow', caller('c', 'a:b'))).toBeUndefined();
  });

  it('has the place again that is left, for the domain and for the principal', () => {
    const bulkhead = new Bulkhead({ concurrency: 4, halved: true });
    for (let round = 0; round < 3; round += 1) {
      expect(entered(bulkhead, 'slow', ada, 9)).toBe(2);
      expect(entered(bulkhead, 'slow', bo, 9)).toBe(2);
      for (const one of [ada, ada, bo, bo]) bulkhead.leave('slow', one);
    }
  });

  it('bounds nothing at 0', () => {
    const bulkhead = new Bulkhead({ concurrency: 0, halved: true });
    expect(entered(bulkhead, 'slow', ada, 10_000)).toBe(10_000);
  });

  it('keeps little of what runs no more: domains and principals beyond some hundreds are forgotten', () => {
    const bulkhead = new Bulkhead({ concurrency: 8, halved: true });
    bulkhead.enter('busy', ada);
    for (let n = 0; n < 10_000; n += 1) {
      expect(bulkhead.enter(`domain-${n}`, bo)).toBeUndefined();
      bulkhead.leave(`domain-${n}`, bo);
      expect(bulkhead.enter('busy', caller(`${n}`))).toBeUndefined();
      bulkhead.leave('busy', caller(`${n}`));
    }
    expect(bulkhead.size).toBeLessThan(1_000);
    expect(bulkhead.sizeOf('busy')).toBeLessThan(1_000);
    expect(entered(bulkhead, 'busy', ada, 9)).toBe(3);
  });
});
