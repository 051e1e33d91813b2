import { setMaxListeners } from 'node:events';
import type { Bus, Incoming } from '@portico/bus';
import { Fault } from '@portico/contracts';
import type {
  CataloguePage,
  PayloadOf,
  ReplyOf,
  SourceAddress,
  SourceCatalogue,
  catalogueChanged,
  discoverCatalogue,
  discoveryHealth,
} from '@portico/contracts';
import { pageAt, pageLimit, parseCursor, revisionOf } from '@portico/domain-kit';
import type { Snapshot } from '@portico/domain-kit';
import type { Log } from '@portico/observe';
import { CircuitOpen } from '@portico/resilience';
import { CatalogueContents } from './catalogue-contents.js';
import type { CatalogueDocuments } from './catalogue-documents.js';
import { ChangeAnnouncer } from './change-announcer.js';
import { discoveryErrorOf } from './discovery-error.js';
import { configurationOf } from './known-sources.js';
import type { KnownSource, KnownSources } from './known-sources.js';
import { Prober } from './prober.js';
import type { SharedFlight } from './shared-flight.js';
import { SourceProber } from './source-prober.js';
import { SourceStates } from './source-states.js';
import { untilAborted } from './until-aborted.js';

type Overview = Omit<ReplyOf<typeof discoverCatalogue>, 'settling'>;
type Health = ReplyOf<typeof discoveryHealth>;

export interface CatalogueOptions {
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

/** What all sources publish, as far as anybody has asked. Answers from memory; asks a source when it must. */
export class Catalogue {
  readonly #states: SourceStates;
  readonly #contents: CatalogueContents;
  readonly #source: SourceProber;
  readonly #prober = new Prober((source) => this.#probe(source));
  readonly #announcer: ChangeAnnouncer;
  readonly #closing = new AbortController();
  /** Sources whose next probe must ask, whatever another replica has found before. */
  readonly #mustBeNew = new Set<SourceAddress>();
  /** Once somebody has asked for the whole, a source that arrives belongs to what was asked for. */
  #wholeWanted = false;

  constructor(
    bus: Bus,
    private readonly known: KnownSources,
    private readonly options: CatalogueOptions,
  ) {
    const { documents, maxEntries, breaker, shared, ttlMs, log } = options;
    const { signal } = this.#closing;
    // Every probe that runs listens to it; how many do is bounded by how many sources there are.
    setMaxListeners(0, signal);
    this.#states = new SourceStates(options);
    this.#contents = new CatalogueContents(documents, { maxEntries, log, pageLimit: pageLimit(bus.maxPayload) });
    this.#source = new SourceProber(bus, { breaker: { ...breaker, capacity: maxEntries }, ttlMs, shared, signal });
    this.#announcer = new ChangeAnnouncer(bus, { of: (source) => this.#face(source), overall: () => this.#revision() });
  }

