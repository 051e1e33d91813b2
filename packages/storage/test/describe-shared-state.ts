import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SharedState } from '@portico/storage';

export interface SharedStateUnderTest {
  /** What one process has of it. */
  open(): Promise<SharedState>;
  close(): Promise<void>;
}

const LONG = { ttlMs: 60_000 };

/** The suite that every shared state passes. */
export function describeSharedState(name: string, start: () => Promise<SharedStateUnderTest>): void {
  describe(`shared state: ${name}`, () => {
    let store: SharedStateUnderTest;
    let state: SharedState;
    let keys = 0;
    const fresh = (): string => `test:${(keys += 1)}`;

    beforeAll(async () => {
      store = await start();
      state = await store.open();
    }, 60_000);
    afterAll(async () => {
      await state?.close();
      await store?.close();
    });

    it('has nothing at first', async () => {
      const key = fresh();
      expect(await state.get(key)).toBeUndefined();
      expect(await state.deleteIfEqual(key, '')).toBe(false);
      await state.delete(key);
    });

    it.each([['text'], [''], ['\u0000\r\n$-1\r\n'], ['😀 é'], ['undefined']])('keeps %j', async (value) => {
      const key = fresh();
      await state.set(key, value, LONG);
      expect(await state.get(key)).toBe(value);
      await state.set(key, 'replaced', LONG);
      expect(await state.get(key)).toBe('replaced');
      await state.delete(key);
      expect(await state.get(key)).toBeUndefined();
    });

    it('keeps a million characters', async () => {
      const key = fresh();
      await state.set(key, 'x'.repeat(1_000_000), LONG);
      expect((await state.get(key))?.length).toBe(1_000_000);
      await state.delete(key);
    });

    it.each(['__proto__', 'constructor', 'a b', 'é', '*', '{a}b', '\u0000'])('takes the key %j', async (key) => {
      await state.set(key, 'value', LONG);
      expect(await state.get(key)).toBe('value');
      await state.delete(key);
      expect(await state.get(key)).toBeUndefined();
    });

    it('sets once for all who ask at once', async () => {
      const key = fresh();
      const told = await Promise.all(Array.from({ length: 100 }, (_, n) => state.setIfAbsent(key, `${n}`, LONG)));
      expect(told.filter(Boolean)).toHaveLength(1);
      expect(await state.get(key)).toBe(`${told.indexOf(true)}`);
    });

    it('deletes only what is still equal, once', async () => {
      const key = fresh();
      await state.set(key, 'mine', LONG);
      expect(await state.deleteIfEqual(key, 'yours')).toBe(false);
      expect(await state.get(key)).toBe('mine');
      const told = await Promise.all(Array.from({ length: 10 }, () => state.deleteIfEqual(key, 'mine')));
      expect(told.filter(Boolean)).toHaveLength(1);
      expect(await state.setIfAbsent(key, 'next', LONG)).toBe(true);
    });

    it('forgets after its time, for every question', async () => {
      const [a, b, c] = [fresh(), fresh(), fresh()];
      for (const key of [a, b, c]) await state.set(key, 'old', { ttlMs: 40 });
      await delay(120);
      expect(await state.get(a)).toBeUndefined();
      expect(await state.deleteIfEqual(b, 'old')).toBe(false);
      expect(await state.setIfAbsent(c, 'new', LONG)).toBe(true);
    });

    it('has the time of the last write, and none of a write that was refused', async () => {
      const [longer, refused] = [fresh(), fresh()];
      await state.set(longer, 'a', { ttlMs: 40 });
      await state.set(longer, 'b', LONG);
      await state.set(refused, 'a', { ttlMs: 40 });
      await state.setIfAbsent(refused, 'b', LONG);
      await delay(120);
      expect(await state.get(longer)).toBe('b');
      expect(await state.get(refused)).toBeUndefined();
    });

    it('takes a part of a millisecond as one, and refuses what is no time', async () => {
      const key = fresh();
      await state.set(key, 'a', { ttlMs: 59_999.5 });
      expect(await state.get(key)).toBe('a');
      for (const ttlMs of [0, -1, NaN, Infinity, 0.5]) {
        await expect(state.set(key, 'b', { ttlMs })).rejects.toThrow(RangeError);
        await expect(state.setIfAbsent(fresh(), 'b', { ttlMs })).rejects.toThrow(RangeError);
      }
      expect(await state.get(key)).toBe('a');
    });

    it('takes nothing after it is closed, and closes twice', async () => {
      const closing = await store.open();
      await closing.close();
      await closing.close();
      await expect(closing.get('a')).rejects.toMatchObject({ code: 'closed' });
      await expect(closing.set('a', 'b', LONG)).rejects.toMatchObject({ code: 'closed' });
      await expect(closing.deleteIfEqual('a', 'b')).rejects.toMatchObject({ code: 'closed' });
    });
  });
}
