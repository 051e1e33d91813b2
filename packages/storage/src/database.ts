import type { StorageLog } from './storage-log.js';

export type Row = Record<string, unknown>;

export interface QueryResult<R extends Row = Row> {
  readonly rows: readonly R[];
  /** Rows that were returned or changed. */
  readonly count: number;
}

export interface QueryOptions {
  /** Stops the wait; the statement itself ends by itself or at its limit. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the answer: 35 000 unless given. Over it the connection is given up, and `executed` is `unknown`. */
  readonly timeoutMs?: number | undefined;
}

export interface Queries {
  /**
   * One statement with `$1`, `$2`, …; without parameters also several, of which the last one's rows come back. Types are
   * those of `pg`: bigint and numeric as text, json parsed, timestamps as Date. Rejects with a StorageError, or with the
   * reason of the signal.
   */
  query<R extends Row = Row>(sql: string, params?: readonly unknown[], options?: QueryOptions): Promise<QueryResult<R>>;
}

export interface TransactionOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for all of it: 60 000 unless given. Over it everything is undone. */
  readonly limitMs?: number | undefined;
}

/** PostgreSQL at DATABASE_URL, on its own or embedded: the same types, the same errors. */
export interface Database extends Queries {
  /** In this process alone: one connection, no statement is stopped by the server, vectors are best scanned exactly. */
  readonly embedded: boolean;
  /**
   * All of it or nothing. `work` uses what it is given and never the database itself, which, embedded, would wait for it.
   * What `work` throws is thrown on.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Takes nothing new, lets what runs finish (5 s), then ends every connection. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly log?: StorageLog | undefined;
  /** As the server's operators see it (`application_name`). */
  readonly name?: string | undefined;
  /** 10 unless given; embedded there is one. */
  readonly maxConnections?: number | undefined;
  /** Milliseconds that the server lets a statement run: 30 000 unless given. */
  readonly statementTimeoutMs?: number | undefined;
}
