import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { CallMetrics } from './call-metrics.js';
import type { CatalogueMemory } from './catalogue-memory.js';
import type { ResponseCache } from './cache/response-cache.js';
import type { Bulkhead } from './limits/bulkhead.js';
import type { DomainBreakers } from './limits/domain-breakers.js';
import type { PolicyInForce } from './policy/policy.js';
import type { Receipts } from './receipts/receipts.js';

/** What the operations work with. */
export interface FrontDoor {
  readonly bus: Bus;
  readonly catalogue: CatalogueMemory;
  readonly policy: PolicyInForce;
  readonly cache: ResponseCache;
  readonly bulkhead: Bulkhead;
  readonly breakers: DomainBreakers;
  readonly receipts: Receipts;
  readonly metrics: CallMetrics;
  readonly log: Log;
  readonly resultLimitBytes: number;
  /** How long clients may keep a list. */
  readonly listTtlMs: number;
}
