import { Fault } from '@portico/contracts';
import { Breakers, CircuitOpen } from '@portico/resilience';
import type { Limits } from './limit-settings.js';
import { RecoveryWatch } from './recovery-watch.js';

/** Domains that fail, remembered at once. */
const CAPACITY = 1_024;
/** While the one call that was let through runs, nobody knows when the next may come. */
const TRYING_MS = 1_000;

/**
 * A breaker for each domain, on calls that never reached it. While it is open calls are answered at once, until the domain
 * says that it is well, or has rested: then one is let through and decides. A domain that works well costs one look into a map.
 */
export class DomainBreakers {
  private readonly breakers: Breakers;
  /** Domains with a failure that was not the bus's own finding: that they are served again says nothing of those. */
  private readonly failedThemselves = new Set<string>();

  private readonly watch: RecoveryWatch;

  /** `isWell` asks a domain whether it is; it is asked only while its breaker is open. */
  constructor({ failures, resetMs }: Limits['breaker'], isWell: (address: string) => Promise<boolean>) {
    this.breakers = new Breakers({ failures, resetMs, capacity: CAPACITY, counts: neverReached });
    const recovered = (address: string) => this.breakers.forget(address);
    this.watch = new RecoveryWatch({ isWell, recovered, longestRestMs: resetMs });
  }

  /** A domain is being served: what failed only because nobody was there to ask need not be waited out. */
  heard(address: string): void {
    if (!this.breakers.tracks(address) || this.failedThemselves.has(address)) return;
    this.breakers.forget(address);
    this.watch.end(address, false);
  }

  /** Does the work, or rejects with BACKEND_UNAVAILABLE, `executed: no`, and when to come again. */
  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    if (this.breakers.tracks(address)) return this.runTracked(address, work);
    if (this.failedThemselves.size > 0) this.failedThemselves.delete(address);
    try {
      const value = await work();
      if (!this.watch.idle) this.watch.end(address, true);
      return value;
    } catch (error) {
      this.note(address, error);
      if (neverReached(error)) await this.breakers.run(address, () => Promise.reject(error)).catch(() => {});
      this.watchOpen(address);
      throw error;
    }
  }

  close(): void {
    this.watch.close();
    this.breakers.close();
  }

  private note(address: string, error: unknown): void {
    if (neverReached(error) && !(error as Fault).unserved) this.failedThemselves.add(address);
  }

  /** After a call: a domain is watched just as long as its breaker is open. */
  private watchOpen(address: string): void {
    if (this.breakers.state(address) === 'open') this.watch.begin(address);
    else this.watch.end(address, !this.breakers.tracks(address));
  }

  private async runTracked<T>(address: string, work: () => Promise<T>): Promise<T> {
    try {
      const outcome = await this.breakers.run(address, () => outcomeOf(work));
      if ('fault' in outcome) throw outcome.fault;
      return outcome.value;
    } catch (error) {
      this.note(address, error);
      if (!(error instanceof CircuitOpen)) throw error;
      throw new Fault('BACKEND_UNAVAILABLE', 'The domain can not be reached at present.', {
        executed: 'no',
        retryAfterMs: error.retryAfterMs || TRYING_MS,
      });
    } finally {
      this.watchOpen(address);
    }
  }
}

/** A domain that answers with a fault of its own has been reached: to its breaker that is a success. */
const outcomeOf = async <T>(work: () => Promise<T>): Promise<{ readonly value: T } | { readonly fault: Fault }> => {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof Fault && !SILENT.has(error.code)) return { fault: error };
    throw error;
  }
};

/** They do not say that anybody was there. */
const SILENT: ReadonlySet<string> = new Set(['BACKEND_UNAVAILABLE', 'TIMEOUT', 'CANCELLED']);

const neverReached = (error: unknown): boolean =>
  error instanceof Fault && error.code === 'BACKEND_UNAVAILABLE' && error.executed === 'no';
