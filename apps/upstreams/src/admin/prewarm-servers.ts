import type { AdminParts } from './admin-parts.js';
import { inTurn } from './in-turn.js';
import { statusOf } from './server-state.js';

const AT_ONCE = 4;
const BESIDES_MS = 5_000;

/** Connects every enabled server, 4 at a time, while nobody waits for it. */
export class Prewarming {
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;

  constructor(private readonly parts: AdminParts) {}

  /** Begins, unless it is at it already. */
  start(): void {
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { bus, configuration, log } = this.parts;
    const servers = configuration.servers.filter(({ entry }) => entry.enabled);
    await inTurn(servers, AT_ONCE, async ({ entry: { name, connectTimeoutMs } }) => {
      if (this.#ending.signal.aborted) return;
      await statusOf(bus, name, 'connect', connectTimeoutMs + BESIDES_MS, this.#ending.signal);
    });
    log.info('upstreams.prewarmed', { servers: servers.length });
  }
}
