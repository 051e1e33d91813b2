import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@portico/bus';
import { discoverCatalogue, sourceName } from '@portico/contracts';
import type { SourceAddress, SourceCatalogue, SourceSummary, StopSignal } from '@portico/contracts';
import type { Log } from '@portico/observe';
import { singleFlight } from '@portico/resilience';
import { fetchCatalogue } from './fetch-catalogue.js';
import type { KnownSource } from './published-catalogue.js';
import { fold } from './tool-names.js';

/** Least between two rounds that are asked for by names nobody knows. */
const REST_MS = 100;
/** Above the longest connect limit a source may have; discovery applies the source's own. */
const FIRST_ASK_DEADLINE_MS = 200_000;

/** What discovery knows of the sources on the bus, and the newest catalogue fetched of each. */
export class RemoteSources {
  private readonly held = new Map<SourceAddress, SourceCatalogue>();
  /** Calls to a source never yet asked may come by the thousand: it is fetched, and published, once for all of them. */
  private readonly asking = singleFlight<SourceAddress, void>();
  private said: readonly SourceSummary[] = [];
  private refreshing: Promise<void> | undefined;
  private joining: Promise<void> | undefined;
  private again = false;
  private askedAt = -Infinity;
  /** Somebody has asked for the whole: from then on discovery asks sources as they come. */
  private wholeWanted = false;
  /** Discovery has answered once, and answered last time. */
  known = false;
  current = false;

  /** `changed` is called when a catalogue has come, gone or changed; `answered` whenever discovery has been heard. */
  constructor(
    private readonly bus: Bus,
    private readonly log: Log,
    private readonly told: { readonly changed: () => void; readonly answered: () => void },
  ) {}

  /** What discovery last said of each source. */
  get summaries(): readonly SourceSummary[] {
    return this.said;
  }

  get catalogues(): KnownSource[] {
    return [...this.held].map(([address, catalogue]) => ({ address, catalogue }));
  }

  anyPending(): boolean {
    return this.said.some(({ source, state }) => state === 'pending' && !this.held.has(source));
  }

  /** Milliseconds since discovery was last asked. */
  get askedMsAgo(): number {
    return performance.now() - this.askedAt;
  }

  /** Whether the whole has been asked for before; from now on it has. */
  wantWhole(): boolean {
    const before = this.wholeWanted;
    this.wholeWanted = true;
    return before;
  }

  /** Asks discovery what there is and fetches what differs; never rejects. Who asks meanwhile shares one more round. */
  refresh(): Promise<void> {
    this.again = this.refreshing !== undefined;
    this.refreshing ??= this.rounds().finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  /** The round that runs, or a new one a moment after the last: names that nobody knows may come by the thousand. */
  async joinRefresh(): Promise<void> {
    this.joining ??= this.restThenRefresh().finally(() => {
      this.joining = undefined;
    });
    await this.joining;
  }

  private async restThenRefresh(): Promise<void> {
    if (this.refreshing === undefined && this.askedMsAgo < REST_MS) await delay(REST_MS - this.askedMsAgo);
    await (this.refreshing ?? this.refresh());
  }

  /** After a change was told: only somebody who has asked for the whole wants to know. */
  async followChange(): Promise<void> {
    if (this.wholeWanted) await this.refresh();
  }

  /**
   * Has the source that a name speaks of asked, within its own connect limit, when nothing of it is held yet. Returns its
   * address when it does not answer.
   */
  async askFor(name: string, signal: StopSignal): Promise<SourceAddress | undefined> {
    const source = this.said.find(
      (summary) => !this.held.has(summary.source) && speaksOf(name, summary.source),
    )?.source;
    if (source === undefined) return undefined;
    try {
      await untilStopped(
        this.asking(source, () => this.askFirst(source)),
        signal,
      );
      return undefined;
    } catch (error) {
      this.log.warn('source.not-answering', { source, error });
      return source;
    }
  }

  private async askFirst(source: SourceAddress): Promise<void> {
    this.held.set(source, await fetchCatalogue(this.bus, source, { deadlineMs: FIRST_ASK_DEADLINE_MS }));
    this.told.changed();
  }

  private async rounds(): Promise<void> {
    do {
      this.again = false;
      this.askedAt = performance.now();
      try {
        const { sources, settling } = await this.bus.ask(discoverCatalogue, { probe: this.wholeWanted });
        this.said = sources;
        const updated = await Promise.all(sources.map((summary) => this.update(summary)));
        const gone = this.forgetLost(sources, settling?.gone);
        this.known = true;
        this.current = true;
        if (gone || updated.includes(true)) this.told.changed();
      } catch (error) {
        this.current = false;
        this.log.warn('discovery.not-answering', { error });
      }
      this.told.answered();
    } while (this.again);
  }

  /** Whether a newer catalogue of the source is now held. */
  private async update({ source, revision }: SourceSummary): Promise<boolean> {
    if (revision === undefined || this.held.get(source)?.revision === revision) return false;
    try {
      this.held.set(source, await fetchCatalogue(this.bus, source, {}));
      return true;
    } catch (error) {
      this.log.warn('catalogue.not-fetched', { source, error });
      return false;
    }
  }

  /**
   * Lets go of sources that are gone, or unavailable; returns whether there was one. A discovery that has just started may
   * not have heard of all: until it has had the time, only those that it saw leave are gone.
   */
  private forgetLost(sources: readonly SourceSummary[], seenLeaving: readonly SourceAddress[] | undefined): boolean {
    const states = new Map(sources.map(({ source, state }) => [source, state]));
    const lost = [...this.held.keys()].filter((source) => {
      const state = states.get(source);
      return state === undefined ? (seenLeaving?.includes(source) ?? true) : state === 'unavailable';
    });
    for (const source of lost) this.held.delete(source);
    return lost.length > 0;
  }
}

/** The outcome of shared work, or the signal's reason when that comes first; the work goes on for the others. */
function untilStopped(work: Promise<void>, signal: StopSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Whether a name as an agent may spell it begins with a source's. The map decides; this only says whom to ask first. */
function speaksOf(name: string, address: SourceAddress): boolean {
  const source = sourceName(address);
  return name.startsWith(`${source}.`) || name.startsWith(`${fold(source)}_`) || name.startsWith(`mcp__${source}__`);
}
