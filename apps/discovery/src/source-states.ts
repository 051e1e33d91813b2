import type {
  DiscoveryError,
  ReplyOf,
  SourceAddress,
  SourceState,
  SourceSummary,
  discoveryHealth,
} from '@portico/contracts';
import type { BreakerState } from '@portico/resilience';

type Health = ReplyOf<typeof discoveryHealth>['sources'][number];

/** What probing a source has taught, besides the catalogue itself: few bytes, kept as long as the source is known. */
interface Facts {
  held?: {
    readonly revision: string;
    readonly at: number;
    readonly ttlMs: number;
    /** From before this process: as old as may be. */
    readonly remembered: boolean;
  };
  failure?: { readonly error: DiscoveryError; readonly at: number; readonly since: number };
  /** Configuration of the source when it was last probed. */
  configuration?: string | undefined;
  /** What is held is of a configuration that is no more: it is served only until the next probe has ended. */
  superseded: boolean;
  failuresInARow: number;
  successAt?: number;
  failureAt?: number;
  latencyMs?: number;
  usedAt: number;
  /** When it is to be probed again without anybody asking, while it is in use. */
  dueAt: number;
}

export interface Kept {
  readonly revision: string;
  /** Milliseconds since the epoch at which it was fetched. */
  readonly at: number;
  /** The source's own word on how long it stays true. */
  readonly ownTtlMs: number | undefined;
  readonly configuration: string;
}

export interface StatesOptions {
  /** Milliseconds a catalogue is fresh; 0: never. */
  readonly ttlMs: number;
  /** Milliseconds it is served beyond that while its source fails. */
  readonly graceMs: number;
  /** Milliseconds since the epoch, on a clock that never goes back. */
  readonly now?: () => number;
}

/** A source that has just failed is left alone for so long, unless somebody asks for it by name. */
const FAILURE_REST_MS = 5_000;
/** A source that calls its lists short-lived is not asked more often than this on nobody's behalf. */
const SHORTEST_PERIOD_MS = 5_000;

/** A clock that starts at the system's and then never goes back. */
export const steadyNow = (): number => performance.timeOrigin + performance.now();

/**
 * How each source is: what was last heard of it, how old that is, and how its probes end. A failure takes a catalogue
 * away only after the grace, and nothing that happens to one source touches another's facts.
 */
export class SourceStates {
  readonly #facts = new Map<SourceAddress, Facts>();
  readonly #now: () => number;

  constructor(private readonly options: StatesOptions) {
    this.#now = options.now ?? steadyNow;
  }

  /** `latencyMs`: how long the probe took; undefined when it was another replica's. */
  kept(source: SourceAddress, { revision, at, ownTtlMs, configuration }: Kept, latencyMs: number | undefined): void {
    const { ttlMs } = this.options;
    const now = this.#now();
    const facts = this.#factsOf(source);
    const period = Math.max(Math.min(ownTtlMs ?? ttlMs, ttlMs), Math.min(ttlMs, SHORTEST_PERIOD_MS));
    facts.held = { revision, at: Math.min(at, now), ttlMs: Math.min(ownTtlMs ?? ttlMs, ttlMs), remembered: false };
    facts.configuration = configuration;
    facts.superseded = false;
    delete facts.failure;
    facts.failuresInARow = 0;
    facts.successAt = now;
    if (latencyMs !== undefined) facts.latencyMs = latencyMs;
    // Before it is stale, and not all at once.
    facts.dueAt = facts.held.at + period * (0.7 + 0.2 * Math.random());
  }

