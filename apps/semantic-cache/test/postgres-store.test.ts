import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DIMENSIONS } from '@portico/embedding';
import { openDatabase } from '@portico/storage';
import type { Database } from '@portico/storage';
import { describeIfAvailable, startPostgresServer } from '@portico/testkit';
import type { PostgresServer } from '@portico/testkit';
import { vectorText, writeAs } from '../src/store/as-tenant.js';
import { asFault } from '../src/store/cache-database.js';
import { findNear } from '../src/store/find-near.js';
import { answer, question, sha256, unit } from './questions.js';
import { RunningCache } from './running-cache.js';

describeIfAvailable('pgvector', 'the response cache on PostgreSQL', () => {
  let server: PostgresServer;
  let admin: Database;
  let databases = 0;
  const running: RunningCache[] = [];

  beforeAll(async () => {
    server = await startPostgresServer({ vectors: true });
    admin = await openDatabase(server.url);
  }, 60_000);
  afterEach(async () => {
    for (const cache of running.splice(0)) await cache.close();
  });
  afterAll(async () => {
    await admin?.close();
    await server?.stop();
  });

  const urlOf = (database: string, user = 'portico', password = server.password): string =>
    `postgres://${user}:${password}@127.0.0.1:${server.port}/${database}`;
  const newDatabase = async (owner = 'portico'): Promise<string> => {
    const name = `cache${(databases += 1)}`;
    await admin.query(`CREATE DATABASE ${name} OWNER ${owner}`);
    return name;
  };
  const start = async (databaseUrl: string): Promise<RunningCache> => {
    const cache = await RunningCache.start({ databaseUrl });
    running.push(cache);
    return cache;
  };

  describe('[SC-7] for an owner that is no superuser', () => {
    const withVectors = async (owner: string): Promise<string> => {
      const name = await newDatabase(owner);
      const there = await openDatabase(urlOf(name));
      await there.query('CREATE EXTENSION vector');
      await there.close();
      return name;
    };
    const works = async (url: string): Promise<void> => {
      const cache = await start(url);
      const database = await cache.opened();
      const [mine, theirs] = [question({ tenant: 'a', texts: ['tea~1'] }), question({ tenant: 'b' })];
      for (const asked of [mine, theirs]) expect(await cache.store(asked)).toBe(true);
      expect(await cache.lookUp(question({ tenant: 'a', texts: ['tea~2'] }))).toMatchObject({ lane: 'semantic' });
      // Row level security holds for the owner, too, who has no policy at all.
      expect((await database.query('SELECT * FROM semantic_cache')).count).toBe(0);
      expect((await writeAs(database, 'a', (q) => q.query('SELECT * FROM semantic_cache'))).count).toBe(1);
      expect(await cache.service.upkeep.purge()).toBe(0);
      expect(await cache.invalidate('a', '**')).toEqual({ erased: 1, epoch: 1 });
      expect(await cache.erase('b')).toEqual({ erased: 1 });
    };

    it('says what is missing in a sentence, and works once an administrator has made it', async () => {
      await admin.query(`CREATE ROLE plain LOGIN PASSWORD 'p'`);
      const name = await newDatabase('plain');
      const url = urlOf(name, 'plain', 'p');
      const first = await start(url);
      await expect(first.opened()).rejects.toThrow('a superuser runs CREATE EXTENSION vector in this database');
      await expect(first.lookUp(question())).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
      expect(first.lines.filter((line) => line.includes('cache.unavailable'))).toHaveLength(1);
      // Said once: what has a cause is logged by the bus at each look-up.
      expect(asFault(await first.opened().catch((error: unknown) => error)).cause).toBeUndefined();
      const there = await openDatabase(urlOf(name));
      await there.query('CREATE EXTENSION vector');
      await there.close();
      const second = await start(url);
      await expect(second.opened()).rejects.toThrow(
        'an administrator runs CREATE ROLE portico_cache NOLOGIN; GRANT portico_cache TO plain',
      );
      await admin.query('CREATE ROLE portico_cache NOLOGIN; GRANT portico_cache TO plain');
      await works(url);
      await works(url.replace(/cache\d+$/, await withVectors('plain')));
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.query(`DROP DATABASE cache${databases} WITH (FORCE)`);
      await admin.query('DROP ROLE portico_cache');
    }, 60_000);

    it('one that may make roles needs no administrator for it', async () => {
      await admin.query(`CREATE ROLE maker LOGIN CREATEROLE PASSWORD 'p'`);
      await works(urlOf(await withVectors('maker'), 'maker', 'p'));
    }, 60_000);
  });

  describe('[SC-6] the table', () => {
    it('has the columns and indexes it must have', async () => {
      const cache = await start(urlOf(await newDatabase()));
      const database = await cache.opened();
      const { rows } = await database.query(
        `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
         WHERE attrelid = 'semantic_cache'::regclass AND attnum > 0 ORDER BY attnum`,
      );
      expect(Object.fromEntries(rows.map(({ name, type }) => [name, type]))).toEqual({
        tenant_id: 'text',
        tool_name: 'text',
        key_hash: 'text',
        struct_hash: 'text',
        free_text: 'text',
        embedding: 'vector(384)',
        token_vectors: 'bytea',
        response_payload: 'jsonb',
        created_at: 'timestamp with time zone',
        expires_at: 'timestamp with time zone',
        last_used_at: 'timestamp with time zone',
        bytes: 'integer',
        hits: 'bigint',
        embedder: 'text',
      });
      const indexes = await database.query<{ def: string }>(
        `SELECT pg_get_indexdef(indexrelid) AS def FROM pg_index WHERE indrelid = 'semantic_cache'::regclass`,
      );
      const all = indexes.rows.map(({ def }) => def).join('\n');
      expect(all).toContain(
        'UNIQUE INDEX semantic_cache_key ON public.semantic_cache USING btree (tenant_id, key_hash)',
      );
      expect(all).toContain('USING btree (tenant_id, struct_hash, expires_at)');
      expect(all).not.toContain('hnsw');
      expect(await cache.store(question({ texts: ['tea~1', 'cup'] }))).toBe(true);
      const stored = await writeAs(database, 'acme', (q) =>
        q.query(`SELECT free_text, bytes > 384 * 4 + length(token_vectors) AS counted, embedder FROM semantic_cache`),
      );
      expect(stored.rows).toEqual([{ free_text: '["tea~1","cup"]', counted: true, embedder: 'placed' }]);
    }, 60_000);

    it('beyond 5,000 rows of a structure it is searched along an index of its own, and finds what a scan finds', async () => {
      const cache = await start(urlOf(await newDatabase()));
      const database = await cache.opened();
      const [tenant, structHash] = ['crowd', sha256('crowded')];
      const vectors = Array.from({ length: 5_200 }, (_, n) => crowdedVector(n));
      await insertRows(database, tenant, structHash, vectors);
      await insertRows(database, 'other', sha256('other'), vectors.slice(0, 500));
      const { structures } = await cache.service.database.open();
      expect(structures.searchOf('other', sha256('other'))).toBe('scan');
      expect(structures.searchOf(tenant, structHash)).toBe('scan');
      await structures.idle();
      expect(cache.lines.filter((line) => line.includes('index-failed'))).toEqual([]);
      expect(structures.searchOf('other', sha256('other'))).toBe('scan');
      expect(structures.searchOf(tenant, structHash)).toBe('hnsw');

      const wanted = { tenant, structHash, embedder: 'placed', candidates: 0 };
      let [found, all] = [0, 0];
      for (let n = 0; n < 30; n += 1) {
        const asked = numbers(100_000 + n);
        const vector = unit(crowdedVector(n * 97).map((value, i) => value + asked[i]! * 0.02));
        const scanned = await findNear(database, { ...wanted, vector }, 'scan');
        const walked = await findNear(database, { ...wanted, vector }, 'hnsw');
        const brute = vectors
          .map((other, at) => ({ key: sha256(`${structHash} ${at}`), cosine: dot(vector, other) }))
          .sort((a, b) => b.cosine - a.cosine)
          .slice(0, 8);
        expect(scanned.map(({ keyHash }) => keyHash)).toEqual(brute.map(({ key }) => key));
        expect(scanned[0]!.cosine).toBeCloseTo(brute[0]!.cosine, 5);
        all += brute.length;
        found += brute.filter(({ key }) => walked.some(({ keyHash }) => keyHash === key)).length;
      }
      expect(found / all).toBeGreaterThanOrEqual(0.99);
      const plan = await database.query<{ 'QUERY PLAN': string }>(
        `SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off;
         EXPLAIN SELECT key_hash FROM semantic_cache WHERE tenant_id = 'crowd' AND struct_hash = '${structHash}'
         ORDER BY embedding <=> '${vectorText(vectors[0]!)}' LIMIT 8`,
      );
      expect(JSON.stringify(plan.rows)).toContain(`semantic_cache_hnsw_${structHash.slice(0, 40)}`);

      // It is gone when the crowd is.
      await cache.erase(tenant);
      await database.query('VACUUM semantic_cache');
      await structures.dropNeedless();
      const left = await database.query(`SELECT 1 FROM pg_class WHERE relname LIKE 'semantic_cache_hnsw%'`);
      expect(left.count).toBe(0);
      expect(await findNear(database, { ...wanted, vector: vectors[0]! }, 'hnsw')).toEqual([]);
    }, 120_000);
  });

  it('[SC-10] over two replicas, no answer from before an invalidation is served after it', async () => {
    const url = urlOf(await newDatabase());
    const caches = [await start(url), await start(url)] as const;
    await Promise.all(caches.map((cache) => cache.opened()));
    for (let round = 0; round < 30; round += 1) {
      const asked = question({ tenant: 't', tool: 'a.read', args: round });
      const [one, other] = round % 2 === 0 ? caches : [caches[1], caches[0]];
      const { epoch } = await one.lookUp(asked);
      const stored = one.storeAt(epoch, asked, answer('old'));
      await other.invalidate('t', 'a.*');
      expect((await one.lookUp(asked)).kind).toBe('miss');
      await stored;
      expect((await other.lookUp(asked)).kind).toBe('miss');
    }
  }, 60_000);

  describe('[SC-12] a store that is away', () => {
    it('is a quick failure when it is not there at the start, and the cache works once it is', async () => {
      const url = urlOf(await newDatabase());
      await server.kill();
      const cache = await start(url);
      const began = performance.now();
      const first = await cache.lookUp(question()).catch((error: unknown) => error);
      expect(first).toEqual({ kind: 'miss', epoch: 0 });
      await delay(200);
      await expect(cache.lookUp(question())).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(await cache.storeAt(0, question())).toBe(false);
      await expect(cache.invalidate('acme', '**')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
      await server.restart();
      for (let opened = false; !opened; await delay(200)) opened = await cache.opened().then(Boolean, () => false);
      expect(await cache.store(question())).toBe(true);
    }, 60_000);

    it('that dies and comes back costs what was asked meanwhile, and nothing after', async () => {
      const cache = await start(urlOf(await newDatabase()));
      await cache.opened();
      expect(await cache.store(question())).toBe(true);
      await server.kill();
      for (let n = 0; n < 20; n += 1)
        await expect(cache.lookUp(question())).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
      expect(await cache.storeAt(0, question({ args: 1 }))).toBe(false);
      await server.restart();
      expect(await cache.lookUp(question())).toMatchObject({ kind: 'hit' });
      expect(cache.lines.join()).not.toContain(server.password);
    }, 60_000);

    it('that does not answer holds nobody beyond its deadline, lets no queue grow, and is asked again when it does', async () => {
      const cache = await start(urlOf(await newDatabase()));
      await cache.opened();
      const asked = question({ texts: ['tea~1'] });
      expect(await cache.store(asked)).toBe(true);
      server.freeze();
      try {
        const began = performance.now();
        const answers = await Promise.allSettled(Array.from({ length: 400 }, () => cache.lookUp(asked, 1_000)));
        expect(performance.now() - began).toBeLessThan(5_000);
        const codes = answers.map((one) =>
          one.status === 'rejected' ? (one.reason as { code: string }).code : 'answered',
        );
        expect(new Set(codes)).toEqual(new Set(['TIMEOUT', 'BACKEND_UNAVAILABLE']));
        // So many wait; on a busy machine one of them may be told that there is no room by then.
        expect(codes.filter((code) => code === 'TIMEOUT').length).toBeLessThanOrEqual(128);
        expect(codes.filter((code) => code === 'BACKEND_UNAVAILABLE').length).toBeGreaterThanOrEqual(272);
      } finally {
        server.thaw();
      }
      for (let answered = false; !answered; await delay(100))
        answered = await cache.lookUp(asked, 1_000).then(
          ({ kind }) => kind === 'hit',
          () => false,
        );
    }, 60_000);

    it('that is full keeps nothing and answers all the same', async () => {
      const cache = await start(urlOf(await newDatabase()));
      const database = await cache.opened();
      expect(await cache.store(question())).toBe(true);
      await database.query(
        `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'could not extend file'; END $$;
         CREATE TRIGGER full_disk BEFORE INSERT ON semantic_cache EXECUTE FUNCTION full_disk()`,
      );
      expect(await cache.store(question({ args: 1 }))).toBe(false);
      expect(await cache.lookUp(question())).toMatchObject({ kind: 'hit' });
      await database.query('DROP TRIGGER full_disk ON semantic_cache');
      expect(await cache.store(question({ args: 1 }))).toBe(true);
    }, 60_000);
  });
});

/** Numbers from -1 to 1, the same ones for a seed. */
const numbers = (seed: number): Float32Array => {
  let state = (seed * 7_919 + 17) % 2_147_483_647;
  return Float32Array.from({ length: DIMENSIONS }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 1_073_741_824 - 1;
  });
};

/** One of 60 places, and somewhere around it. */
const crowdedVector = (n: number): Float32Array => {
  const [center, away] = [numbers(n % 60), numbers(1_000 + n)];
  return unit(center.map((value, i) => value + away[i]! * 0.6));
};

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

const insertRows = async (
  database: Database,
  tenant: string,
  structHash: string,
  vectors: readonly Float32Array[],
): Promise<void> => {
  for (let from = 0; from < vectors.length; from += 1_000) {
    const some = vectors.slice(from, from + 1_000);
    await writeAs(database, tenant, (queries) =>
      queries.query(
        `INSERT INTO semantic_cache (tenant_id, tool_name, key_hash, struct_hash, free_text, embedding, token_vectors,
           response_payload, created_at, expires_at, last_used_at, bytes, embedder)
         SELECT $1, 'wiki.search', key, $2, '["x"]', v::vector, '', '"{}"', now(), now() + interval '1 hour', now(), 2000, 'placed'
         FROM unnest($3::text[], $4::text[]) AS given (key, v)`,
        [tenant, structHash, some.map((_, at) => sha256(`${structHash} ${from + at}`)), some.map(vectorText)],
      ),
    );
  }
};
