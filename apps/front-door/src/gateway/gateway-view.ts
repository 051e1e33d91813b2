import type { Principal, Receipt, ReplyOf, SourceSummary, discoveryHealth } from '@portico/contracts';
import type { Access } from '../policy/policy.js';
import type { PublishedCatalogue } from '../published-catalogue.js';

/** What the gateway's own tools look at. */
export interface GatewayView {
  readonly catalogue: () => PublishedCatalogue;
  /** What discovery last said of each source. */
  readonly sources: () => readonly SourceSummary[];
  readonly health: () => Promise<ReplyOf<typeof discoveryHealth>['sources']>;
  readonly accessOf: (principal: Principal) => Access;
  /** Full names of tools, by the name of their profile. */
  readonly profiles: () => ReadonlyMap<string, readonly string[]>;
  /** What the response cache holds for a tenant, and what it answered. */
  readonly cacheStats: (tenant: string) => Promise<Record<string, unknown>>;
  /** What was called for a tenant, newest first. */
  readonly receipts: (tenant: string) => Promise<readonly Receipt[]>;
}
