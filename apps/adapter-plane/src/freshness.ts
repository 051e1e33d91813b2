import type { ToolPolicy } from '@portico/contracts';

type Freshness = Pick<ToolPolicy, 'cache' | 'staleness'>;

/** What people change now and then, and no tool of ours does: minutes of age harm nobody, and Plane allows few requests. */
export const SLOW: Freshness = { cache: { ttlSeconds: 300 } };
/** What is worked on: our own writes drop it at once, those of people show within half a minute. */
export const QUICK: Freshness = { cache: { ttlSeconds: 30 }, staleness: 'stale' };
/** What is decided by: as it is now. */
export const NOW: Freshness = { staleness: 'stale' };
