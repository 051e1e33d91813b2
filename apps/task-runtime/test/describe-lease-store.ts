import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LeaseRequest, LeaseStore } from '../src/lease-store.js';

export interface LeaseStoreUnderTest {
  /** What one process has of it. */
  open(): Promise<LeaseStore>;
  close(): Promise<void>;
}

const LONG_MS = 60_000;
const SHORT_MS = 150;
const ask = (name: string, more: Partial<LeaseRequest> = {}): LeaseRequest => ({
  proof: `proof of ${name}`,
  ref: `ref-${name}`,
  ttlMs: LONG_MS,
  ...more,
});

/** The suite that every store of leases passes. */
export function describeLeaseStore(name: string, start: () => Promise<LeaseStoreUnderTest>): void {
  describe(`[LE-1] leases: ${name}`, () => {
    let under: LeaseStoreUnderTest;
    let leases: LeaseStore;
    let places = 0;
    const fresh = (): string => `place-${(places += 1)}`;

    beforeAll(async () => {
      under = await start();
      leases = await under.open();
    }, 60_000);
    afterAll(async () => {
      await leases?.close();
      await under?.close();
    });

    it('has none at first', async () => {
      const place = fresh();
      expect(await leases.find(place)).toBeUndefined();
      expect(await leases.renew(place, 'proof')).toEqual({ state: 'free' });
      expect(await leases.renew(place, 'proof', 1_000)).toEqual({ state: 'free' });
      expect(await leases.release(place, 'proof')).toEqual({ state: 'free' });
      expect(await leases.find(place)).toBeUndefined();
    });

    it('grants a place once for all who ask at once, and tells the others who has it', async () => {
      const place = fresh();
      const asked = Array.from({ length: 100 }, (_, n) =>
        leases.acquire(place, ask(`${n}`, { agent: `agent-${n}`, taskId: `task-${n}` })),
      );
      const found = await Promise.all(asked);
      const granted = found.filter(({ state }) => state === 'live');
      expect(granted).toHaveLength(1);
      const { lease } = granted[0]!;
      const winner = found.indexOf(granted[0]!);
      expect(lease).toEqual({
        ref: `ref-${winner}`,
        agent: `agent-${winner}`,
        taskId: `task-${winner}`,
        fence: expect.any(Number),
        expiresAt: expect.any(Number),
      });
      for (const other of found.filter((one) => one !== granted[0])) expect(other).toEqual({ state: 'held', lease });
      expect(await leases.find(place)).toEqual(lease);
    });

    it('grants nothing again to who has it already', async () => {
      const place = fresh();
      const { lease } = await leases.acquire(place, ask('mine'));
      expect(await leases.acquire(place, ask('mine', { ref: 'other' }))).toEqual({ state: 'held', lease });
    });

    it('says how long it lasts, to within what asking takes', async () => {
      const place = fresh();
      const before = await leases.acquire(fresh(), ask('before', { ttlMs: 1 }));
      const { lease } = await leases.acquire(place, ask('mine', { ttlMs: 30_000 }));
      const after = await leases.acquire(fresh(), ask('after', { ttlMs: 1 }));
      expect(lease.expiresAt).toBeGreaterThanOrEqual(before.lease.expiresAt + 29_998);
      expect(lease.expiresAt).toBeLessThanOrEqual(after.lease.expiresAt + 30_000);
    });

    it('is opened by its proof alone, and by nothing once it is given back', async () => {
      const [place, other] = [fresh(), fresh()];
      const { lease } = await leases.acquire(place, ask('mine'));
      const elsewhere = await leases.acquire(other, ask('yours'));
      for (const wrong of ['', 'proof of yours', 'proof of min', 'PROOF OF MINE', lease.ref, 'proof of mine ']) {
        expect(await leases.renew(place, wrong)).toEqual({ state: 'held', lease });
        expect(await leases.renew(place, wrong, LONG_MS * 2)).toEqual({ state: 'held', lease });
        expect(await leases.release(place, wrong)).toEqual({ state: 'held', lease });
      }
      expect(await leases.renew(other, 'proof of mine')).toEqual({ state: 'held', lease: elsewhere.lease });
      expect(await leases.find(place)).toEqual(lease);
      expect(await leases.release(place, 'proof of mine')).toMatchObject({ state: 'live', lease: { ref: lease.ref } });
      for (const ended of [leases.renew(place, 'proof of mine', 1), leases.release(place, 'proof of mine')])
        expect(await ended).toEqual({ state: 'free' });
      const next = await leases.acquire(place, ask('next'));
      expect(next.state).toBe('live');
      expect(await leases.renew(place, 'proof of mine')).toEqual({ state: 'held', lease: next.lease });
      expect(await leases.release(place, 'proof of mine')).toEqual({ state: 'held', lease: next.lease });
    });

    it('tells when one that is given back ended', async () => {
      const place = fresh();
      const { lease } = await leases.acquire(place, ask('mine'));
      const ended = await leases.release(place, 'proof of mine');
      const later = await leases.acquire(place, ask('next', { ttlMs: 1_000 }));
      expect(ended).toEqual({ state: 'live', lease: { ...lease, expiresAt: expect.any(Number) } });
      const endedAt = ended.state === 'live' ? ended.lease.expiresAt : NaN;
      expect(endedAt).toBeGreaterThanOrEqual(lease.expiresAt - LONG_MS);
      expect(endedAt).toBeLessThanOrEqual(later.lease.expiresAt - 999);
    });

    it('ends by itself, for every question', async () => {
      const places = Array.from({ length: 5 }, fresh);
      for (const place of places) await leases.acquire(place, ask('old', { ttlMs: SHORT_MS }));
      await delay(SHORT_MS * 2);
      const [found, renewed, kept, released, acquired] = places as [string, string, string, string, string];
      expect(await leases.find(found)).toBeUndefined();
      expect(await leases.renew(renewed, 'proof of old')).toEqual({ state: 'free' });
      expect(await leases.renew(kept, 'proof of old', LONG_MS)).toEqual({ state: 'free' });
      expect(await leases.release(released, 'proof of old')).toEqual({ state: 'free' });
      expect(await leases.acquire(acquired, ask('new'))).toMatchObject({ state: 'live', lease: { ref: 'ref-new' } });
    });

    it('is renewed for its own time, or for as long as it must last, and shortened by nothing', async () => {
      const place = fresh();
      const { lease } = await leases.acquire(place, ask('mine', { ttlMs: 5_000 }));
      const expiry = async (keepMs?: number): Promise<number> => {
        const found = await leases.renew(place, 'proof of mine', keepMs);
        if (found.state !== 'live') throw new Error(found.state);
        expect(found.lease).toEqual({ ...lease, expiresAt: found.lease.expiresAt });
        expect(await leases.find(place)).toEqual(found.lease);
        return found.lease.expiresAt;
      };
      expect(await expiry(1)).toBe(lease.expiresAt);
      expect(await expiry(4_000)).toBe(lease.expiresAt);
      await delay(20);
      const renewed = await expiry();
      expect(renewed).toBeGreaterThan(lease.expiresAt);
      const kept = await expiry(LONG_MS);
      expect(kept).toBeGreaterThanOrEqual(renewed + LONG_MS - 5_000);
      expect(await expiry()).toBe(kept);
      expect(await expiry(0.5)).toBe(kept);
    });

    it('lives on while it is renewed', async () => {
      const place = fresh();
      await leases.acquire(place, ask('mine', { ttlMs: 2_500 }));
      const until = performance.now() + 3_500;
      while (performance.now() < until) {
        expect(await leases.renew(place, 'proof of mine')).toMatchObject({ state: 'live' });
        expect(await leases.acquire(place, ask('other'))).toMatchObject({ state: 'held' });
        await delay(100);
      }
    });

    it('gives each grant a larger fence than all before it, not before the microsecond that it is given in', async () => {
      const fences: number[] = [];
      for (let round = 0; round < 50; round += 1) {
        const place = fresh();
        fences.push((await leases.acquire(place, ask('a'))).lease.fence);
        await leases.release(place, 'proof of a');
        const { lease } = await leases.acquire(place, ask('b', { ttlMs: LONG_MS }));
        fences.push(lease.fence);
        expect(lease.fence).toBeGreaterThanOrEqual((lease.expiresAt - LONG_MS) * 1_000 - 1_000);
        expect(await leases.renew(place, 'proof of b')).toMatchObject({ lease: { fence: lease.fence } });
      }
      expect(fences.every(Number.isSafeInteger)).toBe(true);
      expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
    });

    it('keeps no agent and no task where none was named', async () => {
      const place = fresh();
      const { lease } = await leases.acquire(place, ask('mine', { agent: undefined, taskId: undefined }));
      expect(Object.keys(lease).sort()).toEqual(['expiresAt', 'fence', 'ref']);
      expect(Object.keys((await leases.find(place))!).sort()).toEqual(['expiresAt', 'fence', 'ref']);
    });

    it('tells nothing after it is closed, and closes twice', async () => {
      const closing = await under.open();
      await closing.close();
      await closing.close();
      const unavailable = { code: 'BACKEND_UNAVAILABLE', executed: 'no' };
      await expect(closing.acquire('a', ask('a'))).rejects.toMatchObject(unavailable);
      await expect(closing.renew('a', 'a')).rejects.toMatchObject(unavailable);
      await expect(closing.release('a', 'a')).rejects.toMatchObject(unavailable);
      await expect(closing.find('a')).rejects.toMatchObject(unavailable);
    });
  });
}
