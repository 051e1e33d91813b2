import { describe, expect, it } from '@jest/globals';
import { openSharedState } from '@portico/storage';
import { describeSharedState } from './describe-shared-state.js';

describeSharedState('memory', async () => ({ open: () => openSharedState('memory:'), close: async () => {} }));

describe('shared state in memory', () => {
  it('refuses when it is full of what has not expired, and goes on when something has', async () => {
    const state = await openSharedState('memory:');
    for (let n = 0; n < 100_000; n += 1) await state.set(`k${n}`, '', { ttlMs: n === 5 ? 1 : 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await state.setIfAbsent('one more', '', { ttlMs: 60_000 })).toBe(true);
    await expect(state.set('too many', '', { ttlMs: 60_000 })).rejects.toMatchObject({ code: 'full' });
    expect(await state.get('k0')).toBe('');
    await state.set('k0', 'replaced', { ttlMs: 60_000 });
    await state.delete('k0');
    await state.set('too many', '', { ttlMs: 60_000 });
    await state.close();
  });

  it('is bounded in characters too', async () => {
    const state = await openSharedState('memory:');
    const large = 'x'.repeat(30 * 1024 * 1024);
    await state.set('a', large, { ttlMs: 60_000 });
    await state.set('a', large, { ttlMs: 60_000 });
    await state.set('b', large, { ttlMs: 60_000 });
    await expect(state.set('c', large, { ttlMs: 60_000 })).rejects.toMatchObject({ code: 'full' });
    await state.delete('b');
    await state.set('c', large, { ttlMs: 60_000 });
    await state.close();
  });

  it('holds no timer: a process with entries of an hour ends', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const state = await openSharedState('memory:');
    for (let n = 0; n < 1_000; n += 1) await state.set(`k${n}`, '', { ttlMs: 3_600_000 });
    expect(timers()).toBeLessThanOrEqual(before);
    await state.close();
  });
});

describe('REDIS_URL', () => {
  it.each(['', 'memory', 'http://u:hush@h', 'redis//u:hush@h', 'user:hush@h:1'])(
    'refuses %j in a sentence without it',
    async (url) => {
      const error: unknown = await openSharedState(url).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'rejected' });
      expect(String(error)).toContain('REDIS_URL takes');
      expect(String(error)).not.toContain('hush');
    },
  );
});
