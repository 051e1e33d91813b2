import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Bus, Subscription } from '@portico/bus';
import { catalogueChanged, discoverCatalogue, sourceName } from '@portico/contracts';
import type { SourceAddress, SourceCatalogue, SourceSummary } from '@portico/contracts';
import type { Log } from '@portico/observe';
import { fetchCatalogue } from './fetch-catalogue.js';
import { type GatewayDomain, type GatewayView, gatewayDomain } from './gateway-domain.js';
import { type PublishedCatalogue, publishCatalogue } from './published-catalogue.js';
import { fold } from './tool-names.js';

/** A list that finds sources never yet asked waits for them until this long after the process began to listen. */
const LIST_WINDOW_MS = 1_200;
/** Lists ask discovery again after this, behind the answer, so that it knows which sources are in use and asks those due. */
const ASK_AGAIN_MS = 5_000;
/** What a first list waits for discovery itself, so that a dead one can not hold it up. */
const DISCOVERY_PATIENCE_MS = 700;
/** Above the longest connect limit a source may have; discovery applies the source's own. */
const FIRST_ASK_DEADLINE_MS = 200_000;

export interface CatalogueOptions {
  readonly toolNames: 'dotted' | 'folded';
  readonly health: GatewayView['health'];
  readonly log: Log;
}

/**
 * What the front door remembers of every source. Calls and lists are answered from here; discovery tells when something
 * has changed, and is asked nothing before the first caller wants to know.
 */
export class CatalogueMemory implements OnApplicationBootstrap, OnApplicationShutdown {
  /** The one source in this process, never asked over the bus. */
  readonly gateway: GatewayDomain;
  private readonly held = new Map<SourceAddress, SourceCatalogue>();
  private readonly listeners = new Set<(before: PublishedCatalogue, after: PublishedCatalogue) => void>();
  private summaries: readonly SourceSummary[] = [];
  private published: PublishedCatalogue;
  private subscription: Subscription | undefined;
  private refreshing: Promise<void> | undefined;
  private again = false;
  /** Somebody has asked for the whole: from then on sources are asked as they come. */
  private wanted = false;
  private known = false;
  private current = false;
  private reported: ReadonlySet<string> = new Set();
  private windowEnds = 0;
  private askedAt = 0;

  constructor(
    private readonly bus: Bus,
    private readonly options: CatalogueOptions,
  ) {
    this.gateway = gatewayDomain({
      catalogue: () => this.published,
      sources: () => this.summaries,
      health: options.health,
    });
    this.published = publishCatalogue([this.gateway], options);
  }

  async onApplicationBootstrap(): Promise<void> {
    this.subscription = await this.bus.listen(catalogueChanged, async () => {
      if (this.wanted) await this.refresh();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.subscription?.close();
  }

  /** Starts the time that lists may wait for sources never yet asked. */
  listening(): void {
    this.windowEnds = performance.now() + LIST_WINDOW_MS;
  }

  get catalogue(): PublishedCatalogue {
    return this.published;
  }

  /** What discovery last said of each source. */
  get sources(): readonly SourceSummary[] {
    return this.summaries;
  }

  onChange(listener: (before: PublishedCatalogue, after: PublishedCatalogue) => void): void {
    this.listeners.add(listener);
  }

  /** The catalogue for a list, and whether it is whole: a list given while a source is pending must not be kept. */
  async forList(): Promise<{ catalogue: PublishedCatalogue; whole: boolean }> {
    const first = !this.known || !this.wanted;
    this.wanted = true;
    if (first) await within(this.refresh(), DISCOVERY_PATIENCE_MS);
    else if (performance.now() - this.askedAt > ASK_AGAIN_MS) void this.refresh();
    for (let left = this.left(); left > 0 && this.anyPending(); left = this.left()) await this.changed(left);
    return { catalogue: this.published, whole: this.current && !this.anyPending() };
  }

  /**
   * Makes sure that the source a name speaks of has been asked once, within its own connect limit; at once when it has.
   * Returns the address of a source the name speaks of that can not be published from, because it never answered.
   */
  async ensureAsked(name: string, signal: AbortSignal): Promise<SourceAddress | undefined> {
    await within(this.refreshing ?? this.refresh(), DISCOVERY_PATIENCE_MS);
    const source = this.summaries.find(
      (summary) => !this.held.has(summary.source) && speaksOf(name, sourceName(summary.source)),
    );
    if (source === undefined) return undefined;
    try {
      this.hold(
        source.source,
        await fetchCatalogue(this.bus, source.source, { deadlineMs: FIRST_ASK_DEADLINE_MS, signal }),
      );
      return undefined;
    } catch (error) {
      this.options.log.warn('source.not_answering', { source: source.source, error });
      return source.source;
    }
  }

  /** Asks discovery what there is and fetches what differs; callers at the same time share one round. */
  refresh(): Promise<void> {
    if (this.refreshing !== undefined) {
      this.again = true;
      return this.refreshing;
    }
    this.refreshing = this.rounds().finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  private async rounds(): Promise<void> {
    do {
      this.again = false;
      this.askedAt = performance.now();
      try {
        const { sources } = await this.bus.ask(discoverCatalogue, { probe: this.wanted });
        this.summaries = sources;
        await Promise.all(sources.map((summary) => this.update(summary)));
        const present = new Set(sources.map(({ source }) => source));
        for (const source of this.held.keys()) if (!present.has(source)) this.held.delete(source);
        this.known = true;
        this.current = true;
      } catch (error) {
        this.current = false;
        this.options.log.warn('discovery.not_answering', { error });
      }
      this.publish();
    } while (this.again);
  }

  private async update({ source, revision }: SourceSummary): Promise<void> {
    if (revision === undefined || this.held.get(source)?.revision === revision) return;
    try {
      this.held.set(source, await fetchCatalogue(this.bus, source, {}));
    } catch (error) {
      this.options.log.warn('catalogue.not_fetched', { source, error });
    }
  }

  private hold(source: SourceAddress, catalogue: SourceCatalogue): void {
    this.held.set(source, catalogue);
    this.publish();
  }

  private publish(): void {
    const before = this.published;
    const sources = [...this.held].map(([address, catalogue]) => ({ address, catalogue }));
    this.published = publishCatalogue([this.gateway, ...sources], this.options);
    if (before.revision !== this.published.revision) this.reportLeftOut();
    for (const listener of this.listeners) listener(before, this.published);
  }

  /** Says once of each thing that a source publishes and clients are not shown why that is so. */
  private reportLeftOut(): void {
    const present = new Set<string>();
    for (const left of this.published.leftOut) {
      const key = JSON.stringify(left);
      present.add(key);
      if (!this.reported.has(key)) this.options.log.warn('catalogue.left-out', { ...left });
    }
    this.reported = present;
  }

  private anyPending(): boolean {
    return this.summaries.some(({ source, state }) => state === 'pending' && !this.held.has(source));
  }

  private left(): number {
    return this.windowEnds - performance.now();
  }

  private changed(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.listeners.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.listeners.add(done);
    });
  }
}

/** Waits for a promise that never rejects, at most so long. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}

/** Whether a name as an agent may spell it begins with a source's. The map decides; this only says whom to ask first. */
const speaksOf = (name: string, source: string): boolean =>
  name.startsWith(`${source}.`) || name.startsWith(`${fold(source)}_`) || name.startsWith(`mcp__${source}__`);
