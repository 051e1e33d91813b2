import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import type { Receipt } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { type RedisScripts, openRedis } from '@portico/storage';
import { type RedisServer, describeIfAvailable, startRedisServer } from '@portico/testkit';
import { MemoryReceipts } from '../src/receipts/memory-receipts.js';
import type { ReceiptStore } from '../src/receipts/receipt-store.js';
import { RedisReceipts } from '../src/receipts/redis-receipts.js';

const log = createLog({ name: 'test', write: () => undefined });
let seq = 0;
const receiptOf = (tenant: string): Receipt => ({
  at: new Date().toISOString(),
  front_door: 'front-door-00000000',
  seq: ++seq,
  tenant,
  subject: 'ada',
  domain: 'demo',
  tool: 'echo',
  code: 'OK',
  executed: 'yes',
  duration_ms: 1,
  served_from: 'backend',
  correlation_id: `c-${seq}`,
});
const some = (tenant: string, count: number): Receipt[] => Array.from({ length: count }, () => receiptOf(tenant));
/** Written as a front door does: some at a time. */
const write = async (store: ReceiptStore, receipts: readonly Receipt[], at = 100): Promise<void> => {
  for (let from = 0; from < receipts.length; from += at) await store.append(receipts.slice(from, from + at));
};

describe('[FD-19] receipts in memory', () => {
  const bus = memoryBus();
  let store: MemoryReceipts;
  beforeAll(async () => void (store = await MemoryReceipts.open(bus, 'front-door-00000000')));
  afterAll(async () => {
    await store.close();
    await bus.close();
  });

  it.each([1_100, 2_500])('are the newest 1,000 of a tenant when there were %i', async (count) => {
    const written = some(`many-${count}`, count);
    await write(store, written);
    expect(await store.newest(`many-${count}`)).toEqual(written.slice(-1_000).reverse());
  });

  it('are bounded over all tenants: the one that was longest silent is forgotten, not one that is heard', async () => {
    const loud = 'loud';
    await write(store, some(loud, 10));
    for (let n = 0; n < 300; n += 1) {
      await write(store, some(`tenant-${n}`, 1_000), 1_000);
      await write(store, some(loud, 1));
    }
    const kept = await Promise.all(Array.from({ length: 300 }, (_, n) => store.newest(`tenant-${n}`)));
    const lengths = kept.map(({ length }) => length);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(100_000);
    expect(lengths.slice(-90)).toEqual(new Array(90).fill(1_000));
    expect(lengths.slice(0, 200)).toEqual(new Array(200).fill(0));
    expect(await store.newest(loud)).toHaveLength(310);
  });

  it('are bounded in tenants', async () => {
    for (let n = 0; n < 1_500; n += 1) await store.append(some(`one-of-${n}`, 1));
    const kept = await Promise.all(Array.from({ length: 1_500 }, (_, n) => store.newest(`one-of-${n}`)));
    expect(kept.filter(({ length }) => length === 1)).toHaveLength(1_000);
    expect(kept[1_499]).toHaveLength(1);
  });
});

describeIfAvailable('redis-server', '[FD-19] receipts in Redis', () => {
  let redis: RedisServer;
  let link: RedisScripts;
  beforeAll(async () => {
    redis = await startRedisServer();
    link = await openRedis(redis.url, { log });
  });
  afterAll(async () => {
    await link.close();
    await redis.stop();
  });
  const lua = (script: string, key: string) => link.run({ name: 'test', lua: script }, [key], [], 'write');

  it.each([
    ['in many turns', 100],
    ['in one turn', 1_100],
  ])('are a stream of the newest 1,000 of a tenant when there were 1,100, written %s', async (_how, at) => {
    const store = new RedisReceipts(link, log);
    const written = some(`many-${at}`, 1_100);
    await write(store, written, at);
    expect(await lua(`return redis.call('xlen', KEYS[1])`, `portico:receipts:many-${at}`)).toBe(1_000);
    expect(await store.newest(`many-${at}`)).toEqual(written.slice(-1_000).reverse());
  });

  it.each(['__proto__', 'a:b', '*', 'x\u00e9{y}', '../..', '%00', 'many'])(
    'are those of a tenant alone: %s',
    async (tenant) => {
      const store = new RedisReceipts(link, log);
      const written = some(tenant, 2);
      await store.append([...written, ...some('somebody else', 1)]);
      expect(await store.newest(tenant)).toEqual(written.toReversed());
    },
  );

  it('of one tenant that can not be written keep no other waiting', async () => {
    const store = new RedisReceipts(link, log);
    await lua(`return redis.call('set', KEYS[1], 'no stream')`, 'portico:receipts:broken');
    const good = some('good', 2);
    await store.append([...some('broken', 1), ...good]);
    expect(await store.newest('good')).toEqual(good.toReversed());
    await expect(store.newest('broken')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await lua(`return redis.call('del', KEYS[1])`, 'portico:receipts:broken');
    await store.append([]);
    expect(await store.newest('broken')).toHaveLength(1);
  });

  it('that waited for it, of ever so many tenants, are all written once it is back', async () => {
    const store = new RedisReceipts(link, log);
    await redis.kill();
    const written = Array.from({ length: 10_500 }, (_, n) => receiptOf(`waiting-${n}`));
    await write(store, written, 500);
    await redis.restart();
    for (const end = Date.now() + 10_000; Date.now() < end;) {
      await store.append([]);
      if ((await store.newest('waiting-10499').catch(() => [])).length > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await store.newest('waiting-10499')).toEqual([written.at(-1)]);
    expect(await store.newest('waiting-500')).toEqual([written[500]]);
    // More than 10,000 do not wait.
    expect(await store.newest('waiting-499')).toEqual([]);
  });
});
