import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Bus, Subscription } from '@portico/bus';
import {
  discoverCatalogue,
  discoverSource,
  discoveryHealth,
  rollCall,
  sourceBye,
  sourceChanged,
  sourceHello,
} from '@portico/contracts';
import type { Log } from '@portico/observe';
import { Catalogue } from './catalogue.js';
import type { DiscoveryConfig } from './config.js';

/** The catalogue on the bus: hears who is there, and answers what they publish. Opening it asks no source anything. */
export class Discovery implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #catalogue: Catalogue;
  readonly #opened: Subscription[] = [];

  constructor(
    private readonly bus: Bus,
    config: DiscoveryConfig,
    log: Log,
  ) {
    this.#catalogue = new Catalogue(bus, { ttlMs: config.cacheTtlMs, log });
  }

  async onApplicationBootstrap(): Promise<void> {
    const { bus } = this;
    const catalogue = this.#catalogue;
    try {
      this.#opened.push(await bus.listen(sourceHello, (hello) => catalogue.hello(hello)));
      this.#opened.push(await bus.listen(sourceBye, (bye) => catalogue.bye(bye)));
      this.#opened.push(await bus.listen(sourceChanged, ({ source }) => catalogue.changed(source)));
      this.#opened.push(await bus.serve(discoverCatalogue, async ({ probe }) => catalogue.overview(probe)));
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
    this.#catalogue.close();
    await Promise.all(this.#opened.splice(0).map((subscription) => subscription.close()));
  }
}
