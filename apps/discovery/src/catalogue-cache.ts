import type { DiscoveryError, SourceAddress, SourceState, SourceSummary } from '@portico/contracts';
import type { Snapshot } from '@portico/domain-kit';

/** What the last probes of a source left behind. At least one of the two is there. */
interface Entry {
  readonly held?: { readonly snapshot: Snapshot; readonly at: number };
  readonly failure?: { readonly error: DiscoveryError; readonly at: number; readonly since: number };
  /** What is held is of a configuration that is no more: it is served only until the next probe has ended. */
  readonly superseded?: boolean;
}

/** A source that has just failed is left alone for so long, unless somebody asks for it by name. */
const FAILURE_REST_MS = 5_000;

/**
 * What is known of each source: its last catalogue, and how the last probe ended. A failure never takes a catalogue
 * away, and nothing that happens to one source touches another's entry.
 */
export class CatalogueCache {
  readonly #entries = new Map<SourceAddress, Entry>();

  /** `ttlMs`: how long a catalogue is fresh; 0: never. `now`: milliseconds since the epoch. */
  constructor(
    private readonly ttlMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  keep(source: SourceAddress, snapshot: Snapshot): void {
    this.#entries.set(source, { held: { snapshot, at: this.now() } });
  }

  fail(source: SourceAddress, error: DiscoveryError): void {
    const entry = this.#entries.get(source) ?? {};
    const failure = { error, at: this.now(), since: entry.failure?.since ?? this.now() };
    this.#entries.set(source, entry.held && !entry.superseded ? { held: entry.held, failure } : { failure });
  }

  supersede(source: SourceAddress): void {
    const entry = this.#entries.get(source);
    if (entry !== undefined) this.#entries.set(source, { ...entry, superseded: true });
  }

  forget(source: SourceAddress): void {
    this.#entries.delete(source);
  }

  held(source: SourceAddress): Snapshot | undefined {
    return this.#entries.get(source)?.held?.snapshot;
  }

  hasFailed(source: SourceAddress): boolean {
    return this.#entries.get(source)?.failure !== undefined;
  }

  /** Whether a probe has ever ended. */
  isAsked(source: SourceAddress): boolean {
    return this.#entries.has(source);
  }

  state(source: SourceAddress): SourceState {
    const entry = this.#entries.get(source);
    if (entry === undefined) return 'pending';
    if (entry.held === undefined) return 'unavailable';
    const isFresh = !entry.failure && !entry.superseded && this.now() - entry.held.at < this.ttlMs;
    return isFresh ? 'fresh' : 'stale';
  }

  /** Whether an asker of the whole should have it probed: not fresh, and not failed a moment ago. */
  isDue(source: SourceAddress): boolean {
    const failure = this.#entries.get(source)?.failure;
    return failure ? this.now() - failure.at >= FAILURE_REST_MS : this.state(source) !== 'fresh';
  }

  summary(source: SourceAddress): SourceSummary {
    const { held, failure } = this.#entries.get(source) ?? {};
    return {
      source,
      state: this.state(source),
      ...(held && { revision: held.snapshot.revision, ageMs: this.#age(held.at) }),
      ...(failure && { error: failure.error }),
      ...(failure && !held && { since: new Date(failure.since).toISOString() }),
    };
  }

  /** Milliseconds since the epoch at which the last probe ended. */
  checkedAt(source: SourceAddress): number | undefined {
    const { held, failure } = this.#entries.get(source) ?? {};
    return failure?.at ?? held?.at;
  }

  /** A clock set back makes nothing younger than new. */
  #age(at: number): number {
    return Math.max(0, this.now() - at);
  }
}
