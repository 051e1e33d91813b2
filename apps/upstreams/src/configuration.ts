import type { Bus, Subscription } from '@portico/bus';
import { Fault, serversChanged } from '@portico/contracts';
import type { Log } from '@portico/observe';
import type { Documents } from '@portico/storage';
import { builtinServers } from './builtin-servers.js';
import type { UpstreamsConfig } from './config.js';
import { EntryRefusal } from './entry-refusal.js';
import { FileServers } from './file-servers.js';
import { mergedServers } from './merged-servers.js';
import type { MergedServers } from './merged-servers.js';
import type { RunningServers } from './running-servers.js';
import { ServerStore } from './server-store.js';
import type { StoredServers } from './server-store.js';

export interface ConfigurationParts {
  readonly bus: Bus;
  readonly config: UpstreamsConfig;
  readonly log: Log;
  readonly documents: Documents;
  readonly running: RunningServers;
}

/** A store that could not be read is read again after so many milliseconds. */
const READ_AGAIN_MS = 2_000;
/** The start waits so long for the store, in milliseconds: servers of the file need not wait for it. */
const START_WAIT_MS = 1_000;

/** Which servers there are, from the file, the store and the built-in ones; what runs is kept to it. */
export class Configuration {
  readonly store: ServerStore;
  #file: FileServers | undefined;
  #stored: StoredServers | undefined;
  #lastReading = 0;
  #newestRead = 0;
  #merged: MergedServers = { servers: [], refused: [] };
  #listening: Subscription | undefined;
  #again: NodeJS.Timeout | undefined;
  /** Changes by API, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(private readonly parts: ConfigurationParts) {
    this.store = new ServerStore(parts.documents);
  }

  /** In order of name. */
  get servers(): MergedServers['servers'] {
    return this.#merged.servers;
  }

  get refused(): MergedServers['refused'] {
    return this.#merged.refused;
  }

  get fileError(): string | undefined {
    return this.#file?.error;
  }

  /** Throws a ServersFileError when the servers file can not be used; nothing is served then. */
  async open(): Promise<void> {
    const { bus, config, log } = this.parts;
    this.#file = new FileServers({ ...config.serversFile, log, changed: () => void this.#apply() });
    this.#listening = await bus.listen(serversChanged, () => void this.#readSoon());
    const read = this.#readSoon();
    const first = new Promise<void>((resolve) => setTimeout(resolve, START_WAIT_MS).unref());
    await Promise.race([read, first]);
    await this.#apply();
  }

  /** What the store has now, applied. Rejects when it can not be read. */
  async refresh(): Promise<void> {
    await this.#readStore();
    await this.#apply();
  }

  /**
   * Runs `change` on what the store has now, alone, and tells every instance; resolves when the outcome is served here. An
   * EntryRefusal that it throws changes nothing. Rejects with BACKEND_UNAVAILABLE when the store is out of reach.
   */
  change(change: () => Promise<void>): Promise<void> {
    const run = this.#turn.then(async () => {
      await this.#readStore().catch(outOfReach('no'));
      this.#merge();
      await change().catch((error: unknown) => {
        if (error instanceof EntryRefusal || error instanceof Fault) throw error;
        return outOfReach('unknown')(error);
      });
      this.parts.bus.tell(serversChanged, {});
      await this.#readStore().catch(outOfReach('yes'));
    });
    this.#turn = run.catch(() => undefined);
    return run.then(() => this.#apply());
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#again);
    this.#file?.close();
    await this.#listening?.close();
    await this.#turn;
  }

  async #readSoon(): Promise<void> {
    clearTimeout(this.#again);
    try {
      await this.refresh();
    } catch (error) {
      if (this.#closed) return;
      this.parts.log.warn('servers.store-not-read', { error });
      this.#again = setTimeout(() => void this.#readSoon(), READ_AGAIN_MS).unref();
    }
  }

  /** Readings overlap: one that began before another that has ended is out of date. */
  async #readStore(): Promise<void> {
    const reading = ++this.#lastReading;
    const stored = await this.store.read();
    if (reading < this.#newestRead) return;
    this.#newestRead = reading;
    this.#stored = stored;
  }

  #merge(): void {
    const { home, workspace } = this.parts.config;
    const own = this.#file?.servers ?? builtinServers(home, workspace);
    const before = new Set(this.#merged.refused.map(({ name, reason }) => `${name} ${reason}`));
    this.#merged = mergedServers(own, this.#stored, this.parts.config, workspace);
    for (const { name, reason } of this.#merged.refused)
      if (!before.has(`${name} ${reason}`)) this.parts.log.warn('servers.entry-refused', { server: name, reason });
  }

  async #apply(): Promise<void> {
    if (this.#closed) return;
    this.#merge();
    await this.parts.running.apply(this.#merged.servers);
  }
}

const outOfReach =
  (executed: 'no' | 'unknown' | 'yes') =>
  (cause: unknown): never => {
    throw new Fault('BACKEND_UNAVAILABLE', 'The store of the saved servers is out of reach.', { executed, cause });
  };
