import type { Log } from '@portico/observe';
import type { CacheMetrics } from './cache-metrics.js';
import { writeAs } from './store/as-tenant.js';
import type { CacheDatabase, OpenedStore } from './store/cache-database.js';
import { purge } from './store/purge.js';
import { recordUses } from './store/use-counts.js';
import type { UseCounts } from './store/use-counts.js';

const USES_MS = 5_000;
const FIRST_PURGE_MS = 120_000;
const PURGE_MS = 3_600_000;

export interface UpkeepParts {
  readonly database: CacheDatabase;
  readonly uses: UseCounts;
  readonly metrics: CacheMetrics;
  readonly log: Log;
  /** Whether there may be something to purge in a database that nobody has needed since this process started. */
  mayHoldEntries(): boolean;
}

/** What is done beside the path: uses are written down every 5 s, expired entries deleted every hour. */
export class Upkeep {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly ending = new AbortController();
  private purging: Promise<number> | undefined;
  private writing: Promise<void> | undefined;

  constructor(private readonly parts: UpkeepParts) {}

  start(): void {
    const { log } = this.parts;
    const purging = (): void => {
      this.purge().catch((error: unknown) => {
        if (!this.ending.signal.aborted) log.warn('cache.purge-failed', { reason: (error as Error).message });
      });
    };
    this.timers.push(
      setInterval(() => void this.writeUses(), USES_MS),
      setTimeout(purging, FIRST_PURGE_MS),
      setInterval(purging, PURGE_MS),
    );
    for (const timer of this.timers) timer.unref();
  }

  /** Deletes what has expired now; the rows deleted. Rejects with a StorageError. */
  purge(): Promise<number> {
    this.purging ??= this.purgeOnce().finally(() => (this.purging = undefined));
    return this.purging;
  }

  /** Leaves nothing of deleted rows in the table's files. Rejects with a StorageError. */
  async vacuum({ upkeep }: OpenedStore): Promise<void> {
    await upkeep.query('VACUUM semantic_cache');
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.ending.abort();
    await Promise.all([this.purging?.catch(() => {}), this.writing]);
    await this.writeUses();
  }

  private async purgeOnce(): Promise<number> {
    const { database, metrics } = this.parts;
    if (database.current === undefined && !this.parts.mayHoldEntries()) return 0;
    const store = await database.open();
    const purged = await purge(store.database, this.ending.signal);
    metrics.erased.inc({ why: 'expired' }, purged);
    if (purged > 0) await this.vacuum(store);
    await store.structures.dropNeedless();
    await this.count(store);
    return purged;
  }

  /** Writes down which entries have answered; never rejects. */
  writeUses(): Promise<void> {
    this.writing ??= this.writeThem().finally(() => (this.writing = undefined));
    return this.writing;
  }

  private async writeThem(): Promise<void> {
    const { database, uses } = this.parts;
    const store = database.current;
    if (store === undefined) return;
    try {
      for (const tenant of uses.waiting()) {
        const taken = uses.takeOf(tenant);
        await writeAs(store.database, tenant, (queries) => recordUses(queries, tenant, taken));
      }
      await this.count(store);
    } catch {
      // Uses that are forgotten make an entry look older than it is: no more than that.
    }
  }

  private async count({ database }: OpenedStore): Promise<void> {
    const { rows } = await database.query<{ bytes: number }>(
      'SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM cache_tenants',
    );
    this.parts.metrics.held.bytes = rows[0]!.bytes;
  }
}
