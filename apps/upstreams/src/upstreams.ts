import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import { builtinServers } from './builtin-servers.js';
import type { UpstreamsConfig } from './config.js';
import { serveServer } from './served-server.js';
import type { ServedServer } from './served-server.js';
import { readServersFile } from './servers-file.js';

/** Every configured MCP server as a source on the bus. Opening it starts none of them: each is connected when first used. */
export class Upstreams implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #instance = randomUUID();
  readonly #served: ServedServer[] = [];

  constructor(
    private readonly bus: Bus,
    private readonly config: UpstreamsConfig,
    private readonly log: Log,
  ) {}

  /** Throws a ServersFileError when the servers file can not be used; nothing is served then. */
  async onApplicationBootstrap(): Promise<void> {
    const { bus, config, log } = this;
    const { serversFile, home } = config;
    const builtin = serversFile.optional && !existsSync(serversFile.path);
    const entries = builtin ? builtinServers(home) : readServersFile(serversFile.path);
    const source = builtin ? 'builtin' : 'file';
    const folder = builtin ? config.workspace : dirname(serversFile.path);
    const parts = { bus, config, log, instance: this.#instance };
    try {
      for (const entry of entries.filter(({ enabled }) => enabled))
        this.#served.push(await serveServer({ spelled: entry.name, source, folder, entry }, parts));
    } catch (error) {
      await this.onApplicationShutdown();
      throw error;
    }
    log.info('upstreams.serving', { servers: entries.filter(({ enabled }) => enabled).map(({ name }) => name) });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.#served.splice(0).map((served) => served.close()));
  }
}
