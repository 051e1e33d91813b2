import { describe, expect, it } from '@jest/globals';
import { retry } from './retry.js';

const quick = { attempts: 3, firstDelayMs: 1, longestDelayMs: 5 };

describe('retry', () => {
  it('[DI-5] gives the value of the first attempt that succeeds', async () => {
    const attempts: number[] = [];
    const value = await retry(
      async (attempt) => {
        attempts.push(attempt);
        if (attempt < 3) throw new Error('busy');
        return 'done';
      },
      { ...quick, canPass: () => true },
    );
    expect(value).toBe('done');
    expect(attempts).toEqual([1, 2, 3]);
  });

  it('throws the last failure after the last attempt', async () => {
    let attempts = 0;
    const work = retry(async () => Promise.reject(new Error(`failure ${++attempts}`)), {
      ...quick,
      canPass: () => true,
    });
    await expect(work).rejects.toThrow('failure 3');
    expect(attempts).toBe(3);
  });

  it('[DI-5] throws at once what can not pass', async () => {
    let attempts = 0;
    const refused = new Error('refused');
    const work = retry(
      async () => {
        attempts++;
        throw refused;
      },
      { ...quick, canPass: (error) => error !== refused },
    );
    await expect(work).rejects.toBe(refused);
    expect(attempts).toBe(1);
  });

  it('[DI-5] rests longer before each attempt, never longer than it may', async () => {
    const begun: number[] = [];
    await expect(
      retry(
        async () => {
          begun.push(performance.now());
          throw new Error('busy');
        },
        { attempts: 4, firstDelayMs: 20, longestDelayMs: 50, canPass: () => true },
      ),
    ).rejects.toThrow('busy');
    const rests = begun.slice(1).map((at, index) => at - begun[index]!);
    expect(rests[0]).toBeGreaterThanOrEqual(19);
    expect(rests[1]).toBeGreaterThanOrEqual(39);
    expect(rests[2]).toBeLessThan(500);
  });

  it('[DI-5] does not let all who failed at once come back at once', async () => {
    const comesBack = async (): Promise<number> => {
      let attempts = 0;
      const work = async (): Promise<number> => {
        if (++attempts === 1) throw new Error('busy');
        return performance.now();
      };
      return retry(work, { attempts: 2, firstDelayMs: 100, longestDelayMs: 1_000, canPass: () => true });
    };
    await comesBack();
    const begun = performance.now();
    const back = await Promise.all(Array.from({ length: 30 }, comesBack));
    expect(Math.min(...back) - begun).toBeGreaterThanOrEqual(99);
    expect(Math.max(...back) - Math.min(...back)).toBeGreaterThan(40);
  });

  it('ends its rest when the signal aborts', async () => {
    const stop = new AbortController();
    let attempts = 0;
    const work = retry(
      async () => {
        attempts++;
        queueMicrotask(() => stop.abort(new Error('stopped')));
        throw new Error('busy');
      },
      { attempts: 3, firstDelayMs: 60_000, longestDelayMs: 60_000, canPass: () => true, signal: stop.signal },
    );
    await expect(work).rejects.toThrow('stopped');
    expect(attempts).toBe(1);
  });
});
