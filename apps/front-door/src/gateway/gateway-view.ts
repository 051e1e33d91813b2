import type { ReplyOf, SourceSummary, discoveryHealth } from '@portico/contracts';
import type { PublishedCatalogue } from '../published-catalogue.js';

/** What the gateway's own tools look at. */
export interface GatewayView {
  readonly catalogue: () => PublishedCatalogue;
  /** What discovery last said of each source. */
  readonly sources: () => readonly SourceSummary[];
  readonly health: () => Promise<ReplyOf<typeof discoveryHealth>['sources']>;
}
