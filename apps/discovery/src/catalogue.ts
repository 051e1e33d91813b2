import { setMaxListeners } from 'node:events';
import type { Bus, Incoming } from '@portico/bus';
import { Fault } from '@portico/contracts';
import type { CataloguePage, PayloadOf, SourceAddress, catalogueChanged } from '@portico/contracts';
import { CatalogueView } from './catalogue-view.js';
import type { Health, Overview } from './catalogue-view.js';
import { ChangeAnnouncer } from './change-announcer.js';
import { configurationOf } from './known-sources.js';
import type { KnownSources } from './known-sources.js';
import { LearntCatalogues } from './learnt-catalogues.js';
import type { LearningOptions, Sizes } from './learnt-catalogues.js';
import { Prober } from './prober.js';
import { SourceReader } from './source-reader.js';
import type { SourceStates } from './source-states.js';

/** What all sources publish, as far as anybody has asked. Answers from memory; asks a source when it must. */
export class Catalogue {
  readonly #learnt: LearntCatalogues;
  readonly #states: SourceStates;
  readonly #view: CatalogueView;
  readonly #reader: SourceReader;
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
    this.#view = new CatalogueView(known, this.#learnt);
    this.#announcer = new ChangeAnnouncer(bus, {
      of: (source) => this.#view.face(source, this.#wholeWanted),
      overall: () => this.#view.revision(),
    });
    this.#reader = new SourceReader(known, this.#learnt, this.#prober, this.#announcer);
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
    if (!this.options.shared || revision === this.#view.revision()) return;
    await Promise.all(sources.map((source) => this.#reader.takeUp(source)));
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
    for (const source of probe ? this.known.addresses() : []) {
      this.#states.used(source);
      if (this.#states.isDue(source)) this.#prober.soon(source);
    }
    return this.#view.overview();
  }

  /** A page of one source's catalogue, as `SourceReader` gives it. */
  page(source: SourceAddress, cursor: string | undefined, incoming: Pick<Incoming, 'signal'>): Promise<CataloguePage> {
    return this.#reader.page(source, cursor, incoming);
  }

  health(): Health {
    return this.#view.health();
  }

  get sizes(): Sizes {
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
}