  /** Takes up what earlier processes left; returns the sources that did not say bye to them. */
  async remember(): Promise<SourceAddress[]> {
    const all = await this.#contents.remembered();
    for (const { source, revision, configuration, at } of all) {
      if (this.#states.isAsked(source)) continue;
      this.#states.remembered(source, { revision, at, configuration });
      if (this.known.get(source)) this.arrived(source);
    }
    return all.filter(({ gone }) => !gone).map(({ source }) => source);
  }

  /** It is there, for the first time or again. Asked at once only when it, or the whole, has been asked for. */
  arrived(source: SourceAddress): void {
    this.#contents.back(source);
    this.#source.renew(source);
    this.#states.returned(source);
    this.reconfigured(source);
    if (this.#isWanted(source) && this.#states.state(source) !== 'fresh') this.#prober.soon(source);
    this.#announcer.touch(source);
  }

  /** One more instance serves it: what failed may work now. */
  joined(source: SourceAddress): void {
    if (!this.#states.hasFailed(source)) return;
    this.#source.renew(source);
    this.#prober.soon(source);
  }

  /** Its instances have changed; if its configuration has with them, what was known of it counts no more. */
  reconfigured(source: SourceAddress): void {
    const known = this.known.get(source);
    const probed = this.#states.configuration(source);
    if (!known || known.instances.size === 0) return;
    if (probed === undefined || probed === configurationOf(known)) return;
    if (this.#states.isProbed(source)) this.#states.supersede(source);
    else this.#states.forget(source);
    this.#source.renew(source);
    this.changed(source);
  }

  /** Known from what was remembered, and not heard yet. */
  remembered(source: SourceAddress): void {
    this.#announcer.touch(source);
  }

  /** No instance of it is heard. */
  silent(source: SourceAddress): void {
    this.#states.silent(source);
    this.#announcer.touch(source);
  }

  /** It should have been heard by now. */
  missing(source: SourceAddress): void {
    if (!this.#states.hasFailed(source)) this.silent(source);
  }

  gone(source: SourceAddress): void {
    this.#prober.forget(source);
    this.#source.forget(source);
    this.#mustBeNew.delete(source);
    this.#states.forget(source);
    this.#contents.gone(source);
    this.#announcer.touch(source);
  }

  changed(source: SourceAddress): void {
    if (!this.known.get(source) || !this.#isWanted(source)) return;
    this.#mustBeNew.add(source);
    this.#prober.changed(source);
  }

  /** Another replica tells of a change: what it has found is taken up, so that all replicas say the same. */
  async changedElsewhere({ revision, sources }: PayloadOf<typeof catalogueChanged>): Promise<void> {
    if (!this.options.shared || revision === this.#revision()) return;
    await Promise.all(sources.map((source) => this.#takeUp(source)));
  }

  /** Sees to what time alone changes: sources in use that are due, and those whose grace has ended. */
  tick(): void {
    for (const { address, instances } of this.known.all()) {
      if (instances.size > 0 && this.#states.isDueInBackground(address)) this.#prober.soon(address);
      if (this.#states.state(address) === 'unavailable') this.#announcer.touch(address);
    }
  }

  /** All sources and what is known of them, at once. With `probe`, those that are due are asked from now on. */
  overview(probe: boolean): Overview {
    this.#wholeWanted ||= probe;
    const sources = this.known.addresses();
    for (const source of probe ? sources : []) {
      this.#states.used(source);
      if (this.#states.isDue(source)) this.#prober.soon(source);
    }
    return { revision: this.#revision(), sources: sources.map((source) => this.#summary(source)) };
  }

  /**
   * A page of one source's catalogue. One that was never reached is asked first; one that is no longer fresh is answered
   * from memory while it is asked. Throws NOT_FOUND for a source nobody serves, INVALID_ARGUMENTS for a cursor of a
   * catalogue that has changed since, and the Fault of the probe.
   */
  async page(
    source: SourceAddress,
    cursor: string | undefined,
    { signal }: Pick<Incoming, 'signal'>,
  ): Promise<CataloguePage> {
    if (!this.known.get(source))
      throw new Fault('NOT_FOUND', 'No such source has announced itself.', { executed: 'no' });
    this.#states.used(source);
    const start = cursor === undefined ? undefined : parseCursor(cursor);
    if (start === undefined) await this.#ensureAsked(source, signal);
    else if (this.#states.revision(source) !== start.revision) await this.#takeUp(source);
    const snapshot = await this.#snapshot(source);
    if (snapshot === undefined && start === undefined) {
      // What was remembered can not be read: it is asked after all.
      await untilAborted(this.#prober.now(source), signal);
      return this.page(source, undefined, { signal });
    }
    if (snapshot === undefined || (start !== undefined && snapshot.revision !== start.revision)) {
      throw new Fault(
        'INVALID_ARGUMENTS',
        'The catalogue has changed since this cursor was given; start again without one.',
      );
    }
    return pageAt(snapshot, start?.start ?? 0);
  }

  health(): Health {
    return {
      sources: this.known.addresses().map((source) =>
        this.#states.health(source, {
          silent: this.known.get(source)!.instances.size === 0,
          breaker: this.#source.breaker(source),
        }),
      ),
    };
  }

  /** How much is held, for those who must know that it is bounded. */
  get sizes(): { readonly catalogues: number; readonly breakers: number } {
    return { catalogues: this.#contents.size, breakers: this.#source.size };
  }

  /** Asks and tells nothing from now on. */
  stop(): void {
    this.#closing.abort(new Fault('CANCELLED', 'The service stops.', { executed: 'no' }));
    this.#prober.close();
    this.#announcer.close();
    this.#source.close();
  }

  /** Resolves when what is to outlive this process has been written. */
  written(): Promise<void> {
    return this.#contents.written();
  }

  async #ensureAsked(source: SourceAddress, signal: AbortSignal): Promise<void> {
    if (this.#states.isKept(source)) {
      if (this.#states.isDue(source)) this.#prober.soon(source);
      return;
    }
    const isHeld = this.#states.revision(source) !== undefined;
    try {
      await untilAborted(this.#prober.now(source), signal);
    } catch (error) {
      if (!isHeld) throw error;
    }
  }

  async #snapshot(source: SourceAddress): Promise<Snapshot | undefined> {
    const revision = this.#states.revision(source);
    if (revision === undefined) return undefined;
    const snapshot = await this.#contents.get(source);
    if (snapshot === undefined) this.#states.lost(source);
    else if (snapshot.revision !== revision && this.#states.revision(source) === revision) {
      // Another replica has written a newer one, or this bus takes other pages than the one it was fetched over.
      this.#states.revised(source, snapshot.revision);
      this.#announcer.touch(source);
    }
    return snapshot;
  }

  async #probe(source: SourceAddress): Promise<void> {
    const known = this.known.get(source);
    if (!known) throw wentAway();
    if (known.instances.size === 0) {
      throw new Fault('BACKEND_UNAVAILABLE', 'No instance of the source is heard.', { executed: 'no' });
    }
    const configuration = configurationOf(known);
    const mustBeNew = this.#mustBeNew.delete(source) || this.options.ttlMs === 0;
    const begun = performance.now();
    const { signal } = this.#closing;
    // What its service remembers is as good as new only for who never asked.
    const refresh = this.#states.isAsked(source);
    try {
      await this.#source.probe(known, { refresh, mustBeNew }, (catalogue, at) =>
        this.#keep(known, { catalogue, at, configuration }, performance.now() - begun),
      );
    } catch (error) {
      // Of a source that went meanwhile, and perhaps came again, nothing is kept.
      const isOver = signal.aborted || this.known.get(source) !== known;
      // Nor when nothing was asked: how it failed before says more.
      if (isOver || (error instanceof Fault && error.cause instanceof CircuitOpen)) throw error;
      const reason = discoveryErrorOf(error);
      this.#states.failed(source, reason, configuration, performance.now() - begun);
      this.options.log.warn('discovery.source-not-answering', { source, reason });
      throw error;
    } finally {
      if (!signal.aborted) {
        this.#announcer.touch(source);
        this.reconfigured(source);
      }
    }
  }

  #isWanted(source: SourceAddress): boolean {
    return this.#wholeWanted || this.#states.isProbed(source) || this.#prober.isRunning(source);
  }

  async #takeUp(source: SourceAddress): Promise<void> {
    const known = this.known.get(source);
    if (!known || this.#prober.isRunning(source)) return;
    const configuration = configurationOf(known);
    await this.#source.found(known, (catalogue, at) => this.#keep(known, { catalogue, at, configuration }, 0));
    this.#announcer.touch(source);
  }

  #keep(
    known: KnownSource,
    { catalogue, at, configuration }: { catalogue: SourceCatalogue; at: number; configuration: string },
    latencyMs: number,
  ): void {
    if (this.known.get(known.address) !== known) throw wentAway();
    const snapshot = this.#contents.snapshotOf(catalogue);
    const { revision, identity } = snapshot;
    this.#contents.keep(known.address, snapshot, { configuration, at });
    this.#states.kept(known.address, { revision, at, ownTtlMs: identity.ttlMs, configuration }, latencyMs);
  }

  #summary(source: SourceAddress): Overview['sources'][number] {
    const summary = this.#states.summary(source);
    return this.#source.breaker(source) === 'open' ? { ...summary, error: 'circuit_open' } : summary;
  }

  /** What of a source concerns those who publish it. */
  #face(source: SourceAddress): string | undefined {
    if (!this.known.get(source)) return undefined;
    const revision = this.#states.revision(source);
    if (revision !== undefined) return revision;
    const state = this.#states.state(source);
    return state === 'pending' && !this.#wholeWanted ? undefined : state;
  }

  /** Equal content, equal revision, whichever instance computes it. */
  #revision(): string {
    const published = this.known.addresses().flatMap((source) => {
      const revision = this.#states.revision(source);
      return revision === undefined ? [] : [[source, revision]];
    });
    return revisionOf(published);
  }
}

const wentAway = (): Fault =>
  new Fault('BACKEND_UNAVAILABLE', 'The source went away while it was asked.', { executed: 'no' });
