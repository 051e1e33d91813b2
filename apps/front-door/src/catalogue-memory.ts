import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Bus, Subscription } from '@portico/bus';
import { catalogueChanged } from '@portico/contracts';
import type { SourceAddress, StopSignal } from '@portico/contracts';
import type { Log } from '@portico/observe';
import { type GatewayDomain, gatewayDomain } from './gateway-domain.js';
import type { GatewayView } from './gateway/gateway-view.js';
import { type PublishedCatalogue, publishCatalogue } from './published-catalogue.js';
import type { PolicyInForce } from './policy/policy.js';
import { RemoteSources } from './remote-sources.js';

/** A list that finds sources never yet asked waits for them until this long after the process began to listen. */
const LIST_WINDOW_MS = 1_200;
/** And never longer than this after the process began, so that its first list comes within 2 s of `npm start`. */
const FIRST_LIST_MS = 1_600;
/** Lists ask discovery again after this, behind the answer, so that it knows which sources are in use and asks those due. */
const ASK_AGAIN_MS = 5_000;
/** What a first list or an unknown name waits for discovery itself, so that a dead one can not hold it up. */
const DISCOVERY_PATIENCE_MS = 700;

export interface CatalogueOptions {
  readonly policy: PolicyInForce;
  readonly contextInSchemas: boolean;
  /** Whether the manifest can be read. */
  readonly manifest: boolean;
  /** What was called for a tenant, newest first. */
  readonly receipts: GatewayView['receipts'];
  readonly cacheStats: GatewayView['cacheStats'];
  readonly toolNames: 'dotted' | 'folded';
  readonly health: GatewayView['health'];
  /** When the process began, as `performance.now()` tells it: who started it waits for its first list since then. */
  readonly startedAt: number;
  readonly log: Log;
}

type ChangeListener = (before: PublishedCatalogue, after: PublishedCatalogue) => void;

/**
 * What the front door remembers of every source. Calls and lists are answered from here; discovery tells when something
 * has changed, and is asked nothing before the first caller wants to know.
 */
export class CatalogueMemory implements OnApplicationBootstrap, OnApplicationShutdown {
  /** The one source in this process, never asked over the bus. */
  readonly gateway: GatewayDomain;
  private readonly remote: RemoteSources;
  private readonly listeners: ChangeListener[] = [];
  /** Lists that wait for a source never yet asked. */
  private readonly waiting = new Set<() => void>();
  private published: PublishedCatalogue;
  private reported: ReadonlySet<string> = new Set();
  private subscription: Subscription | undefined;
  private windowEnds = 0;

  constructor(
    private readonly bus: Bus,
    private readonly options: CatalogueOptions,
  ) {
    this.remote = new RemoteSources(bus, options.log, {
      changed: () => this.publish(),
      answered: () => this.wakeWaiting(),
    });
    this.gateway = gatewayDomain(
      {
        catalogue: () => this.published,
        sources: () => this.remote.summaries,
        health: options.health,
        receipts: options.receipts,
        cacheStats: options.cacheStats,
        accessOf: (principal) => options.policy.current.accessOf(principal),
        profiles: () => options.policy.current.profiles,
      },
      { manifest: options.manifest },
    );
    this.published = this.publishAll();
    options.policy.onChange(() => this.publish());
  }

  async onApplicationBootstrap(): Promise<void> {
    this.subscription = await this.bus.listen(catalogueChanged, () => this.remote.followChange());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.subscription?.close();
  }

  /** Starts the time that lists may wait for sources never yet asked. */
  listening(): void {
    this.windowEnds = Math.min(performance.now() + LIST_WINDOW_MS, this.options.startedAt + FIRST_LIST_MS);
  }

  get catalogue(): PublishedCatalogue {
    return this.published;
  }

  /** Whether discovery has ever answered: until then nothing can be said of a name. */
  get isKnown(): boolean {
    return this.remote.known;
  }

  onChange(listener: ChangeListener): void {
    this.listeners.push(listener);
  }

  /** The catalogue for a list, and whether it is whole: a list given while a source is pending must not be kept. */
  async forList(): Promise<{ catalogue: PublishedCatalogue; whole: boolean }> {
    const { remote } = this;
    const wantedBefore = remote.wantWhole();
    if (!wantedBefore || !remote.known) await within(remote.refresh(), DISCOVERY_PATIENCE_MS);
    else if (remote.askedMsAgo > ASK_AGAIN_MS) void remote.refresh();
    for (let left = this.left(); left > 0 && remote.anyPending(); left = this.left()) await this.news(left);
    return { catalogue: this.published, whole: remote.current && !remote.anyPending() };
  }

  /**
   * For a name that is not known: makes sure that the source it speaks of has been asked once. Returns the address of one
   * that does not answer, so that nothing of it can be published.
   */
  async ensureAsked(name: string, signal: StopSignal): Promise<SourceAddress | undefined> {
    await within(this.remote.joinRefresh(), DISCOVERY_PATIENCE_MS);
    return this.remote.askFor(name, signal);
  }

  private publish(): void {
    const before = this.published;
    this.published = this.publishAll();
    if (before.revision !== this.published.revision) this.reportLeftOut();
    for (const listener of this.listeners) listener(before, this.published);
  }

  private publishAll(): PublishedCatalogue {
    const { toolNames, contextInSchemas, policy } = this.options;
    return publishCatalogue([this.gateway, ...this.remote.catalogues], {
      toolNames,
      contextInSchemas,
      policy: policy.current,
    });
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

  private wakeWaiting(): void {
    for (const wake of this.waiting) wake();
  }

  private left(): number {
    return this.windowEnds - performance.now();
  }

  /** Until discovery has been heard again, at most so long. */
  private news(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.waiting.add(done);
    });
  }
}

/** Waits for a promise that never rejects, at most so long. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
