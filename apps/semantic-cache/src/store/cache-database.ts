import { Fault } from '@portico/contracts';
import type { Log } from '@portico/observe';
import { StorageError, migrate, openDatabase } from '@portico/storage';
import type { Database } from '@portico/storage';
import { LookUpTurns } from '../look-up-turns.js';
import { CrowdedStructures } from './crowded-structures.js';
import { migrations } from './migrations.js';

export interface OpenedStore {
  readonly database: Database;
  /** The same, for statements that take minutes; embedded there is one connection for all. */
  readonly upkeep: Database;
  readonly structures: CrowdedStructures;
  /** Of those who look up; who stores and drops waits for a connection alone. */
  readonly turns: LookUpTurns;
}

/** Look-ups that the database works at: more on two cores are slower, each and together. */
const LOOK_UPS = 6;
const MOST_WAITING = 120;

const RETRY_MS = 5_000;
const LOOK_UP_MS = 5_000;
const UPKEEP_MS = 600_000;

/** The database of the cache, opened and migrated when it is first needed. */
export class CacheDatabase {
  private opened: OpenedStore | undefined;
  private opening: Promise<OpenedStore> | undefined;
  private retryAt = 0;
  private failure: Error | undefined;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly log: Log,
  ) {}

  /** It, or nothing while it starts, which this begins. Throws a StorageError while it can not be opened. */
  ready(): OpenedStore | undefined {
    if (this.opened) return this.opened;
    this.open().catch(() => {});
    if (this.failure !== undefined) throw this.failure;
    return undefined;
  }

  /** It, once it is there. Rejects with a StorageError when it can not be opened; that is tried again every 5 s at most. */
  async open(): Promise<OpenedStore> {
    if (this.opened) return this.opened;
    if (this.closed) throw new StorageError('closed', 'The response cache is closed.');
    if (this.opening === undefined && this.failure !== undefined && performance.now() < this.retryAt)
      throw this.failure;
    this.opening ??= this.start().finally(() => (this.opening = undefined));
    return this.opening;
  }

  /** What is open, without opening it. */
  get current(): OpenedStore | undefined {
    return this.opened;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.opening?.catch(() => {});
    const { database, upkeep, structures } = this.opened ?? {};
    this.opened = undefined;
    await structures?.idle();
    if (upkeep !== database) await upkeep?.close();
    await database?.close();
  }

  private async start(): Promise<OpenedStore> {
    const { url, log } = this;
    const open = (name: string, statementTimeoutMs: number, maxConnections: number): Promise<Database> =>
      openDatabase(url, { log, name, statementTimeoutMs, maxConnections });
    const database = await open('semantic-cache', LOOK_UP_MS, 10);
    try {
      await migrate(database, migrations);
    } catch (error) {
      await database.close();
      const { message } = error as Error;
      if (this.failure === undefined) log.warn('cache.unavailable', { reason: message });
      this.failure = new NotOpened(message);
      this.retryAt = performance.now() + RETRY_MS;
      throw this.failure;
    }
    const upkeep = database.embedded ? database : await open('semantic-cache-upkeep', UPKEEP_MS, 1);
    const failed = (error: unknown): void => log.warn('cache.index-failed', { reason: (error as Error).message });
    const structures = new CrowdedStructures(database, upkeep, failed);
    const turns = new LookUpTurns(database.embedded ? 1 : LOOK_UPS, MOST_WAITING);
    this.opened = { database, upkeep, structures, turns };
    this.failure = undefined;
    log.info('cache.opened', { embedded: database.embedded });
    return this.opened;
  }
}

/** The store can not be opened at present, which the log has said already. */
class NotOpened extends StorageError {
  constructor(message: string) {
    super('unavailable', message);
  }
}

/** What a store rejects with, as callers see it. */
export const asFault = (error: unknown): Fault => {
  if (!(error instanceof StorageError)) return Fault.from(error);
  return new Fault('BACKEND_UNAVAILABLE', 'The store of the response cache is not available.', {
    ...(!(error instanceof NotOpened) && { cause: error }),
    executed: error.executed,
  });
};
