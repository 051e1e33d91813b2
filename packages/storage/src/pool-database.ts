import { Pool } from 'pg';
import type { PoolClient, PoolConfig } from 'pg';
import { Connection } from './connection.js';
import type { Database, Queries, QueryOptions, QueryResult, Row, TransactionOptions } from './database.js';
import { ofPostgres } from './postgres-error.js';
import { StorageError } from './storage-error.js';
import type { StorageLog } from './storage-log.js';
import { Transaction } from './transaction.js';
import { untilAborted } from './until-aborted.js';

const DRAIN_MS = 5_000;
const TRANSACTION_MS = 60_000;

export interface PoolDatabaseOptions {
  readonly pool: PoolConfig;
  readonly embedded: boolean;
  readonly log: StorageLog;
  /** Waits for what the connections leave behind. */
  readonly ended?: () => Promise<unknown>;
}

/** A database over a pool of connections of `pg`, whatever carries them. */
export class PoolDatabase implements Database {
  readonly embedded: boolean;
  private readonly pool: Pool;
  private readonly clients = new Set<PoolClient>();
  private readonly log: StorageLog;
  private readonly ended: () => Promise<unknown>;
  private reachable = true;
  private running = 0;
  private idle: () => void = () => {};
  private closing: Promise<void> | undefined;

  constructor({ pool, embedded, log, ended = async () => {} }: PoolDatabaseOptions) {
    this.embedded = embedded;
    this.log = log;
    this.ended = ended;
    this.pool = new Pool(pool);
    this.pool.on('connect', (client) => {
      this.clients.add(client);
      // A connection that breaks while somebody holds it says so to whoever asks it; unheard, this event would end the process.
      client.on('error', () => {});
    });
    this.pool.on('remove', (client) => this.clients.delete(client));
    this.pool.on('error', (error) => this.tell('database.connection-lost', error));
  }

  async query<R extends Row = Row>(
    sql: string,
    params?: readonly unknown[],
    { signal, timeoutMs }: QueryOptions = {},
  ): Promise<QueryResult<R>> {
    return untilAborted(
      this.withConnection((connection) => connection.ask<R>(sql, params, timeoutMs), signal),
      signal,
    );
  }

  async transaction<T>(
    work: (queries: Queries) => Promise<T>,
    { signal, limitMs = TRANSACTION_MS }: TransactionOptions = {},
  ): Promise<T> {
    return untilAborted(
      this.withConnection((connection) => new Transaction(connection).run(work, limitMs), signal),
      signal,
    );
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async withConnection<T>(
    work: (connection: Connection) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    if (this.closing) throw new StorageError('closed', 'The database is closed.');
    signal?.throwIfAborted();
    this.running += 1;
    try {
      const connection = new Connection(await this.connect());
      try {
        signal?.throwIfAborted();
        return await work(connection);
      } finally {
        connection.release();
      }
    } finally {
      this.running -= 1;
      if (this.running === 0) this.idle();
    }
  }

  private async connect(): Promise<PoolClient> {
    try {
      const client = await this.pool.connect();
      if (!this.reachable) this.log.info('database.connected', { setting: 'DATABASE_URL' });
      this.reachable = true;
      return client;
    } catch (error) {
      this.tell('database.unreachable', error);
      throw ofPostgres(error, false);
    }
  }

  /** Once, until it is back. */
  private tell(event: string, error: unknown): void {
    if (!this.reachable || this.closing) return;
    this.reachable = false;
    const known = ofPostgres(error, false);
    const reason = known instanceof StorageError ? known.message : (error as Error).name;
    this.log.warn(event, { setting: 'DATABASE_URL', reason });
  }

  private async end(): Promise<void> {
    // The pool's own end would leave those waiting who have no connection yet.
    const drained = new Promise<void>((resolve) => (this.idle = resolve));
    if (this.running === 0) this.idle();
    const late = setTimeout(() => {
      for (const client of this.clients) void Promise.resolve(client.end()).catch(() => {});
      this.idle();
    }, DRAIN_MS);
    await drained;
    clearTimeout(late);
    await this.pool.end();
    await this.ended();
  }
}