  remembered(source: SourceAddress, { revision, at, configuration }: Omit<Kept, 'ownTtlMs'>): void {
    const facts = this.#factsOf(source);
    facts.held = { revision, at: Math.min(at, this.#now()), ttlMs: this.options.ttlMs, remembered: true };
    facts.configuration = configuration;
  }

  failed(source: SourceAddress, error: DiscoveryError, configuration: string, latencyMs: number): void {
    const facts = this.#factsOf(source);
    this.#fail(facts, error);
    facts.configuration = configuration;
    facts.failuresInARow++;
    facts.failureAt = this.#now();
    facts.latencyMs = latencyMs;
  }

  /** No instance of it is heard any more. */
  silent(source: SourceAddress): void {
    this.#fail(this.#factsOf(source), 'unreachable');
  }

  /** It is heard again. One that was never probed is as it was before it fell silent. */
  returned(source: SourceAddress): void {
    const facts = this.#facts.get(source);
    if (!facts || this.isProbed(source)) return;
    if (facts.held) delete facts.failure;
    else this.#facts.delete(source);
  }

  supersede(source: SourceAddress): void {
    const facts = this.#facts.get(source);
    if (facts) facts.superseded = true;
  }

  /** What is held turned out to be of another revision. */
  revised(source: SourceAddress, revision: string): void {
    const facts = this.#facts.get(source);
    if (facts?.held) facts.held = { ...facts.held, revision };
  }

  /** What was held of it can not be read. */
  lost(source: SourceAddress): void {
    delete this.#facts.get(source)?.held;
  }

  forget(source: SourceAddress): void {
    this.#facts.delete(source);
  }

  /** Somebody wants to know of it. */
  used(source: SourceAddress): void {
    const facts = this.#facts.get(source);
    if (facts) facts.usedAt = this.#now();
  }

  /** Revision of the catalogue that is served; undefined: none is. */
  revision(source: SourceAddress): string | undefined {
    const facts = this.#facts.get(source);
    return facts && this.#isServed(facts) ? facts.held!.revision : undefined;
  }

  /** Whether what is held may answer, instead of only filling in for a source that fails. */
  isKept(source: SourceAddress): boolean {
    const facts = this.#facts.get(source);
    return facts !== undefined && this.#isServed(facts) && facts.held!.ttlMs > 0;
  }

  /** Whether a probe has ever ended, or one of an earlier process is remembered. */
  isAsked(source: SourceAddress): boolean {
    return this.#facts.has(source);
  }

  /** Whether a probe of this process has ended. */
  isProbed(source: SourceAddress): boolean {
    const { successAt, failureAt } = this.#facts.get(source) ?? {};
    return successAt !== undefined || failureAt !== undefined;
  }

  hasFailed(source: SourceAddress): boolean {
    return this.#facts.get(source)?.failure !== undefined;
  }

  /** The configuration that was probed last; undefined before. */
  configuration(source: SourceAddress): string | undefined {
    return this.#facts.get(source)?.configuration;
  }

  state(source: SourceAddress): SourceState {
    const facts = this.#facts.get(source);
    if (facts === undefined || (!facts.held && !facts.failure)) return 'pending';
    if (!this.#isServed(facts)) return 'unavailable';
    const { at, ttlMs, remembered } = facts.held!;
    const isFresh = !remembered && !facts.failure && !facts.superseded && this.#now() - at < ttlMs;
    return isFresh ? 'fresh' : 'stale';
  }

  /** Whether an asker of the whole should have it probed: not fresh, and not failed a moment ago. */
  isDue(source: SourceAddress): boolean {
    const failure = this.#facts.get(source)?.failure;
    return failure ? this.#now() - failure.at >= FAILURE_REST_MS : this.state(source) !== 'fresh';
  }

  /** Whether it is in use, and due to be probed though nobody waits for it. */
  isDueInBackground(source: SourceAddress): boolean {
    const facts = this.#facts.get(source);
    if (facts === undefined) return false;
    const now = this.#now();
    return now >= facts.dueAt && now - facts.usedAt < this.options.ttlMs;
  }

  summary(source: SourceAddress): SourceSummary {
    const { held, failure } = this.#facts.get(source) ?? {};
    const state = this.state(source);
    return {
      source,
      state,
      ...(held && state !== 'unavailable' && { revision: held.revision, ageMs: Math.max(0, this.#now() - held.at) }),
      ...(failure && { error: failure.error }),
      ...(failure && state === 'unavailable' && { since: new Date(failure.since).toISOString() }),
    };
  }

  health(source: SourceAddress, { silent, breaker }: { silent: boolean; breaker: BreakerState }): Health {
    const { state, error, ageMs } = this.summary(source);
    const facts = this.#facts.get(source);
    const checkedAt = facts && Math.max(facts.successAt ?? -Infinity, facts.failureAt ?? -Infinity);
    const isDown = state === 'unavailable' || (silent && error !== undefined) || breaker === 'open';
    return {
      source,
      state: isDown ? 'down' : state === 'pending' ? 'unknown' : error || breaker !== 'closed' ? 'degraded' : 'up',
      breaker,
      ...(error && { lastError: error }),
      ...(checkedAt !== undefined && Number.isFinite(checkedAt) && { checkedAt: isoOf(checkedAt) }),
      ...(ageMs !== undefined && { catalogueAgeMs: ageMs }),
      ...(facts?.successAt !== undefined && { lastSuccessAt: isoOf(facts.successAt) }),
      ...(facts?.failureAt !== undefined && { lastFailureAt: isoOf(facts.failureAt) }),
      ...(facts?.latencyMs !== undefined && { latencyMs: facts.latencyMs }),
      ...(facts && { consecutiveFailures: facts.failuresInARow }),
    };
  }

  #fail(facts: Facts, error: DiscoveryError): void {
    const now = this.#now();
    facts.failure = { error, at: now, since: facts.failure?.since ?? now };
    facts.dueAt = now + FAILURE_REST_MS * (1 + 0.5 * Math.random());
    if (facts.superseded) delete facts.held;
  }

  /** Beyond its time a catalogue is served as long as its source does not fail, and then for the grace. */
  #isServed({ held, failure }: Facts): boolean {
    if (!held) return false;
    return !failure || this.#now() < Math.max(failure.since, held.at + held.ttlMs) + this.options.graceMs;
  }

  #factsOf(source: SourceAddress): Facts {
    const known = this.#facts.get(source);
    if (known) return known;
    const facts: Facts = { superseded: false, failuresInARow: 0, usedAt: this.#now(), dueAt: Infinity };
    this.#facts.set(source, facts);
    return facts;
  }
}

const isoOf = (at: number): string => new Date(at).toISOString();
