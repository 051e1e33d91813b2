import type { CacheRefusal } from '@portico/contracts';
import type { Counter, Metrics } from '@portico/observe';

/** How a cacheable call ended, as far as the cache is concerned. */
export type CacheOutcome = 'exact' | 'semantic' | 'coalesced' | 'miss' | 'bypass';

export interface ToolCounts {
  readonly tool: string;
  exact: number;
  semantic: number;
  coalesced: number;
  miss: number;
  bypass: number;
  readonly refused: Record<CacheRefusal, number>;
}

/** Most pairs of tenant and tool that are counted apart at one front door. */
const KEPT = 10_000;

/** What this front door had from the cache: for everybody as metrics, and of each tenant for itself. */
export class CacheCounts {
  private readonly counts = new Map<string, ToolCounts>();
  private readonly lookups: Counter;
  private readonly refusals: Counter;

  constructor(metrics: Metrics) {
    this.lookups = metrics.counter({
      name: 'cache_lookups_total',
      help: 'Cacheable calls, by how the cache answered.',
      labels: ['outcome'],
    });
    this.refusals = metrics.counter({
      name: 'cache_refusals_total',
      help: 'Similar entries that did not answer, by what told them apart.',
      labels: ['reason'],
    });
  }

  count(tenant: string, tool: string, outcome: CacheOutcome, refused?: CacheRefusal): void {
    const counts = this.of(tenant, tool);
    counts[outcome] += 1;
    this.lookups.inc({ outcome });
    if (refused === undefined) return;
    counts.refused[refused] += 1;
    this.refusals.inc({ reason: refused });
  }

  /** Of a tenant's tools, in the order in which they were met. */
  ofTenant(tenant: string): ToolCounts[] {
    const prefix = JSON.stringify([tenant]);
    return [...this.counts].filter(([key]) => key.startsWith(prefix)).map(([, counts]) => counts);
  }

  private of(tenant: string, tool: string): ToolCounts {
    const key = JSON.stringify([tenant]) + tool;
    const known = this.counts.get(key);
    if (known !== undefined) return known;
    const counts: ToolCounts = {
      tool,
      exact: 0,
      semantic: 0,
      coalesced: 0,
      miss: 0,
      bypass: 0,
      refused: { numbers: 0, negation: 0, order: 0, score: 0, length: 0 },
    };
    if (this.counts.size >= KEPT) this.counts.delete(this.counts.keys().next().value as string);
    this.counts.set(key, counts);
    return counts;
  }
}
