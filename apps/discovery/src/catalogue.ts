import { setMaxListeners } from 'node:events';
import type { Bus, Incoming } from '@portico/bus';
import { Fault } from '@portico/contracts';
import type {
  CataloguePage,
  PayloadOf,
  ReplyOf,
  SourceAddress,
  discoverCatalogue,
  discoveryHealth,
  sourceBye,
  sourceHello,
} from '@portico/contracts';
import { pageAt, pageLimit, parseCursor, revisionOf, snapshotOf } from '@portico/domain-kit';
import type { Log } from '@portico/observe';
import { CatalogueCache } from './catalogue-cache.js';
import { ChangeAnnouncer } from './change-announcer.js';
import { discoveryErrorOf } from './discovery-error.js';
import { KnownSources, connectTimeoutMs } from './known-sources.js';
import { Prober } from './prober.js';
import { probeSource } from './source-probe.js';
import { untilAborted } from './until-aborted.js';

type Overview = ReplyOf<typeof discoverCatalogue>;
type Health = ReplyOf<typeof discoveryHealth>;

export interface CatalogueOptions {
  /** Milliseconds a source's lists are fresh; 0: they are asked for each time. */
  readonly ttlMs: number;
  readonly log: Log;
}

/** What all sources publish, as far as anybody has asked. Answers from memory; asks a source when it must. */
export class Catalogue {
  readonly #known = new KnownSources();
  readonly #cache: CatalogueCache;
  readonly #prober = new Prober((source) => this.#probe(source));
  readonly #announcer: ChangeAnnouncer;
  readonly #closing = new AbortController();
  /** Once somebody has asked for the whole, a source that arrives belongs to what was asked for. */
  #wholeWanted = false;

  constructor(
    private readonly bus: Bus,
    private readonly options: CatalogueOptions,
  ) {
    // Every probe that runs listens to it; how many do is bounded by how many sources there are.
    setMaxListeners(0, this.#closing.signal);
    this.#cache = new CatalogueCache(options.ttlMs);
    this.#announcer = new ChangeAnnouncer(bus, {
      of: (source) => this.#cache.held(source)?.revision,
      overall: () => this.#revision(),
    });
  }

  hello(hello: PayloadOf<typeof sourceHello>): void {
    const { source } = hello;
    const arrival = this.#known.hello(hello);
    if (arrival === 'arrived' && this.#wholeWanted) this.#prober.changed(source);
    if (arrival === 'reconfigured' && this.#isAsked(source)) {
      this.#cache.supersede(source);
      this.#prober.changed(source);
    }
    if (arrival === 'joined' && this.#cache.hasFailed(source)) this.#prober.soon(source);
  }

  bye(bye: PayloadOf<typeof sourceBye>): void {
    if (!this.#known.bye(bye)) return;
    this.#prober.forget(bye.source);
    this.#cache.forget(bye.source);
    this.#announcer.touch(bye.source);
  }

  changed(source: SourceAddress): void {
    if (this.#known.get(source) && this.#isAsked(source)) this.#prober.changed(source);
  }

  /** All sources and what is known of them, at once. With `probe`, those that are due are asked from now on. */
  overview(probe: boolean): Overview {
    this.#wholeWanted ||= probe;
    const sources = this.#known.addresses();
    for (const source of probe ? sources : []) if (this.#cache.isDue(source)) this.#prober.soon(source);
    return { revision: this.#revision(), sources: sources.map((source) => this.#cache.summary(source)) };
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
    if (!this.#known.get(source))
      throw new Fault('NOT_FOUND', 'No such source has announced itself.', { executed: 'no' });
    const start = cursor === undefined ? undefined : parseCursor(cursor);
    if (start === undefined) await this.#ensureAsked(source, signal);
    const snapshot = this.#cache.held(source);
    if (snapshot === undefined || (start !== undefined && snapshot.revision !== start.revision)) {
      throw new Fault(
        'INVALID_ARGUMENTS',
        'The catalogue has changed since this cursor was given; start again without one.',
      );
    }
    return pageAt(snapshot, start?.start ?? 0);
  }

  health(): Health {
    return { sources: this.#known.addresses().map((source) => this.#healthOf(source)) };
  }

  close(): void {
    this.#closing.abort(new Fault('CANCELLED', 'The service stops.', { executed: 'no' }));
    this.#prober.close();
    this.#announcer.close();
  }

  async #ensureAsked(source: SourceAddress, signal: AbortSignal): Promise<void> {
    const isHeld = this.#cache.held(source) !== undefined;
    if (isHeld && this.options.ttlMs > 0) {
      if (this.#cache.isDue(source)) this.#prober.soon(source);
      return;
    }
    try {
      await untilAborted(this.#prober.now(source), signal);
    } catch (error) {
      if (!isHeld) throw error;
    }
  }

  async #probe(source: SourceAddress): Promise<void> {
    const known = this.#known.get(source);
    if (!known) throw wentAway();
    const { signal } = this.#closing;
    try {
      const found = await probeSource(this.bus, source, {
        deadlineMs: connectTimeoutMs(known),
        // What its service remembers is as good as new only for who never asked.
        refresh: this.#cache.isAsked(source),
        signal,
      });
      if (this.#known.get(source) !== known) throw wentAway();
      this.#cache.keep(source, snapshotOf(found, pageLimit(this.bus.maxPayload), this.options.log));
    } catch (error) {
      // Of a source that went meanwhile, and perhaps came again, nothing is kept.
      if (signal.aborted || this.#known.get(source) !== known) throw error;
      const reason = discoveryErrorOf(error);
      this.#cache.fail(source, reason);
      this.options.log.warn('discovery.source-not-answering', { source, reason });
      throw error;
    } finally {
      if (!signal.aborted) this.#announcer.touch(source);
    }
  }

  #isAsked(source: SourceAddress): boolean {
    return this.#cache.isAsked(source) || this.#prober.isRunning(source);
  }

  /** Equal content, equal revision, whichever instance computes it. */
  #revision(): string {
    const published = this.#known.addresses().flatMap((source) => {
      const revision = this.#cache.held(source)?.revision;
      return revision === undefined ? [] : [[source, revision]];
    });
    return revisionOf(published);
  }

  #healthOf(source: SourceAddress): Health['sources'][number] {
    const { state, error, ageMs } = this.#cache.summary(source);
    const checkedAt = this.#cache.checkedAt(source);
    return {
      source,
      state: state === 'pending' ? 'unknown' : state === 'unavailable' ? 'down' : error ? 'degraded' : 'up',
      // Nothing breaks a circuit here: every source that is due is asked.
      breaker: 'closed',
      ...(error && { lastError: error }),
      ...(checkedAt !== undefined && { checkedAt: new Date(checkedAt).toISOString() }),
      ...(ageMs !== undefined && { catalogueAgeMs: ageMs }),
    };
  }
}

const wentAway = (): Fault =>
  new Fault('BACKEND_UNAVAILABLE', 'The source went away while it was asked.', { executed: 'no' });
