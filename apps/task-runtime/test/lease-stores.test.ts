import { expect, describe, it } from '@jest/globals';
import { openRedis } from '@portico/storage';
import { describeIfAvailable, startRedisServer } from '@portico/testkit';
import { MemoryLeaseStore } from '../src/memory-lease-store.js';
import { RedisLeaseStore } from '../src/redis-lease-store.js';
import { describeLeaseStore } from './describe-lease-store.js';

describeLeaseStore('memory', async () => ({ open: async () => new MemoryLeaseStore(), close: async () => {} }));

describeIfAvailable('redis-server', 'leases in Redis', () => {
  describeLeaseStore('Redis', async () => {
    const server = await startRedisServer();
    return { open: async () => new RedisLeaseStore(await openRedis(server.url)), close: () => server.stop() };
  });
});

describe('[LE-1] leases in memory', () => {
  it('refuses when it is full of live ones, and goes on when one has ended', async () => {
    const leases = new MemoryLeaseStore();
    const asked = { proof: 'p', ref: 'r', ttlMs: 60_000 };
    for (let n = 0; n < 100_000; n += 1) await leases.acquire(`${n}`, { ...asked, ttlMs: n === 5 ? 1 : 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await leases.acquire('one more', asked)).toMatchObject({ state: 'live' });
    await expect(leases.acquire('too many', asked)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(await leases.acquire('7', asked)).toMatchObject({ state: 'held' });
    await leases.release('7', 'p');
    expect(await leases.acquire('too many', asked)).toMatchObject({ state: 'live' });
    await leases.close();
  });
});
