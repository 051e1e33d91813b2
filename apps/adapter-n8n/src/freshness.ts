import type { ToolPolicy } from '@portico/contracts';

/** What is decided by, and what people change in n8n: as it is now. */
export const NOW: Pick<ToolPolicy, 'cache' | 'staleness'> = { staleness: 'stale' };
