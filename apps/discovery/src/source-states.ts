import type { DiscoveryError, SourceAddress, SourceState, SourceSummary } from '@portico/contracts';
import type { BreakerState } from '@portico/resilience';
import { isServed, noFacts, stateOf } from './source-facts.js';
import type { Reading, SourceFacts } from './source-facts.js';
import { healthOf, summaryOf } from './source-report.js';
import type { SourceHealth } from './source-report.js';

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
}

/** A source that has just failed is left alone for so long, unless somebody asks for it by name. */
const FAILURE_REST_MS = 5_000;
/** A source that calls its lists short-lived is not asked more often than this on nobody's behalf. */
const SHORTEST_PERIOD_MS = 5_000;

/** Milliseconds since the epoch, on a clock that starts at the system's and then never goes back. */
const steadyNow = (): number => performance.timeOrigin + performance.now();

/**
 * How each source is: what was last heard of it, how old that is, and how its probes end. A failure takes a catalogue
 * away only after the grace, and nothing that happens to one source touches another's facts.
 */
export class SourceStates {
  readonly #facts = new Map<SourceAddress, SourceFacts>();

  constructor(private readonly options: StatesOptions) {}

  /** `latencyMs`: how long the probe took; undefined when it was another replica's. */
  kept(source: SourceAddress, { revision, at, ownTtlMs, configuration }: Kept, latencyMs: number | undefined): void {
    const { ttlMs } = this.options;
    const now = steadyNow();
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
    facts.held = { revision, at: Math.min(at, steadyNow()), ttlMs: this.options.ttlMs, remembered: true };
    facts.configuration = configuration;
  }

  /** Whether that is news: it did not fail before, or in another way, or was configured otherwise. */
  failed(source: SourceAddress, error: DiscoveryError, configuration: string, latencyMs: number): boolean {
    const facts = this.#factsOf(source);
    const isNews =
      facts.failuresInARow === 0 || facts.failure?.error !== error || facts.configuration !== configuration;
    this.#fail(facts, error);
    facts.configuration = configuration;
    facts.failuresInARow++;
    facts.failureAt = steadyNow();
    facts.latencyMs = latencyMs;
    return isNews;
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
    if (facts) facts.usedAt = steadyNow();
  }

  /** Revision of the catalogue that is served; undefined: none is. */
  revision(source: SourceAddress): string | undefined {
    const facts = this.#facts.get(source);
    return facts && isServed(facts, this.#reading()) ? facts.held!.revision : undefined;
  }

  /** Whether what is held may answer, instead of only filling in for a source that fails. */
  isKept(source: SourceAddress): boolean {
    const facts = this.#facts.get(source);
    return facts !== undefined && isServed(facts, this.#reading()) && facts.held!.ttlMs > 0;
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
    return stateOf(this.#facts.get(source), this.#reading());
  }

  /** Whether an asker of the whole should have it probed: not fresh, and not failed a moment ago. */
  isDue(source: SourceAddress): boolean {
    const failure = this.#facts.get(source)?.failure;
    return failure ? steadyNow() - failure.at >= FAILURE_REST_MS : this.state(source) !== 'fresh';
  }

  /** Whether it is in use, and due to be probed though nobody waits for it. */
  isDueInBackground(source: SourceAddress): boolean {
    const facts = this.#facts.get(source);
    if (facts === undefined) return false;
    const now = steadyNow();
    return now >= facts.dueAt && now - facts.usedAt < this.options.ttlMs;
  }

  summary(source: SourceAddress): SourceSummary {
    return summaryOf(source, this.#facts.get(source), this.#reading());
  }

  health(source: SourceAddress, about: { silent: boolean; breaker: BreakerState }): SourceHealth {
    return healthOf(source, this.#facts.get(source), { ...this.#reading(), ...about });
  }

  /** Sources of which anything is known. */
  get size(): number {
    return this.#facts.size;
  }

  #fail(facts: SourceFacts, error: DiscoveryError): void {
    const now = steadyNow();
    facts.failure = { error, at: now, since: facts.failure?.since ?? now };
    facts.dueAt = now + FAILURE_REST_MS * (1 + 0.5 * Math.random());
    if (facts.superseded) delete facts.held;
  }

  #reading(): Reading {
    return { now: steadyNow(), graceMs: this.options.graceMs };
  }

  #factsOf(source: SourceAddress): SourceFacts {
    const known = this.#facts.get(source);
    if (known) return known;
    const facts = noFacts(steadyNow());
    this.#facts.set(source, facts);
    return facts;
  }
}
