import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Bus } from '@portico/bus';
import { serveSource } from '@portico/domain-kit';
import { HeldSession } from '@portico/mcp-session';
import type { Log } from '@portico/observe';
import { builtinServers } from './builtin-servers.js';
import type { UpstreamsConfig } from './config.js';
import { connectTarget } from './connect-target.js';
import type { ServerEntry } from './server-entry.js';
import { readServersFile } from './servers-file.js';
import { upstreamService } from './upstream-service.js';

const VERSION = '0.1.0';

/** Every configured MCP server as a source on the bus. Opening it starts none of them: each is connected when first used. */
export class Upstreams implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #instance = randomUUID();
  readonly #served: { close(): Promise<void> }[] = [];

  constructor(
    private readonly bus: Bus,
    private readonly config: UpstreamsConfig,
    private readonly log: Log,
  ) {}

  /** Throws a ServersFileError when the servers file can not be used; nothing is served then. */
  async onApplicationBootstrap(): Promise<void> {
    const { serversFile, home } = this.config;
    const entries = serversFile === undefined ? builtinServers(home) : readServersFile(serversFile);
    try {
      for (const entry of entries.filter(({ enabled }) => enabled)) this.#served.push(await this.#serve(entry));
    } catch (error) {
      await this.onApplicationShutdown();
      throw error;
    }
    this.log.info('upstreams.serving', { servers: entries.filter(({ enabled }) => enabled).map(({ name }) => name) });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.#served.splice(0).map((served) => served.close()));
  }

  async #serve(entry: ServerEntry): Promise<{ close(): Promise<void> }> {
    const { config, bus } = this;
    const log = this.log.child({ server: entry.name });
    const folder = config.serversFile === undefined ? config.workspace : dirname(config.serversFile);
    const session = new HeldSession(() => connectTarget(entry, { ...config, folder }, log), {
      name: entry.name,
      clientInfo: { name: 'portico', version: VERSION },
      connectTimeoutMs: entry.connectTimeoutMs,
      answerLimitBytes: config.answerLimitBytes,
      log: this.log,
    });
    const service = upstreamService(entry, session, { version: VERSION, callTimeoutMs: config.callTimeoutMs });
    const source = await serveSource(bus, service, { instance: this.#instance, log });
    session.onChanged(() => source.changed());
    session.onResourceUpdated((uri) => source.resourceUpdated(uri));
    return {
      close: async () => {
        await source.close();
        await session.close();
      },
    };
  }
}
