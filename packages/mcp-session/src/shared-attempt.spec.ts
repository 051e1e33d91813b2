import { describe, expect, it } from '@jest/globals';
import { SharedAttempt } from './shared-attempt.js';

const never = (): AbortSignal => new AbortController().signal;
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describe('SharedAttempt', () => {
  it('gives one outcome to all who wait', async () => {
    let runs = 0;
    const attempt = new SharedAttempt(1_000, async () => ++runs);
    expect(await Promise.all([1, 2, 3].map(() => attempt.join(never(), () => 'left')))).toEqual([1, 1, 1]);
  });

  it('lets one leave without ending it for the others', async () => {
    let finish = (_: string): void => undefined;
    const attempt = new SharedAttempt(10_000, () => new Promise<string>((resolve) => (finish = resolve)));
    const leaving = new AbortController();
    const left = attempt.join(leaving.signal, () => new Error('left'));
    const stays = attempt.join(never(), () => new Error('left'));
    leaving.abort();
    await expect(left).rejects.toThrow('left');
    await expect(attempt.join(AbortSignal.abort(), () => new Error('too late'))).rejects.toThrow('too late');
    finish('done');
    expect(await stays).toBe('done');
  });

  it('is aborted at its limit with a TimeoutError, whoever waits', async () => {
    const attempt = new SharedAttempt(20, untilAborted);
    await expect(attempt.join(never(), () => 'left')).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('whose failure nobody waits for is nobody’s unhandled rejection', async () => {
    const attempt = new SharedAttempt(1_000, untilAborted);
    attempt.abort(new Error('over'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(attempt.outcome).rejects.toThrow('over');
  });
});
