import type { ToolPolicy } from '@portico/contracts';

type Freshness = Pick<ToolPolicy, 'cache' | 'staleness'>;

/** What changes now and then, and by no tool of ours: minutes of age harm nobody, and Slack allows few such requests. */
export const SLOW: Freshness = { cache: { ttlSeconds: 300 } };
/** What is said: as it is now. */
export const NOW: Freshness = { staleness: 'stale' };
/** What is worthless once something has been said. */
export const SAID = ['slack.read_channel', 'slack.read_thread'];
