import { setMaxListeners } from 'node:events';
import type { Bus, Incoming } from '@portico/bus';
import { Fault } from '@portico/contracts';
import type {
  CataloguePage,
  PayloadOf,
  ReplyOf,
  SourceAddress,
  catalogueChanged,
  discoverCatalogue,
  discoveryHealth,
} from '@portico/contracts';
import { pageAt, parseCursor, revisionOf } from '@portico/domain-kit';
import { ChangeAnnouncer } from './change-announcer.js';
import { configurationOf } from './known-sources.js';
import type { KnownSources } from './known-sources.js';
import { LearntCatalogues } from './learnt-catalogues.js';
import type { LearningOptions } from './learnt-catalogues.js';
import { Prober } from './prober.js';
import type { SourceStates } from './source-states.js';
import { untilAborted } from './until-aborted.js';

type Overview = Omit<ReplyOf<typeof discoverCatalogue>, 'settling'>;
type Health = ReplyOf<typeof discoveryHealth>;

/** What all sources publish, as far as anybody has asked. Answers from memory; asks a source when it must. */
export class Catalogue {
  readonly #learnt: LearntCatalogues;
  readonly #states: SourceStates;
  readonly #prober = new Prober((source) => this.#probe(source));
  readonly #announcer: ChangeAnnouncer;
  readonly #closing = new AbortController();
  /** Once somebody has asked for the whole, a source that arrives belongs to what was asked for. */
  #wholeWanted = false;

  constructor(
    bus: Bus,
    private readonly known: KnownSources,
    private readonly options: LearningOptions,
  ) {
    // Every probe that runs listens to it; how many do is bounded by how many sources there are.
    setMaxListeners(0, this.#closing.signal);
    this.#learnt = new LearntCatalogues(bus, known, options, this.#closing.signal);
    this.#states = this.#learnt.states;
    this.#announcer = new ChangeAnnouncer(bus, { of: (source) => this.#face(source), overall: () => this.#revision() });
  }

  /** Takes up what earlier processes left; returns the sources that did not say bye to them. */
  async remember(): Promise<SourceAddress[]> {
    const all = await this.#learnt.remember();
    for (const { source } of all) if (this.known.get(source)) this.arrived(source);
    return all.filter(({ gone }) => !gone).map(({ source }) => source);
  }

  /** It is there, for the first time or again. Asked at once only when it, or the whole, has been asked for. */
  arrived(source: SourceAddress): void {
    this.#learnt.back(source);
    this.#states.returned(source);
    this.reconfigured(source);
    if (this.#isWanted(source) && this.#states.state(source) !== 'fresh') this.#prober.soon(source);
    this.#announcer.touch(source);
  }

  /** One more instance serves it: what failed may work now. */
  joined(source: SourceAddress): void {
    if (!this.#states.hasFailed(source)) return;
    this.#learnt.renew(source);
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
    this.#learnt.renew(source);
    this.changed(source);
  }

  /** No instance of it is heard. */
  silent(source: SourceAddress): void {
    this.#states.silent(source);
    this.#announcer.touch(source);
  }

  /** Known from what was remembered; `late`: it should have been heard by now. */
  unheard(source: SourceAddress, late: boolean): void {
    if (late && !this.#states.hasFailed(source)) this.#states.silent(source);
    this.#announcer.touch(source);
  }

  gone(source: SourceAddress): void {
    this.#prober.forget(source);
    this.#learnt.gone(source);
    this.#announcer.touch(source);
  }

  changed(source: SourceAddress): void {
    if (!this.known.get(source) || !this.#isWanted(source)) return;
    this.#learnt.outdated(source);
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
    const snapshot = await this.#learnt.snapshot(source);
    this.#announcer.touch(source);
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
          breaker: this.#learnt.breaker(source),
        }),
      ),
    };
  }

  /** How much is held, for those who must know that it is bounded. */
  get sizes(): { readonly catalogues: number; readonly breakers: number } {
    return this.#learnt.sizes;
  }

  /** Asks and tells nothing from now on. */
  stop(): void {
    this.#closing.abort(new Fault('CANCELLED', 'The service stops.', { executed: 'no' }));
    this.#prober.close();
    this.#announcer.close();
    this.#learnt.stop();
  }

  /** Resolves when what is to outlive this process has been written. */
  written(): Promise<void> {
    return this.#learnt.written();
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

  async #probe(source: SourceAddress): Promise<void> {
    try {
      await this.#learnt.probe(source);
    } finally {
      if (!this.#closing.signal.aborted) {
        this.#announcer.touch(source);
        this.reconfigured(source);
      }
    }
  }

  #isWanted(source: SourceAddress): boolean {
    return this.#wholeWanted || this.#states.isProbed(source) || this.#prober.isRunning(source);
  }

  async #takeUp(source: SourceAddress): Promise<void> {
    if (this.#prober.isRunning(source)) return;
    await this.#learnt.takeUp(source);
    this.#announcer.touch(source);
  }

  #summary(source: SourceAddress): Overview['sources'][number] {
    const summary = this.#states.summary(source);
    return this.#learnt.breaker(source) === 'open' ? { ...summary, error: 'circuit_open' } : summary;
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
