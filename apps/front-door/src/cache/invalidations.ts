import { randomUUID } from 'node:crypto';
import type { Bus, Subscription } from '@portico/bus';
import { DotGlob, Fault, invalidateAnswers, invalidationConfirmed, invalidationPending } from '@portico/contracts';
import type { Log } from '@portico/observe';

/** How long an entry may live at most, whatever its tool's policy says: so long an invalidation may have to be remembered. */
export const LONGEST_TTL_MS = 24 * 3_600_000;
const RETRY_MS = { first: 250, most: 15_000 };
/** Who asks again is heard of each time; so long after the last word of one, whoever asked has died, and another one asks. */
const ORPHANED_MS = 4 * RETRY_MS.most;
/** Most invalidations that wait to be confirmed; beyond, the cache is passed by altogether. */
const MOST_PENDING = 10_000;

interface Pending {
  readonly tenant: string;
  readonly patterns: readonly string[];
  readonly globs: readonly DotGlob[];
  /** When it was last spoken of, by `performance.now()`. */
  readonly heardAt: number;
  readonly until: number;
}

interface Retry {
  readonly id: string;
  readonly timer: NodeJS.Timeout;
  /** When nothing that it would drop lives any more, by `performance.now()`. */
  until: number;
}

export interface InvalidationOptions {
  /** Milliseconds that a mutation waits for the cache to confirm. */
  readonly budgetMs: number;
  readonly log: Log;
}

/**
 * Drops what a mutation makes stale, before its answer is returned. Where the cache does not confirm in time, every front door
 * passes it by for those patterns, and this one goes on asking until it has.
 */
export class Invalidations {
  private readonly pending = new Map<string, Pending>();
  /** What waits to be asked for again, one of each tenant and patterns. */
  private readonly retries = new Map<string, Retry>();
  private subscriptions: Subscription[] = [];
  private adopting: NodeJS.Timeout | undefined;
  /** By `performance.now()`. */
  private overflowedUntil = 0;
  private closed = false;

  private constructor(
    private readonly bus: Bus,
    private readonly options: InvalidationOptions,
  ) {}

  static async open(bus: Bus, options: InvalidationOptions): Promise<Invalidations> {
    const opened = new Invalidations(bus, options);
    opened.subscriptions = await Promise.all([
      bus.listen(invalidationPending, ({ id, tenant, patterns }) => opened.remember(id, tenant, patterns)),
      bus.listen(invalidationConfirmed, ({ id }) => void opened.pending.delete(id)),
    ]);
    opened.adopting = setInterval(() => opened.adopt(), RETRY_MS.most).unref();
    return opened;
  }

  /** Whether answers of the tool must not be taken from the cache, nor given to it, now. */
  awaited(tenant: string, fullName: string): boolean {
    const now = performance.now();
    if (this.overflowedUntil > now) return true;
    for (const [id, entry] of this.pending) {
      if (entry.until <= now) this.pending.delete(id);
      else if (entry.tenant === tenant && entry.globs.some((glob) => glob.matches(fullName))) return true;
    }
    return false;
  }

