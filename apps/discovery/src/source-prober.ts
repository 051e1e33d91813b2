import type { Bus } from '@portico/bus';
import { Fault } from '@portico/contracts';
import type { SourceAddress } from '@portico/contracts';
import { Breakers, CircuitOpen } from '@portico/resilience';
import type { BreakerState } from '@portico/resilience';
import { configurationOf, connectTimeoutMs } from './known-sources.js';
import type { KnownSource } from './known-sources.js';
import { flightKey } from './shared-flight.js';
import type { Outcome, SharedFlight } from './shared-flight.js';
import { probeSource } from './source-probe.js';

export interface SourceProberOptions {
  readonly breaker: { readonly failures: number; readonly resetMs: number; readonly capacity: number };
  readonly ttlMs: number;
  /** Absent: there are no other replicas. */
  readonly shared: SharedFlight | undefined;
  readonly signal: AbortSignal;
}

/**
 * One probe of a source, with its breaker around it and its replicas beside it: attempts and all, it is one outcome.
 */
export class SourceProber {
  readonly #breakers: Breakers;
  /** The outcome last taken up for each source; a failed one is forgotten. */
  readonly #taken = new Map<SourceAddress, string>();

  constructor(
    private readonly bus: Bus,
    private readonly options: SourceProberOptions,
  ) {
    // A probe that our own end cut short says nothing of the source.
    this.#breakers = new Breakers({ ...options.breaker, counts: () => !options.signal.aborted });
  }

  /**
   * What the source publishes, made ready by `accept`, which may refuse it. Rejects with the Fault of the probe; with a
   * CircuitOpen as its cause when nothing was asked.
   */
  async probe<Ready>(
    known: KnownSource,
    { refresh, mustBeNew }: { refresh: boolean; mustBeNew: boolean },
    accept: (catalogue: Extract<Outcome['found'], { catalogue: unknown }>['catalogue'], at: number) => Ready,
  ): Promise<Ready> {
    const { address } = known;
    try {
      return await this.#breakers.run(address, async () => {
        const outcome = await this.#outcome(known, { refresh, mustBeNew });
        if ('fault' in outcome.found) throw Fault.fromRecord(outcome.found.fault);
        const ready = accept(outcome.found.catalogue, outcome.at);
        this.#taken.set(address, outcome.id);
        return ready;
      });
    } catch (error) {
      if (!(error instanceof CircuitOpen)) throw error;
      throw new Fault(
        'BACKEND_UNAVAILABLE',
        'The source has failed too often in a row and is left alone for a while.',
        {
          executed: 'no',
          retryAfterMs: error.retryAfterMs,
          cause: error,
        },
      );
    }
  }

  /** What another replica has found and this one has not taken up yet. */
  async found<Ready>(
    known: KnownSource,
    accept: (catalogue: Extract<Outcome['found'], { catalogue: unknown }>['catalogue'], at: number) => Ready,
  ): Promise<Ready | undefined> {
    const { address } = known;
    const outcome = await this.options.shared?.peek(flightKey(address, configurationOf(known)));
    if (!outcome || !('catalogue' in outcome.found) || outcome.id === this.#taken.get(address)) return undefined;
    const ready = accept(outcome.found.catalogue, outcome.at);
    this.#taken.set(address, outcome.id);
    return ready;
  }

  breaker(source: SourceAddress): BreakerState {
    return this.#breakers.state(source);
  }

  /** Whoever stands behind the source is another one now. */
  renew(source: SourceAddress): void {
    this.#breakers.forget(source);
  }

  forget(source: SourceAddress): void {
    this.#breakers.forget(source);
    this.#taken.delete(source);
  }

  /** How much is remembered. */
  get sizes(): { readonly breakers: number; readonly outcomes: number } {
    return { breakers: this.#breakers.size, outcomes: this.#taken.size };
  }

  close(): void {
    this.#breakers.close();
  }

  async #outcome(
    known: KnownSource,
    { refresh, mustBeNew }: { refresh: boolean; mustBeNew: boolean },
  ): Promise<Outcome> {
    const { shared, signal, ttlMs } = this.options;
    const { address } = known;
    const deadlineMs = connectTimeoutMs(known);
    const probe = () => probeSource(this.bus, address, { deadlineMs, refresh, signal });
    if (!shared) return { id: '', at: Date.now(), found: { catalogue: await probe() } };
    return shared.run(
      {
        key: flightKey(address, configurationOf(known)),
        deadlineMs,
        keepMs: ttlMs,
        known: this.#taken.get(address),
        mustBeNew,
        signal,
      },
      probe,
    );
  }
}
