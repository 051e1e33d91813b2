import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openRedis } from '@portico/storage';
import { describeIfAvailable, startRedisServer } from '@portico/testkit';
import { ALICE, BOB, startRuntimes } from './runtimes.js';
import type { Runtimes } from './runtimes.js';

const DAY_MS = 86_400_000;
const realNow = Date.now;
const RealDate = globalThis.Date;

/** Sets this process's wall clock: to every reader of it, it is so much later. */
function step(byMs: number): void {
  globalThis.Date = class extends RealDate {
    constructor(...given: [] | [number | string]) {
      if (given.length === 0) super(realNow() + byMs);
      else super(given[0]);
    }
    static override now = (): number => realNow() + byMs;
  } as DateConstructor;
}

describeSteps('memory', async () => ({ redisUrl: 'memory:', stop: async () => {} }));

describeIfAvailable('redis-server', 'steps of clocks, with leases in Redis', () => {
  describeSteps('Redis', async () => {
    const server = await startRedisServer();
    return { redisUrl: server.url, stop: () => server.stop() };
  });

  it('[LE-1][LE-5] gives a larger fence even when Redis’s own clock was a day ahead at the last grant', async () => {
    const server = await startRedisServer();
    const tasks = await startRuntimes({ redisUrl: server.url });
    const redis = await openRedis(server.url);
    const { fence } = await tasks.acquire('r', ALICE);
    const ahead = fence + DAY_MS * 1_000;
    const lua = `return redis.call('SET', KEYS[1], ARGV[1])`;
    await redis.run({ name: 'ahead', lua }, ['portico:{lease}:fence'], [ahead], 'write');
    expect((await tasks.acquire('q', ALICE)).fence).toBe(ahead + 1);
    expect((await tasks.acquire('p', BOB)).fence).toBe(ahead + 2);
    await redis.close();
    await tasks.close();
    await server.stop();
  });
});

describe('[LE-5] the sources of leases', () => {
  it('read no clock that can be set: only the store’s, and a monotonic one', async () => {
    const folder = join(import.meta.dirname, '../src');
    for (const name of await readdir(folder, { recursive: true })) {
      if (name.endsWith('.ts'))
        expect(await readFile(join(folder, name), 'utf8')).not.toMatch(/Date\.now|new Date\(\)/);
    }
  });
});

function describeSteps(name: string, start: () => Promise<{ redisUrl: string; stop(): Promise<void> }>): void {
  describe(`[LE-5] when the clock of the service steps: ${name}`, () => {
    let store: Awaited<ReturnType<typeof start>>;
    let tasks: Runtimes;
    beforeEach(async () => {
      store = await start();
      tasks = await startRuntimes({ redisUrl: store.redisUrl });
    });
    afterEach(async () => {
      globalThis.Date = RealDate;
      await tasks.close();
      await store.stop();
    });

    it.each([
      ['forward', DAY_MS],
      ['back', -DAY_MS],
    ])('a step %s neither ends a lease nor keeps one, and fences grow', async (_way, byMs) => {
      const long = await tasks.acquire('long', ALICE);
      const short = await tasks.acquire('short', ALICE, { ttl_seconds: 1 });
      step(byMs);
      expect(Math.abs(Date.now() - realNow())).toBeGreaterThan(DAY_MS / 2);
      expect(await tasks.guard('long', long.lease_id, ALICE)).toMatchObject({ verdict: 'live', fence: long.fence });
      await expect(tasks.acquire('long', BOB)).rejects.toMatchObject({ code: 'CONFLICT' });
      await delay(1_150);
      expect(await tasks.guard('short', short.lease_id, ALICE)).toEqual({ verdict: 'ended' });
      const next = await tasks.acquire('short', BOB);
      expect(next.fence).toBeGreaterThan(long.fence);
      globalThis.Date = RealDate;
      expect(await tasks.guard('short', short.lease_id, ALICE)).toMatchObject({ verdict: 'held' });
      expect(await tasks.guard('short', next.lease_id, BOB)).toMatchObject({ verdict: 'live', fence: next.fence });
      expect(await tasks.guard('long', long.lease_id, ALICE)).toMatchObject({ verdict: 'live' });
      expect((await tasks.acquire('other', BOB)).fence).toBeGreaterThan(next.fence);
    });
  });
}
