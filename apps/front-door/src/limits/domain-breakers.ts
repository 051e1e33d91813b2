import { Fault } from '@portico/contracts';
import { Breakers, CircuitOpen } from '@portico/resilience';
import type { Limits } from './limit-settings.js';

/** Domains that fail, remembered at once. */
const CAPACITY = 1_024;
/** While the one call that was let through runs, nobody knows when the next may come. */
const TRYING_MS = 1_000;

/**
 * A breaker for each domain, on calls that never reached it. While it is open calls are answered at once; then one is let
 * through and decides. A domain that works well costs one look into a map.
 */
export class DomainBreakers {
  private readonly breakers: Breakers;
  /** Domains with a failure that was not the bus's own finding: that they are served again says nothing of those. */
  private readonly failedThemselves = new Set<string>();

  constructor({ failures, resetMs }: Limits['breaker']) {
    this.breakers = new Breakers({ failures, resetMs, capacity: CAPACITY, counts: neverReached });
  }

  /** A domain is being served: what failed only because nobody was there to ask need not be waited out. */
  heard(address: string): void {
    if (this.breakers.tracks(address) && !this.failedThemselves.has(address)) this.breakers.forget(address);
  }

  /** Does the work, or rejects with BACKEND_UNAVAILABLE, `executed: no`, and when to come again. */
  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    if (this.breakers.tracks(address)) return this.runTracked(address, work);
    if (this.failedThemselves.size > 0) this.failedThemselves.delete(address);
    try {
      return await work();
    } catch (error) {
      this.note(address, error);
      if (neverReached(error)) await this.breakers.run(address, () => Promise.reject(error)).catch(() => {});
      throw error;
    }
  }

  close(): void {
    this.breakers.close();
  }

  private note(address: string, error: unknown): void {
    if (neverReached(error) && !(error as Fault).unserved) this.failedThemselves.add(address);
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
