import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PlacedEmbedder, answer, question } from './questions.js';
import { RunningCache } from './running-cache.js';

describe('[SC-12] an embedder that fails', () => {
  const embedder = new PlacedEmbedder();
  let cache: RunningCache;
  let tenants = 0;
  let tenant: string;

  beforeAll(async () => {
    cache = await RunningCache.start({ databaseUrl: 'pglite:memory:', embedder });
    await cache.opened();
    await cache.lookUp(question({ texts: ['warm'] }));
  }, 120_000);
  afterAll(() => cache?.close());
  beforeEach(() => {
    Object.assign(embedder, { failing: false, delayMs: 0 });
    tenant = `t${(tenants += 1)}`;
  });

  it('leaves equal questions their answers, and what is stored meanwhile answers equal ones', async () => {
    const [before, meanwhile] = [question({ tenant, texts: ['tea~1'] }), question({ tenant, texts: ['cup~1'] })];
    await cache.store(before);
    embedder.failing = true;
    expect(await cache.lookUp(before)).toMatchObject({ lane: 'exact' });
    expect(await cache.lookUp(question({ tenant, texts: ['tea~2'] }))).toEqual({ kind: 'miss', epoch: 0 });
    expect(await cache.store(meanwhile)).toBe(true);
    embedder.failing = false;
    expect(await cache.lookUp(meanwhile)).toMatchObject({ lane: 'exact' });
    expect((await cache.lookUp(question({ tenant, texts: ['cup~2'] }))).kind).toBe('miss');
    expect(await cache.lookUp(question({ tenant, texts: ['tea~2'] }))).toMatchObject({ lane: 'semantic' });
    expect(await cache.metric('cache_lane_lookups_total{lane="semantic",outcome="failed"}')).toBeGreaterThan(0);
  });

  it('that is slow holds nobody beyond the deadline, and no look-up that needs no model', async () => {
    const asked = question({ tenant, texts: ['tea~1'] });
    await cache.store(asked);
    embedder.delayMs = 5_000;
    const began = performance.now();
    const slow = Array.from({ length: 200 }, (_, n) =>
      cache.lookUp(question({ tenant, texts: [`slow ${n}`] }), 1_000).then(
        ({ kind }) => kind,
        (error: { code: string }) => error.code,
      ),
    );
    const outcomes = new Set(await Promise.all(slow));
    expect([...outcomes].every((one) => ['miss', 'TIMEOUT', 'BACKEND_UNAVAILABLE'].includes(one))).toBe(true);
    expect(performance.now() - began).toBeLessThan(4_500);
    expect(await cache.lookUp(asked)).toMatchObject({ lane: 'exact' });
  }, 60_000);

  it('that can not be loaded is told once, and costs the semantic lane alone', async () => {
    let loads = 0;
    const openEmbedder = async () => {
      loads += 1;
      throw new Error('model.onnx is not what SHA256SUMS says');
    };
    const own = await RunningCache.start({ databaseUrl: 'pglite:memory:', openEmbedder });
    try {
      await own.opened();
      const asked = question({ texts: ['tea~1'] });
      expect(await own.store(asked, answer('kept'))).toBe(true);
      expect(await own.lookUp(asked)).toMatchObject({ lane: 'exact', result: answer('kept') });
      expect((await own.lookUp(question({ texts: ['tea~2'] }))).kind).toBe('miss');
      expect(loads).toBe(1);
      expect(own.lines.filter((line) => line.includes('cache.no-embedder'))).toHaveLength(1);
    } finally {
      await own.close();
    }
  }, 120_000);
});
