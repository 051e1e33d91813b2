import type { Principal } from '@portico/contracts';
import { z } from 'zod';
import type { GatewayView } from './gateway-view.js';

/** `gateway.cache_stats` takes no arguments. */
export const CacheStatsArguments = z.strictObject({});

/** What the response cache holds for the caller's own tenant, and what it has answered at this front door. */
export const cacheStats = (view: GatewayView, { tenant }: Principal): Promise<Record<string, unknown>> =>
  view.cacheStats(tenant);
