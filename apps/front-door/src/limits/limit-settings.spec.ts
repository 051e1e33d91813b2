import { describe, expect, it } from '@jest/globals';
import { readSettings } from '@portico/settings';
import { limitSettings, readLimits } from './limit-settings.js';

const limits = (env: Record<string, string>, authMode: string) =>
  readLimits(readSettings(limitSettings, env), authMode);

describe('[FD-5][FD-33] limits', () => {
  it('are 50/s with bursts of 100, 128 each, 1,024 of all and 64 of a domain where callers are told apart', () => {
    for (const mode of ['api-key', 'jwt']) {
      expect(limits({}, mode)).toEqual({
        rate: { perSecond: 50, burst: 100 },
        concurrency: { each: 128, total: 1_024 },
        domain: { concurrency: 64, halved: true },
        breaker: { failures: 5, resetMs: 30_000 },
      });
    }
  });

  it('have nothing that bounds a principal in none mode, where all are one', () => {
    expect(limits({}, 'none')).toEqual({
      rate: { perSecond: 0, burst: 100 },
      concurrency: { each: 0, total: 1_024 },
      domain: { concurrency: 64, halved: false },
      breaker: { failures: 5, resetMs: 30_000 },
    });
  });

  it('are what is set, in none mode too; 0 is a value', () => {
    const env = { RATE_LIMIT_PER_SECOND: '7', CONCURRENCY_LIMIT: '3', TOTAL_CONCURRENCY_LIMIT: '0' };
    for (const mode of ['none', 'jwt']) {
      expect(limits(env, mode)).toMatchObject({ rate: { perSecond: 7 }, concurrency: { each: 3, total: 0 } });
    }
    expect(limits({ RATE_LIMIT_PER_SECOND: '0' }, 'jwt').rate.perSecond).toBe(0);
  });

  it.each(['RATE_LIMIT_BURST', 'BREAKER_FAILURES'])('refuse %s=0', (name) => {
    expect(() => limits({ [name]: '0' }, 'jwt')).toThrow(name);
  });
});