  /**
   * Resolves when the tenant's answers of what these patterns name are gone, or all front doors pass them by. Never rejects,
   * and never takes longer than the budget.
   */
  async drop(tenant: string, patterns: readonly string[]): Promise<void> {
    const { budgetMs, log } = this.options;
    const again = this.retries.get(keyOf(tenant, patterns));
    // What is to be asked for again drops this as well, and until then all pass these patterns by.
    if (again !== undefined) {
      again.until = performance.now() + LONGEST_TTL_MS;
      return this.announce(again.id, tenant, patterns);
    }
    const id = randomUUID();
    // Nothing is taken from the cache here while it is not known whether it still has it.
    this.remember(id, tenant, patterns);
    let known = false;
    const announce = (): void => {
      if (!known) this.announce(id, tenant, patterns);
      known = true;
    };
    // The others need to hear of it before the answer is returned: half of the budget is theirs.
    const half = setTimeout(announce, budgetMs / 2);
    const started = performance.now();
    const left = (): number => started + budgetMs - performance.now();
    try {
      await this.ask(tenant, patterns, budgetMs).catch((error: unknown) => {
        if (!isUnserved(error)) throw error;
        announce();
        // Whatever comes of it comes behind the announcement: then nobody needs to be waited for.
        return this.ask(tenant, patterns, Math.max(1, left()));
      });
      this.confirmed(id, known);
    } catch (error) {
      log.warn('cache.invalidation-not-confirmed', { tenant, patterns, error });
      announce();
      if (!isUnserved(error) && left() > 0) await new Promise((resolve) => setTimeout(resolve, left()));
      this.again(id, tenant, patterns, RETRY_MS.first, performance.now() + LONGEST_TTL_MS);
    } finally {
      clearTimeout(half);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.adopting);
    for (const { timer } of this.retries.values()) clearTimeout(timer);
    await Promise.all(this.subscriptions.map((subscription) => subscription.close()));
  }

  private remember(id: string, tenant: string, patterns: readonly string[]): void {
    if (this.pending.size >= MOST_PENDING && !this.pending.has(id)) {
      // One that can not be remembered would be forgotten: nothing is taken from the cache until whatever it names has passed.
      this.overflowedUntil = performance.now() + LONGEST_TTL_MS;
      return;
    }
    const globs = patterns.map((pattern) => new DotGlob(pattern));
    const heardAt = performance.now();
    this.pending.set(id, { tenant, patterns, globs, heardAt, until: heardAt + LONGEST_TTL_MS });
  }

  /** Asks for what a front door asked for that is no more: otherwise all would pass it by as long as an entry may live. */
  private adopt(): void {
    const now = performance.now();
    for (const [id, { tenant, patterns, heardAt, until }] of this.pending)
      if (now - heardAt >= ORPHANED_MS && until > now) this.again(id, tenant, patterns, RETRY_MS.first, until);
  }

  private announce(id: string, tenant: string, patterns: readonly string[]): void {
    this.bus.tell(invalidationPending, { id, tenant, patterns: [...patterns] });
  }

  private async ask(tenant: string, patterns: readonly string[], deadlineMs?: number): Promise<void> {
    await this.bus.ask(
      invalidateAnswers,
      { tenant, patterns: [...patterns] },
      deadlineMs === undefined ? {} : { deadlineMs },
    );
  }

  private confirmed(id: string, told: boolean): void {
    this.pending.delete(id);
    if (told) this.bus.tell(invalidationConfirmed, { id });
  }

  /** Until it is confirmed, or what it would have dropped has passed. */
  private again(id: string, tenant: string, patterns: readonly string[], waitMs: number, until: number): void {
    if (this.closed) return;
    const key = keyOf(tenant, patterns);
    const other = this.retries.get(key);
    if (other !== undefined) {
      other.until = Math.max(other.until, until);
      if (other.id !== id) this.confirmed(id, true);
      return;
    }
    const timer = setTimeout(() => {
      this.retries.delete(key);
      if (performance.now() >= retry.until) return this.confirmed(id, true);
      // Once more, for a front door that has been started since.
      this.announce(id, tenant, patterns);
      this.ask(tenant, patterns).then(
        () => this.confirmed(id, true),
        () => this.again(id, tenant, patterns, Math.min(waitMs * 2, RETRY_MS.most), retry.until),
      );
    }, waitMs);
    timer.unref();
    const retry: Retry = { id, timer, until };
    this.retries.set(key, retry);
  }
}

const keyOf = (tenant: string, patterns: readonly string[]): string => JSON.stringify([tenant, patterns]);

/** Nobody was there to be asked; of what is slow or fails, nobody knows. */
const isUnserved = (error: unknown): boolean => error instanceof Fault && error.unserved;
