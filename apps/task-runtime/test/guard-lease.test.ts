import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryHub, memoryBus } from '@portico/bus';
import { guardLease } from '@portico/contracts';
import { describeIfAvailable, startRedisServer } from '@portico/testkit';
import type { RedisServer } from '@portico/testkit';
import { ALICE, BOB, startRuntimes, untilAnswered } from './runtimes.js';
import type { Runtimes } from './runtimes.js';

describeGuard('memory', async () => ({ redisUrl: 'memory:', stop: async () => {} }));

describeIfAvailable('redis-server', 'the guard of leases on Redis', () => {
  describeGuard('Redis', async () => {
    const server = await startRedisServer();
    return { redisUrl: server.url, stop: () => server.stop() };
  });

  describe('[LE-5] the guard without its store', () => {
    let server: RedisServer;
    let tasks: Runtimes;
    beforeEach(async () => {
      server = await startRedisServer({ keepsData: true });
      tasks = await startRuntimes({ redisUrl: server.url });
    });
    afterEach(async () => {
      await tasks.close();
      await server.stop();
    });
    const closed = { code: 'BACKEND_UNAVAILABLE', executed: 'no' };

    it('opens nothing while Redis is away, and says so at once; then what was live is live', async () => {
      const { lease_id, lease_ref, fence } = await tasks.acquire('r', ALICE);
      await server.kill();
      const began = performance.now();
      for (const id of [lease_id, 'guessed']) await expect(tasks.guard('r', id, ALICE)).rejects.toMatchObject(closed);
      await expect(tasks.guard('free', lease_id, ALICE)).rejects.toMatchObject(closed);
      await expect(tasks.acquire('other', ALICE)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
      await expect(tasks.call('status', { resource: 'r' }, ALICE)).rejects.toMatchObject(closed);
      expect(performance.now() - began).toBeLessThan(10_000);
      await server.restart();
      await untilAnswered(tasks);
      expect(await tasks.guard('r', lease_id, ALICE)).toEqual({ verdict: 'live', leaseRef: lease_ref, fence });
    });

    it('opens nothing while Redis is silent, and answers within its own deadline', async () => {
      const { lease_id } = await tasks.acquire('r', ALICE);
      server.freeze();
      const error: unknown = await tasks.guard('r', lease_id, ALICE).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject(closed);
      expect(String(error)).not.toMatch(/127\.0\.0\.1|redis:\/\//);
      server.thaw();
    });

    it('opens nothing to a lease that Redis has lost, and the next grant has a larger fence', async () => {
      const bare = await startRedisServer();
      const others = await startRuntimes({ redisUrl: bare.url });
      const before = await others.acquire('r', ALICE);
      await bare.kill();
      await bare.restart();
      await untilAnswered(others);
      expect(await others.guard('r', before.lease_id, ALICE)).toEqual({ verdict: 'ended' });
      const after = await others.acquire('r', BOB);
      expect(after.fence).toBeGreaterThan(before.fence);
      expect(await others.guard('r', before.lease_id, ALICE)).toMatchObject({ verdict: 'held' });
      await others.close();
      await bare.stop();
    });
  });
});

describe('[LE-5] the guard without its service', () => {
  it('opens nothing where nobody serves it', async () => {
    const bus = memoryBus();
    const asked = bus.ask(guardLease, { principal: ALICE, resource: 'r', leaseId: 'x', keepMs: 1 });
    await expect(asked).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    await bus.close();
  });
});

describe('[LE-5] leases in the memory of two processes', () => {
  it('are granted by neither, nor opened, until one of them is alone again', async () => {
    const hub = new MemoryHub();
    const tasks = await startRuntimes({ hub });
    const held = await tasks.acquire('r', ALICE);
    const second = await startRuntimes({ hub });
    const closed = { code: 'BACKEND_UNAVAILABLE', executed: 'no' };
    for (let turn = 0; turn < 4; turn += 1) {
      await expect(tasks.acquire(`r${turn}`, BOB)).rejects.toMatchObject(closed);
      await expect(tasks.guard('r', held.lease_id, ALICE)).rejects.toMatchObject(closed);
    }
    expect(tasks.lines.join()).toContain('leases.kept-twice');
    await second.close();
    await untilAnswered(tasks);
    expect(await tasks.guard('r', held.lease_id, ALICE)).toMatchObject({ verdict: 'live' });
    await tasks.close();
  });
});

function describeGuard(name: string, start: () => Promise<{ redisUrl: string; stop(): Promise<void> }>): void {
  describe(`[LE-3] the guard of leases: ${name}`, () => {
    let store: Awaited<ReturnType<typeof start>>;
    let tasks: Runtimes;
    let resources = 0;
    const fresh = (): string => `plane:shop/${(resources += 1)}`;
    const expiry = async (resource: string): Promise<number> =>
      Date.parse((await tasks.told<{ expires_at: string }>('status', { resource }, ALICE)).expires_at);

    beforeAll(async () => {
      store = await start();
      tasks = await startRuntimes({ redisUrl: store.redisUrl, instances: store.redisUrl === 'memory:' ? 1 : 2 });
    }, 60_000);
    afterAll(async () => {
      await tasks?.close();
      await store?.stop();
    });

    it('opens a resource to the holder of its lease, with the fence of the grant', async () => {
      const resource = fresh();
      const { lease_id, lease_ref, fence } = await tasks.acquire(resource, ALICE, { agent: 'builder' });
      for (let n = 0; n < 3; n += 1)
        expect(await tasks.guard(resource, lease_id, ALICE)).toEqual({ verdict: 'live', leaseRef: lease_ref, fence });
    });

    it('makes a lease last as long as the call, and shortens none', async () => {
      const resource = fresh();
      const { lease_id, expires_at } = await tasks.acquire(resource, ALICE, { ttl_seconds: 10 });
      await tasks.guard(resource, lease_id, ALICE, 1_000);
      expect(await expiry(resource)).toBe(Date.parse(expires_at));
      await tasks.guard(resource, lease_id, ALICE, 120_000);
      const kept = await expiry(resource);
      expect(kept).toBeGreaterThanOrEqual(Date.parse(expires_at) + 110_000 - 1);
      await tasks.guard(resource, lease_id, ALICE, 60_000);
      expect(await expiry(resource)).toBe(kept);
      // Nor does it for another's question.
      await tasks.guard(resource, lease_id, BOB, 3_600_000);
      await tasks.guard(resource, 'guessed', ALICE, 3_600_000);
      expect(await expiry(resource)).toBe(kept);
    });

    it('opens nothing to a lease for another resource, of another subject or tenant, expired, released or guessed', async () => {
      const [mine, other, expired, released] = [fresh(), fresh(), fresh(), fresh()];
      const { lease_id, lease_ref, expires_at } = await tasks.acquire(mine, ALICE, { agent: 'builder' });
      const elsewhere = await tasks.acquire(other, ALICE);
      const short = await tasks.acquire(expired, ALICE, { ttl_seconds: 1 });
      const given = await tasks.acquire(released, ALICE);
      await tasks.call('release', { resource: released, lease_id: given.lease_id }, ALICE);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const held = { verdict: 'held', agent: 'builder', leaseRef: lease_ref, expiresAt: expires_at };

      expect(await tasks.guard(mine, elsewhere.lease_id, ALICE)).toEqual(held);
      expect(await tasks.guard(mine, lease_id, BOB)).toEqual(held);
      expect(await tasks.guard(mine, lease_id, { ...ALICE, tenant: 'other' })).toEqual({ verdict: 'ended' });
      expect(await tasks.guard(expired, short.lease_id, ALICE)).toEqual({ verdict: 'ended' });
      expect(await tasks.guard(released, given.lease_id, ALICE)).toEqual({ verdict: 'ended' });
      expect(await tasks.guard(fresh(), lease_id, ALICE)).toEqual({ verdict: 'ended' });
      for (const guess of [lease_ref, lease_id.slice(1), `${lease_id}a`, lease_id.toLowerCase(), '*', '\u0000', '""'])
        expect(await tasks.guard(mine, guess, ALICE)).toEqual(held);
      // What has ended stays ended, and opens nothing under the next holder.
      const next = await tasks.acquire(released, BOB);
      const taken = { verdict: 'held', leaseRef: next.lease_ref, expiresAt: next.expires_at };
      expect(await tasks.guard(released, given.lease_id, ALICE)).toEqual(taken);
      expect(await tasks.guard(mine, lease_id, ALICE)).toMatchObject({ verdict: 'live' });
    });
  });
}
