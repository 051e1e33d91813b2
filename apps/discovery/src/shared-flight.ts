import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault, FaultRecord, SourceCatalogue } from '@portico/contracts';
import type { Log } from '@portico/observe';
import type { SharedState } from '@portico/storage';
import { z } from 'zod';
import { StoreUse } from './store-use.js';

/** What one replica's probe came to, for the others. */
const Outcome = z.object({
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  found: z.union([z.object({ catalogue: SourceCatalogue }), z.object({ fault: FaultRecord })]),
});
export type Outcome = z.infer<typeof Outcome>;

/**
 * Whose eyes a catalogue was seen with. All sources are asked with the gateway's own credentials today; an answer that is
 * private to another context would have a key of its own, and so never be given to this one.
 */
export type AuthorizationContext = 'gateway';

export const flightKey = (source: string, configuration: string, context: AuthorizationContext = 'gateway'): string =>
  `${context}:${source}:${createHash('sha256').update(configuration).digest('hex').slice(0, 32)}`;

export interface Flight {
  readonly key: string;
  /** Milliseconds to wait for another replica at most. */
  readonly deadlineMs: number;
  /** Milliseconds an answer may be taken up by replicas that come later. */
  readonly keepMs: number;
  /** The outcome this replica knows already. */
  readonly known: string | undefined;
  /** Only an outcome that was not there before counts: the source says that it has changed. */
  readonly mustBeNew: boolean;
  readonly signal: AbortSignal;
}

/** A replica that dies during its probe is waited for no longer. */
const LOCK_MS = 5_000;
const RENEW_MS = 1_500;
const POLL_MS = 25;
/** A failure is for those who wait for it, and for nobody later. */
const FAILURE_KEPT_MS = 1_000;

/** Lets replicas share one probe: one of them probes, and hands what it found to the others. Without Redis each probes alone. */
export class SharedFlight {
  readonly #use: StoreUse;

  constructor(
    private readonly state: SharedState,
    private readonly log: Log,
  ) {
    this.#use = new StoreUse('shared state', log);
  }

  /** The outcome of this replica's `probe`, or of another's. Rejects when another's is awaited for too long. */
  async run({ key, known, ...flight }: Flight, probe: () => Promise<SourceCatalogue>): Promise<Outcome> {
    const before = await this.peek(key);
    if (before && 'catalogue' in before.found && !flight.mustBeNew && before.id !== known) return before;
    const token = randomUUID();
    const end = performance.now() + flight.deadlineMs;
    for (;;) {
      const isOurs = await this.#lock(key, token);
      const outcome = await this.peek(key);
      if (outcome && outcome.id !== before?.id) {
        if (isOurs) await this.#unlock(key, token);
        return outcome;
      }
      if (isOurs) return this.#probe({ key, token, keepMs: flight.keepMs }, probe);
      if (performance.now() > end) {
        throw new Fault('TIMEOUT', 'Another replica asks the source, and has no answer yet.', { executed: 'no' });
      }
      await delay(POLL_MS, undefined, { signal: flight.signal }).catch(() => flight.signal.throwIfAborted());
    }
  }

  /** What is there to be taken up; undefined also when it can not be read. */
  async peek(key: string): Promise<Outcome | undefined> {
    const text = await this.#attempt(() => this.state.get(`discovery:outcome:${key}`), undefined);
    if (text === undefined) return undefined;
    try {
      return Outcome.parse(JSON.parse(text));
    } catch {
      this.log.warn('outcome.ignored', { key });
      return undefined;
    }
  }

  async #probe(
    { key, token, keepMs }: { key: string; token: string; keepMs: number },
    probe: () => Promise<SourceCatalogue>,
  ): Promise<Outcome> {
    const renewing = setInterval(() => {
      void this.#attempt(() => this.state.set(lockOf(key), token, { ttlMs: LOCK_MS }), undefined);
    }, RENEW_MS);
    try {
      const outcome = { id: token, at: Date.now(), found: { catalogue: await probe() } };
      await this.#hand(key, { ...outcome, at: Date.now() }, Math.max(keepMs, FAILURE_KEPT_MS));
      return outcome;
    } catch (error) {
      await this.#hand(
        key,
        { id: token, at: Date.now(), found: { fault: Fault.from(error).toRecord() } },
        FAILURE_KEPT_MS,
      );
      throw error;
    } finally {
      clearInterval(renewing);
      await this.#unlock(key, token);
    }
  }

  async #hand(key: string, outcome: Outcome, ttlMs: number): Promise<void> {
    const text = JSON.stringify(outcome);
    await this.#attempt(() => this.state.set(`discovery:outcome:${key}`, text, { ttlMs: Math.ceil(ttlMs) }), undefined);
  }

  /** Where the state can not be asked, nobody is waited for. */
  #lock(key: string, token: string): Promise<boolean> {
    return this.#attempt(() => this.state.setIfAbsent(lockOf(key), token, { ttlMs: LOCK_MS }), true);
  }

  async #unlock(key: string, token: string): Promise<void> {
    await this.#attempt(() => this.state.deleteIfEqual(lockOf(key), token), false);
  }

  async #attempt<Value>(work: () => Promise<Value>, otherwise: Value): Promise<Value> {
    return this.#use.attempt(work).catch(() => otherwise);
  }
}

const lockOf = (key: string): string => `discovery:lock:${key}`;
