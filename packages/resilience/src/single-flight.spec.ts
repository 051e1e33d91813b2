import { describe, expect, it } from '@jest/globals';
import { singleFlight } from './single-flight.js';

describe('singleFlight', () => {
  it('does the work once for a thousand who ask at the same time', async () => {
    const share = singleFlight<string, number>();
    let done = 0;
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => share('one', async () => ++done)));
    expect(done).toBe(1);
    expect(new Set(answers)).toEqual(new Set([1]));
  });

  it('keeps keys apart', async () => {
    const share = singleFlight<string, string>();
    expect(await Promise.all([share('a', async () => 'a'), share('b', async () => 'b')])).toEqual(['a', 'b']);
  });

  it('gives everyone the failure, and begins anew after it', async () => {
    const share = singleFlight<string, string>();
    const fail = (): Promise<string> => {
      throw new Error('no');
    };
    const outcomes = await Promise.allSettled([share('a', fail), share('a', async () => 'never run')]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(await share('a', async () => 'again')).toBe('again');
  });
});
