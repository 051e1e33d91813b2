import { setTimeout as delay } from 'node:timers/promises';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Bus, Subscription } from '@portico/bus';
import {
  catalogueChanged,
  discoverCatalogue,
  discoverSource,
  discoveryHealth,
  rollCall,
  sourceBye,
  sourceChanged,
  sourceHeartbeat,
  sourceHello,
} from '@portico/contracts';
import type { Log } from '@portico/observe';
import type { Documents, SharedState } from '@portico/storage';
import { Attendance } from './attendance.js';
import { CatalogueDocuments } from './catalogue-documents.js';
import { Catalogue } from './catalogue.js';
import type { DiscoveryConfig } from './config.js';
import { KnownSources } from './known-sources.js';
import { SharedFlight } from './shared-flight.js';

/** What outlives this process, or is shared with other replicas of it. */
export interface DiscoveryStores {
  readonly documents: Documents;
  /** Absent: there are no replicas. */
  readonly shared: SharedState | undefined;
}

/** A start waits so long for what was remembered; what comes later is taken up when it comes. */
const REMEMBERING_MS = 1_000;
/** An end waits so long for what is being written; what is not written by then is asked for again after the next start. */
const WRITING_MS = 5_000;

/** The catalogue on the bus: hears who is there, and answers what they publish. Opening it asks no source anything. */
export class Discovery implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #known = new KnownSources();
  readonly #catalogue: Catalogue;
  readonly #opened: Subscription[] = [];
  #attendance: Attendance | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly config: DiscoveryConfig,
    private readonly stores: DiscoveryStores,
    private readonly log: Log,
  ) {
    this.#catalogue = new Catalogue(bus, this.#known, {
      ttlMs: config.cacheTtlMs,
      graceMs: config.graceMs,
      maxEntries: config.maxEntries,
      breaker: config.breaker,
      documents: new CatalogueDocuments(stores.documents, log),
      shared: stores.shared && new SharedFlight(stores.shared, log),
      log,
    });
  }

  /** How each source that is known is. */
  states(): string[] {
    return this.#catalogue.health().sources.map(({ state }) => state);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { bus } = this;
    const catalogue = this.#catalogue;
    const { graceMs, maxEntries } = this.config;
    const attendance = new Attendance(bus, this.#known, catalogue, { graceMs, maxSilent: maxEntries, log: this.log });
    this.#attendance = attendance;
    try {
      this.#opened.push(await bus.listen(sourceHello, (hello) => attendance.hello(hello)));
      this.#opened.push(await bus.listen(sourceBye, (bye) => attendance.bye(bye)));
      this.#opened.push(await bus.listen(sourceHeartbeat, (beat) => attendance.heartbeat(beat)));
      this.#opened.push(await bus.listen(sourceChanged, ({ source }) => catalogue.changed(source)));
      this.#opened.push(await bus.listen(catalogueChanged, (change) => catalogue.changedElsewhere(change)));
      const remembering = catalogue.remember().then((sources) => attendance.remember(sources));
      await Promise.race([remembering, delay(REMEMBERING_MS, undefined, { ref: false })]);
      this.#opened.push(
        await bus.serve(discoverCatalogue, async ({ probe }) => ({
          ...catalogue.overview(probe),
          ...attendance.settling(),
        })),
      );
      this.#opened.push(
        await bus.serve(discoverSource, ({ source, cursor }, incoming) => catalogue.page(source, cursor, incoming)),
      );
      this.#opened.push(await bus.serve(discoveryHealth, async () => catalogue.health()));
    } catch (error) {
      await this.onApplicationShutdown();
      throw error;
    }
    bus.tell(rollCall, {});
  }

  async onApplicationShutdown(): Promise<void> {
    this.#attendance?.close();
    this.#catalogue.stop();
    await Promise.all(this.#opened.splice(0).map((subscription) => subscription.close()));
    await Promise.race([this.#catalogue.written(), delay(WRITING_MS, undefined, { ref: false })]);
    await Promise.all([this.stores.documents.close(), this.stores.shared?.close()]);
  }
}
