import { randomUUID } from 'node:crypto';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import { openDocuments } from '@portico/storage';
import { serveAdmin } from './admin/serve-admin.js';
import { closeInTurn } from './closed.js';
import type { UpstreamsConfig } from './config.js';
import { Configuration } from './configuration.js';
import { Peers } from './ownership/peers.js';
import { RunningServers } from './running-servers.js';
import { serveServer } from './served-server.js';

/** Every configured MCP server as a source on the bus. Opening it starts none of them: each is connected when first used. */
export class Upstreams implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #opened: { close(): Promise<void> }[] = [];

  constructor(
    private readonly bus: Bus,
    private readonly config: UpstreamsConfig,
    private readonly log: Log,
  ) {}

  /** Throws a ServersFileError when the servers file can not be used; nothing is served then. */
  async onApplicationBootstrap(): Promise<void> {
    const { bus, config, log } = this;
    const instance = randomUUID();
    try {
      const documents = await openDocuments({ databaseUrl: config.databaseUrl, home: config.home, log });
      this.#opened.push(documents);
      // A bus in process has no other instance on it.
      const peers = config.busUrl.startsWith('memory:') ? undefined : await Peers.open(bus, instance, log);
      if (peers !== undefined) this.#opened.push(peers);
      const parts = { bus, config, log, instance, peers, documents };
      const running = new RunningServers((configured) => serveServer(configured, parts), log);
      const configuration = new Configuration({ bus, config, log, documents, running });
      this.#opened.push(running, configuration);
      await configuration.open();
      this.#opened.push(await serveAdmin({ bus, config, log, configuration }));
      // What closes first: from then on nothing new is taken, and the others take over what ends here.
      if (peers !== undefined) this.#opened.push({ close: async () => peers.leave() });
      const names = configuration.servers.filter(({ entry }) => entry.enabled).map(({ entry }) => entry.name);
      log.info('upstreams.serving', { servers: names });
    } catch (error) {
      await this.onApplicationShutdown();
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    // Nest tells nobody of what a hook rejects with.
    await closeInTurn(this.#opened.splice(0).reverse()).catch((error: unknown) =>
      this.log.error('upstreams.not-closed', { error }),
    );
  }
}
