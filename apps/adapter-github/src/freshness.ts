import type { ToolPolicy } from '@portico/contracts';

type Freshness = Pick<ToolPolicy, 'cache' | 'staleness'>;

/** What is looked through: half a minute of age harms nobody, and GitHub counts requests. */
export const QUICK: Freshness = { cache: { ttlSeconds: 30 }, staleness: 'stale' };
/** What is decided by: as it is now. */
export const NOW: Freshness = { staleness: 'stale' };
