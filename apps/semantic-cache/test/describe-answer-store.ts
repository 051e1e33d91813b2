import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cacheHoldings, reportShadowCheck, restoreTool } from '@portico/contracts';
import type { CacheQuestion } from '@portico/contracts';
import { writeAs } from '../src/store/as-tenant.js';
import { Seeded } from '@portico/testkit';
import { PlacedEmbedder, answer, question } from './questions.js';
import { RunningCache } from './running-cache.js';

export interface StoreUnderTest {
  readonly url: string;
  close(): Promise<void>;
}

/** The suite that the cache passes on every database. */
export function describeAnswerStore(name: string, start: () => Promise<StoreUnderTest>): void {
  describe(`answers: ${name}`, () => {
    let store: StoreUnderTest;
    let cache: RunningCache;
    const embedder = new PlacedEmbedder();
    let tenants = 0;
    const tenant = (): string => `tenant-${(tenants += 1)}`;
    const exact = (ageMs: unknown = expect.any(Number)) => ({ kind: 'hit', lane: 'exact', ageMs });
    const served = async (asked: CacheQuestion): Promise<unknown> => {
      const found = await cache.lookUp(asked);
      return found.kind === 'hit' ? found.result : undefined;
    };

    beforeAll(async () => {
      store = await start();
      cache = await RunningCache.start({ databaseUrl: store.url, embedder });
      await cache.opened();
      await cache.lookUp(question({ texts: ['warm'] }));
    }, 120_000);
    afterAll(async () => {
      await cache?.close();
      await store?.close();
    }, 60_000);

    describe('[SC-1] two lanes', () => {
      it('answers an equal question with what was stored, as it was stored', async () => {
        const asked = question({ tenant: tenant(), args: { a: 1 } });
        expect(await cache.lookUp(asked)).toEqual({ kind: 'miss', epoch: 0 });
        const result = {
          structuredContent: {
            z: 1,
            a: [1.5, 1e21, -0, null, { __proto__x: '\u0000' }],
            'k\u0000': '\ud800 alone',
            é: 'e\u0301',
          },
          content: [{ type: 'text', text: 'nul \u0000 and half \udc00' }],
          _meta: { 'x/y': true },
        };
        expect(await cache.store(asked, result)).toBe(true);
        const found = await cache.lookUp(asked);
        expect(found).toMatchObject({ ...exact(), epoch: 0 });
        expect(JSON.stringify(found.kind === 'hit' && found.result)).toBe(JSON.stringify(result));
        expect(await served(question({ tenant: asked.tenant, args: { a: 2 } }))).toBeUndefined();
      });

      it('answers a question that is near by its nearest entry, and says how near, how old, and what it was asked', async () => {
        const t = tenant();
        await cache.store(question({ tenant: t, texts: ['tea~1'] }), answer('tea'));
        await cache.store(question({ tenant: t, texts: ['coffee~1'] }), answer('coffee'));
        const found = await cache.lookUp(question({ tenant: t, texts: ['tea~2'] }));
        expect(found).toMatchObject({ kind: 'hit', lane: 'semantic', result: answer('tea'), texts: ['tea~1'] });
        const { similarity, ageMs } = found as { similarity: number; ageMs: number };
        expect(similarity).toBeGreaterThan(0.95);
        expect(similarity).toBeLessThan(1);
        expect(ageMs).toBeGreaterThanOrEqual(0);
        expect(await cache.lookUp(question({ tenant: t, texts: ['water~0'] }))).toEqual({ kind: 'miss', epoch: 0 });
      });

      it('serves by the score, not the cosine, and never below the threshold', async () => {
        const t = tenant();
        await cache.store(question({ tenant: t, texts: ['tea~1'] }));
        const near = (more: object) => cache.lookUp(question({ tenant: t, texts: ['tea~6'], ...more }));
        expect(await near({ candidates: 0.5 })).toEqual({ kind: 'miss', epoch: 0, refused: 'score' });
        expect(await near({ candidates: 0.5, threshold: 0.5 })).toMatchObject({ lane: 'semantic' });
        // Too far away to be looked at.
        expect(await near({ candidates: 0.99, threshold: 0 })).toEqual({ kind: 'miss', epoch: 0 });
      });

      it('lets the verifier refuse the nearest entry and take another, and says why when none is left', async () => {
        const t = tenant();
        await cache.store(question({ tenant: t, texts: ['tea~not'] }), answer('not'));
        const asked = question({ tenant: t, texts: ['tea~1'] });
        expect(await cache.lookUp(asked)).toEqual({ kind: 'miss', epoch: 0, refused: 'negation' });
        await cache.store(question({ tenant: t, texts: ['tea~2'] }), answer('tea'));
        expect(await cache.lookUp(asked)).toMatchObject({ lane: 'semantic', result: answer('tea') });
      });

      it('an entry answers only when each text passes against its own, and scores as the least of them', async () => {
        const t = tenant();
        await cache.store(question({ tenant: t, texts: ['tea~1', 'cup~1'] }), answer('both'));
        const ask = (...texts: string[]) => cache.lookUp(question({ tenant: t, texts }));
        expect(await ask('tea~2', 'cup~2')).toMatchObject({ lane: 'semantic', texts: ['tea~1', 'cup~1'] });
        expect(await ask('tea~1', 'cup~2')).toMatchObject({ lane: 'semantic' });
        const [one, two] = [await ask('tea~3', 'cup~1'), await ask('tea~3', 'cup~3')];
        expect((two as { similarity: number }).similarity).toBeLessThanOrEqual(
          (one as { similarity: number }).similarity,
        );
        // Swapped, joined otherwise, one of them far away, one missing: none of them is the same question.
        for (const texts of [
          ['cup~1', 'tea~1'],
          ['tea~1 cup~1'],
          ['tea~1', 'milk~1'],
          ['tea~1'],
          ['tea~1', 'cup~1', ''],
        ])
          expect((await ask(...texts)).kind).toBe('miss');
      });

      it('the guards are asked for, or not', async () => {
        const t = tenant();
        await cache.store(question({ tenant: t, texts: ['tea~not'] }));
        const asked = { tenant: t, texts: ['tea~1'], verify: 'cosine' } as const;
        expect(await cache.lookUp(question({ ...asked, guards: 'on' }))).toMatchObject({ refused: 'negation' });
        expect(await cache.lookUp(question({ ...asked, guards: 'off' }))).toMatchObject({ lane: 'semantic' });
      });

      it('asks for no model when an equal question is there, or none may be near', async () => {
        const t = tenant();
        const asked = question({ tenant: t, texts: ['once'] });
        await cache.store(asked);
        const before = embedder.read.length;
        expect(await cache.lookUp(asked)).toMatchObject({ lane: 'exact' });
        await cache.lookUp(question({ tenant: t }));
        await cache.store(question({ tenant: t }));
        expect(embedder.read.length).toBe(before);
        // The look-up that missed had read it already.
        expect(embedder.read.filter((text) => text === 'once')).toHaveLength(1);
      });
    });

    it('[SC-3] compares nothing whose structure differs, and nothing that has no free text', async () => {
      const t = tenant();
      await cache.store(question({ tenant: t, args: { limit: 1 }, texts: ['tea~1'] }));
      const near = (more: object) =>
        cache.lookUp(question({ tenant: t, texts: ['tea~2'], args: { limit: 1 }, ...more }));
      expect(await near({})).toMatchObject({ lane: 'semantic' });
      for (const other of [{ args: { limit: 2 } }, { tool: 'wiki.find' }, { scope: 'bob' }, { tenant: tenant() }])
        expect((await near(other)).kind).toBe('miss');
      await cache.store(question({ tenant: t, args: { other: 1 } }));
      expect((await cache.lookUp(question({ tenant: t, args: { other: 1 }, texts: ['tea~1'] }))).kind).toBe('miss');
    });

    describe('[SC-8] time', () => {
      it('an entry lives its own time by the store’s clock, which a hit does not extend', async () => {
        const asked = question({ tenant: tenant() });
        await cache.store(asked, answer('short'), 1.2);
        const began = performance.now();
        let hits = 0;
        while ((await cache.lookUp(asked)).kind === 'hit') {
          hits += 1;
          await delay(50);
          if (performance.now() - began > 20_000) throw new Error('It does not end.');
        }
        expect(hits).toBeGreaterThan(0);
        expect(performance.now() - began).toBeGreaterThan(500);
        expect((await cache.lookUp(asked)).kind).toBe('miss');
      }, 30_000);

      it('a TTL of 0 keeps nothing, and the age grows', async () => {
        const asked = question({ tenant: tenant() });
        expect(await cache.store(asked, answer('never'), 0)).toBe(false);
        expect((await cache.lookUp(asked)).kind).toBe('miss');
        expect(await cache.store(asked, answer('long'), 1e12)).toBe(true);
        const first = (await cache.lookUp(asked)) as { ageMs: number };
        await delay(60);
        const later = (await cache.lookUp(asked)) as { ageMs: number };
        expect(later.ageMs - first.ageMs).toBeGreaterThanOrEqual(50);
        expect(later.ageMs).toBeLessThan(30_000);
      });

      it('an entry that is expired is not near either, nor is one of a clock that was set back since', async () => {
        const t = tenant();
        const asked = question({ tenant: t, texts: ['tea~1'] });
        await cache.store(asked);
        const near = question({ tenant: t, texts: ['tea~2'] });
        expect((await cache.lookUp(near)).kind).toBe('hit');
        const database = await cache.opened();
        const set = (sql: string) =>
          writeAs(database, t, (queries) => queries.query(`UPDATE semantic_cache SET ${sql}`));
        await set(`expires_at = now() - interval '1 millisecond'`);
        for (const one of [asked, near]) expect((await cache.lookUp(one)).kind).toBe('miss');
        await set(`created_at = now() + interval '1 hour', expires_at = now() + interval '2 hours'`);
        for (const one of [asked, near]) expect((await cache.lookUp(one)).kind).toBe('miss');
      });

      it('a threshold of 0 is a value', async () => {
        const t = tenant();
        await cache.store(question({ tenant: t, texts: ['tea~1'] }));
        const far = { tenant: t, texts: ['tea~9'], candidates: 0, verify: 'cosine', guards: 'off' } as const;
        expect(await cache.lookUp(question({ ...far, threshold: 0 }))).toMatchObject({ lane: 'semantic' });
        expect((await cache.lookUp(question({ ...far, threshold: 0.95 }))).kind).toBe('miss');
      });
    });

    describe('[SC-9] deletion', () => {
      const rowsOf = async (t: string): Promise<number> => {
        const database = await cache.opened();
        const sql = 'SELECT count(*)::int AS n FROM semantic_cache';
        return writeAs(database, t, async (queries) => (await queries.query<{ n: number }>(sql)).rows[0]!.n);
      };

      it('the hourly job deletes what has expired, of every tenant, and nothing else', async () => {
        const [one, other] = [tenant(), tenant()];
        for (const t of [one, other]) {
          await cache.store(question({ tenant: t, args: 'short' }), answer('x'), 0.05);
          await cache.store(question({ tenant: t, args: 'long' }));
        }
        await delay(100);
        expect([await rowsOf(one), await rowsOf(other)]).toEqual([2, 2]);
        expect(await cache.service.upkeep.purge()).toBeGreaterThanOrEqual(2);
        expect([await rowsOf(one), await rowsOf(other)]).toEqual([1, 1]);
        expect((await cache.lookUp(question({ tenant: one, args: 'long' }))).kind).toBe('hit');
      });

      it('erasing deletes at once, of one tool or all, of one tenant, and says how many', async () => {
        const [t, other] = [tenant(), tenant()];
        for (const tool of ['a.x', 'a.y', 'a.*']) {
          await cache.store(question({ tenant: t, tool, texts: ['tea~1'] }));
          await cache.store(question({ tenant: t, tool, args: 2 }));
        }
        await cache.store(question({ tenant: other, tool: 'a.x' }));
        expect(await cache.erase(t, 'a.x')).toEqual({ erased: 2 });
        expect(await rowsOf(t)).toBe(4);
        expect(await cache.erase(t, 'a.*')).toEqual({ erased: 2 });
        expect(await cache.erase(t)).toEqual({ erased: 2 });
        expect([await rowsOf(t), await rowsOf(other)]).toEqual([0, 1]);
        expect(await cache.erase(t)).toEqual({ erased: 0 });
        expect(await cache.erase('nobody\u0000')).toEqual({ erased: 0 });
      });

      it('an answer that was on its way when its tenant was erased is not kept', async () => {
        const asked = question({ tenant: tenant() });
        const { epoch } = await cache.lookUp(asked);
        await cache.erase(asked.tenant);
        expect(await cache.storeAt(epoch, asked)).toBe(false);
        expect(await cache.store(asked)).toBe(true);
      });
    });

    describe('[SC-10] invalidation', () => {
      it('drops what a pattern names, of one tenant, in both lanes, before it answers', async () => {
        const [t, other] = [tenant(), tenant()];
        const tools = ['billing.get_invoice', 'billing.get_a.deep', 'billing.list', 'files.read'];
        const keep = async (who: string) => {
          for (const tool of tools) await cache.store(question({ tenant: who, tool, texts: ['tea~1'] }));
        };
        const left = async (who: string): Promise<string[]> => {
          const there: string[] = [];
          for (const tool of tools) {
            const equal = await cache.lookUp(question({ tenant: who, tool, texts: ['tea~1'] }));
            const near = await cache.lookUp(question({ tenant: who, tool, texts: ['tea~2'] }));
            expect(near.kind).toBe(equal.kind);
            if (equal.kind === 'hit') there.push(tool);
          }
          return there;
        };
        await keep(t);
        await keep(other);
        expect(await cache.invalidate(t, 'billing.get_*')).toEqual({ erased: 2, epoch: 1 });
        expect(await left(t)).toEqual(['billing.list', 'files.read']);
        expect(await cache.invalidate(t, 'none.*', 'billing.**')).toEqual({ erased: 1, epoch: 2 });
        expect(await left(t)).toEqual(['files.read']);
        expect(await cache.invalidate(t, '**')).toEqual({ erased: 1, epoch: 3 });
        expect(await cache.invalidate(t, '**')).toEqual({ erased: 0, epoch: 4 });
        expect(await left(other)).toEqual(tools);
      });

      it('keeps no answer that was worked out before, and every one that was not or is not named', async () => {
        const t = tenant();
        const [named, unnamed] = [question({ tenant: t, tool: 'a.read' }), question({ tenant: t, tool: 'b.read' })];
        const before = await cache.lookUp(named);
        await cache.invalidate(t, 'a.*');
        expect(await cache.storeAt(before.epoch, named)).toBe(false);
        expect((await cache.lookUp(named)).kind).toBe('miss');
        expect(await cache.storeAt(before.epoch, unnamed)).toBe(true);
        const after = await cache.lookUp(named);
        expect(after.epoch).toBe(before.epoch + 1);
        expect(await cache.storeAt(after.epoch, named)).toBe(true);
        // A ticket of a store that has lost what it knew since.
        expect(await cache.storeAt(after.epoch + 1, question({ tenant: t, args: 'future' }))).toBe(false);
      });

      it('forgets an invalidation after an hour, and with it every ticket that is older', async () => {
        const t = tenant();
        const asked = question({ tenant: t, tool: 'b.read' });
        const { epoch } = await cache.lookUp(asked);
        await cache.invalidate(t, 'a.*');
        const database = await cache.opened();
        await writeAs(database, t, (q) => q.query(`UPDATE cache_invalidations SET at = now() - interval '2 hours'`));
        await cache.service.upkeep.purge();
        const left = await writeAs(database, t, (q) => q.query('SELECT 1 FROM cache_invalidations'));
        expect(left.count).toBe(0);
        expect(await cache.storeAt(epoch, asked)).toBe(false);
        expect(await cache.store(asked)).toBe(true);
      });

      it('leaves nothing stale whatever comes at once: stores and invalidations of one tenant take turns', async () => {
        const t = tenant();
        for (let round = 0; round < 15; round += 1) {
          const asked = question({ tenant: t, tool: 'a.read', args: round });
          const { epoch } = await cache.lookUp(asked);
          const stores = Array.from({ length: 4 }, () => cache.storeAt(epoch, asked));
          const dropped = cache.invalidate(t, 'a.read');
          await Promise.all([...stores, dropped]);
          expect((await cache.lookUp(asked)).kind).toBe('miss');
        }
      }, 60_000);
    });

    describe('[SC-7] tenants', () => {
      it('a statement without a WHERE sees its own tenant, and without a tenant nothing', async () => {
        const [t, other] = [tenant(), tenant()];
        for (const who of [t, other]) await cache.store(question({ tenant: who, texts: ['tea~1'] }), answer(who));
        const database = await cache.opened();
        const all = 'SELECT tenant_id FROM semantic_cache';
        const seen = await writeAs(database, t, (queries) => queries.query(all));
        expect(seen.rows).toEqual([{ tenant_id: t }]);
        const nobody = await database.query(`SET LOCAL ROLE portico_cache; ${all}`);
        expect(nobody.rows).toEqual([]);
        const changed = await writeAs(database, t, (q) => q.query(`UPDATE semantic_cache SET hits = hits + 1`));
        expect(changed.count).toBe(1);
        const deleted = await writeAs(database, t, (q) => q.query('DELETE FROM semantic_cache'));
        expect(deleted.count).toBe(1);
        expect(await served(question({ tenant: other, texts: ['tea~1'] }))).toEqual(answer(other));
        const foreign = writeAs(database, t, (q) =>
          q.query(
            `INSERT INTO semantic_cache (tenant_id, tool_name, key_hash, response_payload, created_at, expires_at, last_used_at, bytes)
                   VALUES ($1, 'a.b', 'k', '""', now(), now(), now(), 1)`,
            [other],
          ),
        );
        await expect(foreign).rejects.toMatchObject({ sqlState: '42501' });
      });

      it('1,000 tenants, random traffic: no row ever crosses, whatever hashes are asked with, nor between scopes', async () => {
        const random = new Seeded(7);
        const prefix = tenant();
        const places = Array.from({ length: 1_000 }, (_, n) => ({ tenant: `${prefix}-${n}`, scope: `${n}-${n % 2}` }));
        const asking = (at: number, more: object = {}) => question({ ...places[at]!, texts: ['tea~1'], ...more });
        const mine = (at: number) => answer(`of ${places[at]!.tenant} ${places[at]!.scope}`);
        const stored = new Set<number>();
        const act = async (): Promise<void> => {
          const at = random.below(places.length);
          const other = random.below(places.length);
          const kind = random.below(10);
          if (kind < 3) {
            await cache.storeAt((await cache.lookUp(asking(at))).epoch, asking(at), mine(at));
            stored.add(at);
          } else if (kind === 3) {
            await cache.invalidate(places[at]!.tenant, 'wiki.*');
          } else {
            // Its own questions, another scope's, and another tenant's hashes under its own name.
            const asked = asking(at, { texts: [`tea~${1 + random.below(2)}`] });
            const scope = { ...places[at]!, scope: 'another' };
            const forged = { ...asking(other, { texts: [`tea~${1 + random.below(2)}`] }), tenant: places[at]!.tenant };
            const found = await cache.lookUp(asked);
            if (found.kind === 'hit') expect(found.result).toEqual(mine(at));
            expect((await cache.lookUp(question({ ...scope, texts: ['tea~1'] }))).kind).toBe('miss');
            if (other !== at) expect((await cache.lookUp(forged)).kind).toBe('miss');
          }
        };
        for (let round = 0; round < 150; round += 1) await Promise.all(Array.from({ length: 16 }, act));
        expect(stored.size).toBeGreaterThan(300);
        const database = await cache.opened();
        for (let n = 0; n < 50; n += 1) {
          const at = random.below(places.length);
          const seen = await writeAs(database, places[at]!.tenant, (queries) =>
            queries.query('SELECT * FROM semantic_cache'),
          );
          expect(seen.rows.every((row) => row['tenant_id'] === places[at]!.tenant)).toBe(true);
        }
      }, 240_000);

      it('the role owns nothing and can not log in, and the table forces its policies on its owner', async () => {
        const database = await cache.opened();
        const { rows } = await database.query(
          `SELECT r.rolcanlogin, r.rolsuper, r.rolbypassrls,
             (SELECT count(*)::int FROM pg_class WHERE relowner = r.oid) AS owns,
             (SELECT relforcerowsecurity AND relrowsecurity FROM pg_class WHERE relname = 'semantic_cache') AS forced
           FROM pg_roles r WHERE rolname = 'portico_cache'`,
        );
        expect(rows).toEqual([{ rolcanlogin: false, rolsuper: false, rolbypassrls: false, owns: 0, forced: true }]);
      });

      it('names that would break out, or that no database tells apart, are nobody’s', async () => {
        for (const name of [`'; DROP TABLE semantic_cache; --`, `acme' OR true --`, '\\', 'ünïcode', 'a'.repeat(900)]) {
          const asked = question({ tenant: name, tool: `tool.${name}`, texts: ['tea~1'] });
          expect(await cache.store(asked, answer(name))).toBe(true);
          expect(await served(asked)).toEqual(answer(name));
        }
        for (const name of ['', '\u0000', 'half \ud800', 'half \ud801', 'x'.repeat(2_000), 'nodomain']) {
          for (const asked of [question({ tenant: name, tool: name }), question({ tenant: tenant(), tool: name })]) {
            expect(await cache.lookUp(asked)).toEqual({ kind: 'miss', epoch: 0 });
            expect(await cache.storeAt(0, asked)).toBe(false);
            await cache.invalidate(asked.tenant, '**', 'half.\ud800*');
          }
        }
      });
    });

    describe('[SC-13] quota', () => {
      let small: RunningCache;
      beforeAll(async () => {
        small = await RunningCache.start({ databaseUrl: store.url, tenantBytes: 10_000 });
        await small.opened();
      }, 120_000);
      afterAll(() => small?.close());

      it('lets what was used longest ago go first, and no other tenant pay for it', async () => {
        const [t, other] = [tenant(), tenant()];
        const asked = (n: number, who = t) => question({ tenant: who, args: n });
        const big = answer('x'.repeat(2_600));
        await small.store(asked(0, other), big);
        for (const n of [0, 1, 2]) {
          await small.store(asked(n), big);
          await delay(5);
        }
        expect((await small.lookUp(asked(0))).kind).toBe('hit');
        await small.store(asked(3), big);
        const there = await Promise.all([0, 1, 2, 3].map(async (n) => (await small.lookUp(asked(n))).kind));
        expect(there).toEqual(['hit', 'miss', 'hit', 'hit']);
        expect((await small.lookUp(asked(0, other))).kind).toBe('hit');
        expect(await small.metric('cache_evictions_total')).toBe(1);
        expect(await small.store(asked(4), answer('x'.repeat(11_000)))).toBe(false);
      });

      it('an expired one goes before any that lives, and a new answer to a question takes the place of the old', async () => {
        const t = tenant();
        const big = answer('x'.repeat(2_600));
        const asked = (n: number) => question({ tenant: t, args: n });
        await small.store(asked(0), big);
        await small.store(asked(1), big, 0.05);
        await small.store(asked(2), big);
        for (let again = 0; again < 5; again += 1) expect(await small.store(asked(2), big)).toBe(true);
        await delay(80);
        await small.store(asked(3), big);
        const there = await Promise.all([0, 1, 2, 3].map(async (n) => (await small.lookUp(asked(n))).kind));
        expect(there).toEqual(['hit', 'miss', 'hit', 'hit']);
      });

      it('counts what is there: what was erased, invalidated or purged makes room', async () => {
        const t = tenant();
        const big = answer('x'.repeat(2_600));
        for (let round = 0; round < 3; round += 1) {
          for (const n of [0, 1, 2])
            expect(await small.store(question({ tenant: t, args: n }), big, round === 2 ? 0.05 : 300)).toBe(true);
          if (round === 0) await small.invalidate(t, '**');
          if (round === 1) await small.erase(t);
        }
        await delay(80);
        await small.service.upkeep.purge();
        const bytes = await writeAs(await small.opened(), t, async (_queries, before) => before.bytes);
        expect(bytes).toBe(0);
      });
    });

    it('[SC-5][SC-13] keeps no result above 256 KiB, no error, and none that asks for more', async () => {
      const asked = question({ tenant: tenant() });
      const refused = [
        answer('x'.repeat(262_144)),
        answer('é'.repeat(140_000)),
        { ...answer('no'), isError: true },
        { ...answer('more?'), resultType: 'input_required' },
      ];
      for (const result of refused) expect(await cache.store(asked, result)).toBe(false);
      expect((await cache.lookUp(asked)).kind).toBe('miss');
      expect(await cache.store(asked, { ...answer('x'.repeat(260_000)), resultType: 'complete' })).toBe(true);
    });

    it('[SC-14] never compares vectors of another model, nor a text that the model has cut', async () => {
      const t = tenant();
      const asked = question({ tenant: t, texts: ['tea~1'] });
      await cache.store(asked);
      const near = question({ tenant: t, texts: ['tea~2'] });
      expect((await cache.lookUp(near)).kind).toBe('hit');
      const database = await cache.opened();
      await writeAs(database, t, (queries) => queries.query(`UPDATE semantic_cache SET embedder = 'another'`));
      expect(await cache.lookUp(near)).toEqual({ kind: 'miss', epoch: 0 });
      expect(await cache.lookUp(asked)).toMatchObject({ lane: 'exact' });
      const long = question({ tenant: t, texts: ['long tea~1'] });
      await cache.store(long);
      expect(await cache.lookUp(long)).toMatchObject({ lane: 'exact' });
      for (const texts of [['long tea~2'], ['x'.repeat(20_000)], ['tea~2', 'long tea~2']])
        expect(await cache.lookUp(question({ tenant: t, texts }))).toMatchObject({ kind: 'miss', refused: 'length' });
    });

    describe('[SC-17] shadow checks', () => {
      const check = (tool: string, agreed: boolean) => cache.bus.ask(reportShadowCheck, { tool, agreed });
      const holdings = (t: string) => cache.bus.ask(cacheHoldings, { tenant: t });

      it('take a tool’s semantic lane when 200 checks can not come to 0.99 any more, until it is given back', async () => {
        const [t, tool] = [tenant(), `shadow.${tenant()}`];
        await cache.store(question({ tenant: t, tool, texts: ['tea~1'] }));
        const near = async () => (await cache.lookUp(question({ tenant: t, tool, texts: ['tea~2'] }))).kind;
        for (const agreed of [false, true, false]) await check(tool, agreed);
        expect(await near()).toBe('hit');
        expect((await holdings(t)).tools).toEqual([{ tool, precision: 1 / 3 }]);
        await check(tool, false);
        expect(await near()).toBe('miss');
        expect(await cache.lookUp(question({ tenant: t, tool, texts: ['tea~1'] }))).toMatchObject({ lane: 'exact' });
        expect(await cache.metric(`cache_precision{tool="${tool}"}`)).toBe(0.25);
        expect(cache.lines.join()).toContain('cache.tool-suspended');
        // What agrees afterwards gives nothing back.
        for (let n = 0; n < 5; n += 1) await check(tool, true);
        expect(await near()).toBe('miss');
        expect(await cache.bus.ask(restoreTool, { tool })).toEqual({ restored: true });
        expect(await near()).toBe('hit');
        expect(await cache.bus.ask(restoreTool, { tool })).toEqual({ restored: false });
        expect((await holdings(t)).tools).toEqual([{ tool }]);
      });

      it('are counted over the last 200: two wrong ones among them are 0.99', async () => {
        const tool = `shadow.${tenant()}`;
        const t = tenant();
        await cache.store(question({ tenant: t, tool, texts: ['tea~1'] }));
        for (const n of Array.from({ length: 200 }, (_, i) => i)) await check(tool, n > 1);
        expect((await holdings(t)).tools).toEqual([{ tool, precision: 0.99 }]);
        // The first two are forgotten by now: these are the only wrong ones.
        await check(tool, true);
        await check(tool, true);
        await check(tool, false);
        await check(tool, false);
        expect((await cache.lookUp(question({ tenant: t, tool, texts: ['tea~2'] }))).kind).toBe('hit');
        await check(tool, false);
        expect((await cache.lookUp(question({ tenant: t, tool, texts: ['tea~2'] }))).kind).toBe('miss');
      }, 60_000);
    });

    describe('[SC-15] figures', () => {
      it('says what it holds for a tenant alone', async () => {
        const [t, other] = [tenant(), tenant()];
        await cache.store(question({ tenant: t, tool: 'b.x', texts: ['tea~1'] }));
        await cache.store(question({ tenant: t, tool: 'a.x', args: 1 }), answer('x'.repeat(1_000)));
        await cache.store(question({ tenant: t, tool: 'a.x', args: 2 }), answer('x'), 0.01);
        await cache.store(question({ tenant: other, tool: 'c.x' }));
        await delay(30);
        const held = await cache.bus.ask(cacheHoldings, { tenant: t });
        expect(held).toEqual({ entries: 2, bytes: expect.any(Number), tools: [{ tool: 'a.x' }, { tool: 'b.x' }] });
        expect(held.bytes).toBeGreaterThan(1_000 + 384 * 4);
        expect(await cache.bus.ask(cacheHoldings, { tenant: 'nobody' })).toEqual({ entries: 0, bytes: 0, tools: [] });
      });

      it('counts look-ups by lane and outcome, refusals by kind, what is stored, evicted and erased, and its bytes', async () => {
        const before = await cache.metric('cache_lane_lookups_total{lane="exact",outcome="hit"}');
        const t = tenant();
        const asked = question({ tenant: t, texts: ['tea~not'] });
        await cache.store(asked);
        await cache.lookUp(asked);
        expect(await cache.metric('cache_lane_lookups_total{lane="exact",outcome="hit"}')).toBe(before + 1);
        const refused = await cache.metric('cache_near_misses_total{kind="negation"}');
        await cache.lookUp(question({ tenant: t, texts: ['tea~1'] }));
        expect(await cache.metric('cache_near_misses_total{kind="negation"}')).toBe(refused + 1);
        await cache.service.upkeep.purge();
        expect(await cache.metric('cache_bytes')).toBeGreaterThan(1_000);
        for (const series of [
          'cache_lane_lookups_total{lane="exact",outcome="miss"}',
          'cache_lane_lookups_total{lane="semantic",outcome="hit"}',
          'cache_lane_lookups_total{lane="semantic",outcome="miss"}',
          'cache_lookup_duration_seconds_count{answer="exact"}',
          'cache_lookup_duration_seconds_count{answer="semantic"}',
          'cache_lookup_duration_seconds_count{answer="miss"}',
          'cache_stores_total{outcome="stored"}',
          'cache_stores_total{outcome="outdated"}',
          'cache_stores_total{outcome="too_large"}',
          'cache_store_duration_seconds_count',
          'cache_embed_duration_seconds_count',
          'cache_erased_total{why="invalidated"}',
          'cache_erased_total{why="erased"}',
          'cache_erased_total{why="expired"}',
        ])
          expect([series, (await cache.metric(series)) > 0]).toEqual([series, true]);
      });

      it('writes down how often and when an entry has answered, beside the path', async () => {
        const t = tenant();
        const asked = question({ tenant: t });
        await cache.store(asked);
        for (let n = 0; n < 3; n += 1) await cache.lookUp(asked);
        await cache.service.upkeep.writeUses();
        const { rows } = await writeAs(await cache.opened(), t, (queries) =>
          queries.query('SELECT hits, last_used_at > created_at AS later FROM semantic_cache'),
        );
        expect(rows).toEqual([{ hits: '3', later: true }]);
      });
    });

    describe('[SC-1][SC-7] mistakes of others', () => {
      it('an answer that its first reader changes, or whoever stored it, is another reader’s as it was', async () => {
        const asked = question({ tenant: tenant() });
        const result = answer('as it was');
        const kept = cache.store(asked, result);
        await kept;
        (result.content as unknown as { text: string }[])[0]!.text = 'changed';
        const first = await cache.lookUp(asked);
        if (first.kind === 'hit') (first.result.content as unknown as { text: string }[])[0]!.text = 'changed';
        expect(await served(asked)).toEqual(answer('as it was'));
      });

      it('a tenant that is only a word of the text, or a namespace, has nothing of another', async () => {
        await cache.store(question({ tenant: 'ns:a', texts: ['ns:b tea~1'] }));
        for (const texts of [['ns:b tea~1'], ['tea~1'], ['ns:a tea~1']])
          expect((await cache.lookUp(question({ tenant: 'ns:b', texts }))).kind).toBe('miss');
      });

      it('a tool is more than its name: other arguments, another answer', async () => {
        const t = tenant();
        await cache.store(question({ tenant: t, args: { id: 1 } }), answer('one'));
        expect(await served(question({ tenant: t, args: { id: 2 } }))).toBeUndefined();
        await cache.store(question({ tenant: t, args: { id: 2 } }), answer('two'));
        expect(await served(question({ tenant: t, args: { id: 1 } }))).toEqual(answer('one'));
      });
    });

    it('[SC-4] a guard that fails means miss, and the entry after it may answer', async () => {
      const t = tenant();
      await cache.store(question({ tenant: t, texts: ['explode~1'] }));
      expect(await cache.lookUp(question({ tenant: t, texts: ['explode~2'] }))).toEqual({
        kind: 'miss',
        epoch: 0,
        refused: 'score',
      });
    });
  });
}
