import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import type { Database } from '@portico/storage';
import { describeIfAvailable, startPostgresServer } from '@portico/testkit';
import type { PostgresServer } from '@portico/testkit';
import { writeAs } from '../src/store/as-tenant.js';
import { answer, question } from './questions.js';
import { RunningCache } from './running-cache.js';

const HOUR = 3_600_000;

describeIfAvailable('pgvector', 'time and erasure', () => {
  let server: PostgresServer;
  let cache: RunningCache;
  let database: Database;
  let tenants = 0;
  const tenant = (): string => `time-${(tenants += 1)}`;

  beforeAll(async () => {
    server = await startPostgresServer({ vectors: true });
    cache = await RunningCache.start({ databaseUrl: server.url });
    database = await cache.opened();
    await cache.lookUp(question({ texts: ['warm'] }));
  }, 60_000);
  let clock: { mockRestore(): void } | undefined;
  afterEach(() => clock?.mockRestore());
  afterAll(async () => {
    await cache?.close();
    await server?.stop();
  });
  const rows = async (t: string, what: string) =>
    (await writeAs(database, t, (q) => q.query(`SELECT ${what} FROM semantic_cache`))).rows;

  it('[SC-8] an answer lives so long as was asked for, and what it is used for changes nothing of it', async () => {
    const t = tenant();
    const asked = question({ tenant: t, texts: ['tea~1'] });
    await cache.store(asked, answer('x'), 300);
    const lives = 'expires_at, extract(epoch FROM expires_at - created_at)::float8 AS seconds';
    const before = await rows(t, lives);
    expect(before).toMatchObject([{ seconds: 300 }]);
    expect(await cache.lookUp(asked)).toMatchObject({ lane: 'exact' });
    expect(await cache.lookUp(question({ tenant: t, texts: ['tea~2'] }))).toMatchObject({ lane: 'semantic' });
    await cache.service.upkeep.writeUses();
    expect(await rows(t, 'hits')).toEqual([{ hits: '2' }]);
    expect(await rows(t, lives)).toEqual(before);
    // A new answer to the question has a life of its own.
    await cache.store(asked, answer('y'), 0.5);
    await cache.storeAt(0, asked, answer('y'), 0.5);
    expect(await rows(t, 'extract(epoch FROM expires_at - created_at)::float8 AS seconds')).toEqual([{ seconds: 0.5 }]);
  });

  it.each([48, -48])('[SC-8][SC-12] by the store’s clock: that of the service may be %s hours off', async (hours) => {
    const t = tenant();
    const [before, after] = [question({ tenant: t, args: 'before' }), question({ tenant: t, args: 'after' })];
    await cache.store(before);
    const real = Date.now.bind(Date);
    clock = jest.spyOn(Date, 'now').mockImplementation(() => real() + hours * HOUR);
    expect(await cache.lookUp(before)).toMatchObject({ kind: 'hit', ageMs: expect.any(Number) });
    expect(await cache.store(after)).toBe(true);
    const found = (await cache.lookUp(after)) as { ageMs: number };
    expect(found.ageMs).toBeGreaterThanOrEqual(0);
    expect(found.ageMs).toBeLessThan(60_000);
    await cache.service.upkeep.purge();
    expect(await rows(t, '1')).toHaveLength(2);
  });

  it('[SC-9] a job of every hour deletes what has expired, and goes on when it has failed', async () => {
    // Only what repeats is ours to wind on: the database and the bus have timers as well.
    const ticks: { ms: number | undefined; run: () => void }[] = [];
    const spied = jest.spyOn(globalThis, 'setInterval').mockImplementation(((run: () => void, ms?: number) => {
      ticks.push({ ms, run });
      return setTimeout(() => {}, 0);
    }) as never);
    const own = await RunningCache.start({ databaseUrl: server.url });
    spied.mockRestore();
    const hourly = ticks.filter(({ ms }) => ms === HOUR);
    expect(hourly).toHaveLength(1);
    const t = tenant();
    try {
      await own.opened();
      await own.store(question({ tenant: t, args: 'old' }));
      await own.store(question({ tenant: t, args: 'new' }));
      const set = (sql: string) => writeAs(database, t, (q) => q.query(`UPDATE semantic_cache SET ${sql}`));
      await set(
        `expires_at = now() - interval '1 hour' WHERE key_hash = '${question({ tenant: t, args: 'old' }).keyHash}'`,
      );
      await server.kill();
      hourly[0]!.run();
      for (let failed = false; !failed; await wait()) failed = own.lines.join().includes('cache.purge-failed');
      await server.restart();
      expect(await rows(t, '1')).toHaveLength(2);
      hourly[0]!.run();
      const end = performance.now() + 20_000;
      while ((await rows(t, '1')).length > 1 && performance.now() < end) await wait();
      expect(await rows(t, 'key_hash')).toEqual([{ key_hash: question({ tenant: t, args: 'new' }).keyHash }]);
    } finally {
      await own.close();
    }
  }, 60_000);

  it('[SC-9] what is erased is gone from the table’s files, and with it all that was kept beside the answer', async () => {
    const t = tenant();
    for (const other of await database
      .query<{ t: string }>('SELECT tenant_id AS t FROM cache_tenants')
      .then((q) => q.rows))
      await cache.erase(other.t);
    for (let n = 0; n < 40; n += 1)
      await cache.store(question({ tenant: t, args: n, texts: ['tea~1'] }), answer(`secret ${'x'.repeat(20_000)}${n}`));
    const size = async (): Promise<number> => {
      const sql = `SELECT (pg_relation_size('semantic_cache') + pg_relation_size(reltoastrelid))::int AS bytes
        FROM pg_class WHERE oid = 'semantic_cache'::regclass`;
      return (await database.query<{ bytes: number }>(sql)).rows[0]!.bytes;
    };
    expect(await size()).toBeGreaterThan(0);
    expect(await cache.erase(t)).toEqual({ erased: 40 });
    // Its last pages are given back unless somebody else looks at the table just then.
    const end = performance.now() + 20_000;
    while ((await size()) > 0 && performance.now() < end) {
      await wait();
      await cache.service.upkeep.vacuum(await cache.service.database.open());
    }
    expect(await size()).toBe(0);
  }, 60_000);
});

it('[SC-9] the first deletion does not wait for an hour: a service that is started anew each hour deletes, too', async () => {
  const waits: (number | undefined)[] = [];
  const spied = jest.spyOn(globalThis, 'setTimeout');
  const cache = await RunningCache.start({ databaseUrl: 'pglite:memory:' });
  waits.push(...spied.mock.calls.map(([, ms]) => ms));
  spied.mockRestore();
  await cache.close();
  expect(waits.some((ms) => ms !== undefined && ms >= 60_000 && ms <= HOUR / 4)).toBe(true);
});

const wait = () => new Promise((resolve) => setTimeout(resolve, 50));
