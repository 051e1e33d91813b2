import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '@portico/storage';
import type { Database } from '@portico/storage';
import { describeIfAvailable, startPostgresServer } from '@portico/testkit';
import type { PostgresServer } from '@portico/testkit';
import { writeAs } from '../src/store/as-tenant.js';
import { PlacedEmbedder, answer, question } from './questions.js';
import { RunningCache } from './running-cache.js';

const MISS = { kind: 'miss', epoch: 0 };

describeIfAvailable('pgvector', '[SC-6][SC-12] what others write, and what nobody expects', () => {
  let server: PostgresServer;
  let cache: RunningCache;
  const embedder = new PlacedEmbedder();
  let tenants = 0;
  let tenant: string;

  beforeAll(async () => {
    server = await startPostgresServer({ vectors: true, settings: { max_connections: '30' } });
    cache = await RunningCache.start({ databaseUrl: server.url, embedder });
    await cache.opened();
    await cache.lookUp(question({ texts: ['warm'] }));
  }, 60_000);
  afterEach(() => void (embedder.broken = undefined));
  afterAll(async () => {
    await cache?.close();
    await server?.stop();
  });
  const set = async (sql: string, values: unknown[] = []): Promise<void> =>
    void (await writeAs(await cache.opened(), tenant, (q) => q.query(`UPDATE semantic_cache SET ${sql}`, values)));

  describe('a row that is none of ours', () => {
    const asked = () => question({ tenant, texts: ['tea~1'] });
    const near = () => question({ tenant, texts: ['tea~2'], threshold: 0, candidates: 0 });
    it.each(['null', '7', '[]', '{}', '"no JSON"', '"null"', '"[]"', '"{\\"content\\": 7}"', '{"content": "x"}'])(
      'with %s for an answer is no answer, and no failure',
      async (payload) => {
        tenant = `row-${(tenants += 1)}`;
        await cache.store(asked());
        await set('response_payload = $1::jsonb', [payload]);
        expect(await cache.lookUp(asked())).toMatchObject(MISS);
        expect(await cache.lookUp(near())).toMatchObject(MISS);
        // It gives way to the next answer.
        expect(await cache.store(asked(), answer('again'))).toBe(true);
        expect(await cache.lookUp(asked())).toMatchObject({ lane: 'exact', result: answer('again') });
      },
    );

    it.each([
      ['no words', `token_vectors = ''`],
      ['no words at all', 'token_vectors = NULL'],
      ['words of another format', `token_vectors = '\\x0400000002000000'`],
      ['words that end early', `token_vectors = '\\xffffffff01'`],
      ['a text that is no list', `free_text = 'tea~1'`],
      ['a list of no texts', `free_text = '[7, null]'`],
      ['nothing for a text', 'free_text = NULL'],
      ['a list of nothing', `free_text = '[]'`],
      ['no embedder', 'embedder = NULL'],
      ['no vector', 'embedding = NULL'],
      [
        'a vector of nothing',
        `embedding = (SELECT ('[' || string_agg('0', ',') || ']')::vector FROM generate_series(1, 384))`,
      ],
    ])('with %s is near nothing, and answers equal questions', async (_what, sql) => {
      tenant = `row-${(tenants += 1)}`;
      await cache.store(asked());
      expect(await cache.lookUp(near())).toMatchObject({ lane: 'semantic' });
      await set(sql);
      expect(await cache.lookUp(near())).toMatchObject(MISS);
      expect(await cache.lookUp(asked())).toMatchObject({ lane: 'exact' });
    });
  });

  it.each<[string, (vector: Float32Array) => Float32Array]>([
    ['NaN', (vector) => vector.map((value, i) => (i === 7 ? NaN : value))],
    ['infinite', (vector) => vector.map((value, i) => (i === 7 ? -Infinity : value))],
    ['too short', (vector) => vector.slice(1)],
  ])('vectors that are %s compare with nothing, and take no other answer along', async (_what, broken) => {
    tenant = `vectors-${(tenants += 1)}`;
    embedder.broken = (text, vector) => (text.startsWith('broken') ? broken(vector) : vector);
    const [bad, good] = [question({ tenant, texts: ['broken~1'] }), question({ tenant, texts: ['tea~1'] })];
    const stored = await Promise.all([bad, good].map((asked) => cache.storeAt(0, asked)));
    expect(stored).toEqual([true, true]);
    for (const asked of [bad, good]) expect(await cache.lookUp(asked)).toMatchObject({ lane: 'exact' });
    expect((await cache.lookUp(question({ tenant, texts: ['broken~2'] }))).kind).toBe('miss');
  });

  it('keeps what is deep, wide or large as it is, up to the cap, and lets be what no JSON holds', async () => {
    tenant = 'shapes';
    const deep = (levels: number): unknown => {
      let value: unknown = 1;
      for (let level = 0; level < levels; level += 1) value = [value];
      return value;
    };
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}\u0000'"`, n]));
    for (const [name, value] of Object.entries({ deep: deep(1_000), wide, text: 'é"\\\u0000'.repeat(20_000) })) {
      const asked = question({ tenant, args: name });
      const result = { content: [], structuredContent: { value } };
      expect([name, await cache.store(asked, result)]).toEqual([name, true]);
      const found = await cache.lookUp(asked);
      expect(JSON.stringify(found.kind === 'hit' && found.result)).toBe(JSON.stringify(result));
    }
    const asked = question({ tenant, args: 'deepest' });
    expect(await cache.store(asked, { content: [], structuredContent: { value: deep(100_000) } })).toBe(false);
    expect(await cache.lookUp(asked)).toEqual(MISS);
  });

  it('free text may be any text: none breaks out, none is cut in silence', async () => {
    tenant = 'texts';
    const texts = [`'); DROP TABLE semantic_cache; --`, '\u0000', '\ud800', '', '$1', '\\x00', 'x'.repeat(1_000_000)];
    for (const text of texts) {
      const asked = question({ tenant, texts: [text] });
      expect(await cache.store(asked, answer(`of ${text.slice(0, 9)}`))).toBe(true);
      expect(await cache.lookUp(asked)).toMatchObject({ lane: 'exact', result: answer(`of ${text.slice(0, 9)}`) });
      expect((await cache.lookUp(question({ tenant, texts: [`${text} and more`] }))).kind).toBe('miss');
    }
    const many = question({ tenant, texts: Array.from({ length: 500 }, (_, n) => `text ${n}`) });
    expect(await cache.store(many)).toBe(true);
    expect(await cache.lookUp(many)).toMatchObject({ lane: 'exact' });
  });

  it('patterns and tools with signs of every kind drop what they name, and nothing else', async () => {
    tenant = 'patterns';
    const tools = [`a.'; --`, 'a.%', 'a._', 'a.[x]', 'a.(y)', 'a.\\', 'a.b'];
    for (const tool of tools) await cache.store(question({ tenant, tool }));
    for (const tool of tools.slice(0, -1)) expect(await cache.invalidate(tenant, tool)).toMatchObject({ erased: 1 });
    expect((await cache.lookUp(question({ tenant, tool: 'a.b' }))).kind).toBe('hit');
    expect(await cache.erase(tenant, 'a.%')).toEqual({ erased: 0 });
    expect(await cache.erase(tenant, 'no dot at all, \ud800')).toEqual({ erased: 0 });
    expect(await cache.store(question({ tenant, tool: 'a.b' }))).toBe(true);
  });

  it('replicas that start at once on a new database make its tables once', async () => {
    const admin = await openDatabase(server.url, { maxConnections: 1 });
    await admin.query('CREATE DATABASE together');
    await admin.close();
    const databaseUrl = server.url.replace(/postgres$/, 'together');
    const all = await Promise.all(Array.from({ length: 4 }, () => RunningCache.start({ databaseUrl })));
    try {
      await Promise.all(all.map((one) => one.opened()));
      expect(await all[0]!.store(question())).toBe(true);
      for (const one of all) expect((await one.lookUp(question())).kind).toBe('hit');
    } finally {
      for (const one of all) await one.close();
    }
  }, 60_000);

  it('a database without a connection to spare is a quick failure, and is there again once it has one', async () => {
    const databaseUrl = server.url;
    const late = await RunningCache.start({ databaseUrl });
    const taken: Database[] = [];
    try {
      for (let n = 0; n < 40; n += 1) {
        const one = await openDatabase(server.url, { maxConnections: 1 });
        taken.push(one);
        if (!(await one.query('SELECT 1').then(Boolean, () => false))) break;
      }
      expect(taken.length).toBeLessThan(40);
      const began = performance.now();
      await late.lookUp(question());
      const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => late.lookUp(question(), 2_000)));
      for (const one of outcomes)
        if (one.status === 'rejected')
          expect(['BACKEND_UNAVAILABLE', 'TIMEOUT']).toContain((one.reason as { code: string }).code);
      expect(await late.storeAt(0, question())).toBe(false);
      expect(performance.now() - began).toBeLessThan(20_000);
    } finally {
      for (const one of taken) await one.close();
    }
    const end = performance.now() + 30_000;
    while (!(await late.opened().then(Boolean, () => false)) && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await late.store(question({ tenant: 'late' }))).toBe(true);
    await late.close();
  }, 60_000);
});
