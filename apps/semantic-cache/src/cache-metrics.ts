import type { Metrics } from '@portico/observe';

/** What the service counts. No label is a tenant: label values stay few. */
export const cacheMetrics = (metrics: Metrics) => {
  const precision = new Map<string, number>();
  const held = { bytes: 0 };
  metrics.gauge(
    { name: 'cache_precision', help: 'Share of the last shadow checks that agreed.', labels: ['tool'] },
    () => [...precision].map(([tool, value]) => [{ tool }, value] as const),
  );
  metrics.gauge({ name: 'cache_bytes', help: 'Bytes of answers kept, of all tenants.' }, () => held.bytes);
  return {
    precision,
    held,
    lookUps: metrics.counter({
      name: 'cache_lane_lookups_total',
      help: 'Look-ups by lane and outcome.',
      labels: ['lane', 'outcome'],
    }),
    lookUpSeconds: metrics.histogram({
      name: 'cache_lookup_duration_seconds',
      help: 'Time of a look-up by what answered it.',
      labels: ['answer'],
    }),
    refusals: metrics.counter({
      name: 'cache_near_misses_total',
      help: 'Entries that were near and did not answer, by why.',
      labels: ['kind'],
    }),
    stores: metrics.counter({
      name: 'cache_stores_total',
      help: 'Answers to be kept, by outcome.',
      labels: ['outcome'],
    }),
    storeSeconds: metrics.histogram({
      name: 'cache_store_duration_seconds',
      help: 'Time of keeping a batch of answers.',
    }),
    evictions: metrics.counter({ name: 'cache_evictions_total', help: 'Answers that made room for others.' }),
    erased: metrics.counter({
      name: 'cache_erased_total',
      help: 'Answers deleted, by why.',
      labels: ['why'],
    }),
    embedSeconds: metrics.histogram({
      name: 'cache_embed_duration_seconds',
      help: 'Time of reading the texts of a call.',
    }),
  };
};

export type CacheMetrics = ReturnType<typeof cacheMetrics>;
