import type { Bus } from '@portico/bus';
import { Fault } from '@portico/contracts';
import type { SourceAddress, SourceCatalogue } from '@portico/contracts';
import { pageLimit } from '@portico/domain-kit';
import type { Snapshot } from '@portico/domain-kit';
import type { Log } from '@portico/observe';
import { CircuitOpen } from '@portico/resilience';
import type { BreakerState } from '@portico/resilience';
import { CatalogueContents } from './catalogue-contents.js';
import type { CatalogueDocuments } from './catalogue-documents.js';
import { discoveryErrorOf } from './discovery-error.js';
import { configurationOf } from './known-sources.js';
import type { KnownSource, KnownSources } from './known-sources.js';
import type { SharedFlight } from './shared-flight.js';
import { SourceProber } from './source-prober.js';
import { SourceStates } from './source-states.js';

export interface LearningOptions {
  /** Milliseconds a source's lists are fresh; 0: they are asked for each time. */
  readonly ttlMs: number;
  /** Milliseconds they are served beyond that while the source fails. */
  readonly graceMs: number;
  /** Most catalogues in memory, and most breakers. */
  readonly maxEntries: number;
  readonly breaker: { readonly failures: number; readonly resetMs: number };
  readonly documents: CatalogueDocuments;
  readonly shared: SharedFlight | undefined;
  readonly log: Log;
}

/** How much is held, for those who must know that it is bounded. */
export interface Sizes {
  readonly catalogues: number;
  readonly sources: number;
  readonly breakers: number;
  readonly outcomes: number;
}

/** What is learnt of sources: from themselves, from other replicas, and from what an earlier process has written down. */
export class LearntCatalogues {
  readonly states: SourceStates;
  readonly #contents: CatalogueContents;
  readonly #prober: SourceProber;
  /** Sources whose next probe must ask, whatever another replica has found before. */
  readonly #mustBeNew = new Set<SourceAddress>();

  constructor(
    bus: Bus,
    private readonly known: KnownSources,
    private readonly options: LearningOptions,
    private readonly signal: AbortSignal,
  ) {
    const { documents, maxEntries, breaker, shared, ttlMs, log } = options;
    this.states = new SourceStates(options);
    this.#contents = new CatalogueContents(documents, { maxEntries, log, pageLimit: pageLimit(bus.maxPayload) });
    this.#prober = new SourceProber(bus, { breaker: { ...breaker, capacity: maxEntries }, ttlMs, shared, signal });
  }

  /** Takes up what earlier processes left of sources nothing is known of yet. */
  async remember(): Promise<{ source: SourceAddress; gone: boolean }[]> {
    const all = (await this.#contents.remembered(this.signal)).filter(({ source }) => !this.states.isAsked(source));
    for (const { source, ...remembered } of all) this.states.remembered(source, remembered);
    return all;
  }

  /** Asks the source, and keeps what comes of it. Rejects with the Fault that kept it from an answer. */
  async probe(source: SourceAddress): Promise<void> {
    const mustBeNew = this.#mustBeNew.delete(source) || this.options.ttlMs === 0;
    const known = this.known.get(source);
    if (!known) throw wentAway();
    if (known.instances.size === 0) {
      throw new Fault('BACKEND_UNAVAILABLE', 'No instance of the source is heard.', { executed: 'no' });
    }
    const configuration = configurationOf(known);
    const begun = performance.now();
    // What its service remembers is as good as new only for who never asked.
    const refresh = this.states.isAsked(source);
    try {
      await this.#prober.probe(known, { refresh, mustBeNew }, (catalogue, at) =>
        this.#keep(known, { catalogue, at, configuration }, performance.now() - begun),
      );
    } catch (error) {
      // Of a source that went meanwhile, and perhaps came again, nothing is kept.
      const isOver = this.signal.aborted || this.known.get(source) !== known;
      // Nor when nothing was asked: how it failed before says more.
      if (isOver || (error instanceof Fault && error.cause instanceof CircuitOpen)) throw error;
      const reason = discoveryErrorOf(error);
      const isNews = this.states.failed(source, reason, configuration, performance.now() - begun);
      this.options.log[isNews ? 'warn' : 'debug']('source.not-answering', { source, reason });
      throw error;
    }
  }

  /** What another replica has found since is kept here too. */
  async takeUp(source: SourceAddress): Promise<void> {
    const known = this.known.get(source);
    if (!known) return;
    const configuration = configurationOf(known);
    await this.#prober.found(known, (catalogue, at) => this.#keep(known, { catalogue, at, configuration }, undefined));
  }

  /** The catalogue that is served of a source; undefined: none, or it can not be read. */
  async snapshot(source: SourceAddress): Promise<Snapshot | undefined> {
    const revision = this.states.revision(source);
    if (revision === undefined) return undefined;
    const snapshot = await this.#contents.get(source);
    // That a store is away for a moment takes nothing away.
    if (snapshot === 'away') return undefined;
    if (snapshot === undefined) this.states.lost(source);
    // Another replica has written a newer one, or this bus takes other pages than the one it was fetched over.
    else if (this.states.revision(source) === revision) this.states.revised(source, snapshot.revision);
    return snapshot;
  }

  /** It is here again: what was known of it when it went counts until it is asked. */
  back(source: SourceAddress): void {
    const written = this.#contents.back(source);
    if (written && !this.states.isAsked(source)) this.states.remembered(source, written);
    this.#prober.renew(source);
  }

  gone(source: SourceAddress): void {
    this.#mustBeNew.delete(source);
    this.#prober.forget(source);
    this.states.forget(source);
    this.#contents.gone(source);
  }

  /** It says that it has changed: only what it is asked from now on counts. */
  outdated(source: SourceAddress): void {
    this.#mustBeNew.add(source);
  }

  /** What failed may work now. */
  renew(source: SourceAddress): void {
    this.#prober.renew(source);
  }

  breaker(source: SourceAddress): BreakerState {
    return this.#prober.breaker(source);
  }

  get sizes(): Sizes {
    return { catalogues: this.#contents.size, sources: this.states.size, ...this.#prober.sizes };
  }

  stop(): void {
    this.#prober.close();
  }

  written(): Promise<void> {
    return this.#contents.written();
  }

  #keep(
    known: KnownSource,
    { catalogue, at, configuration }: { catalogue: SourceCatalogue; at: number; configuration: string },
    latencyMs: number | undefined,
  ): void {
    if (this.known.get(known.address) !== known) throw wentAway();
    const snapshot = this.#contents.snapshotOf(catalogue);
    const { revision, identity } = snapshot;
    this.#contents.keep(known.address, snapshot, { configuration, at });
    this.states.kept(known.address, { revision, at, ownTtlMs: identity.ttlMs, configuration }, latencyMs);
  }
}

const wentAway = (): Fault =>
  new Fault('BACKEND_UNAVAILABLE', 'The source went away while it was asked.', { executed: 'no' });
