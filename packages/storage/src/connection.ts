import type { PoolClient, QueryConfig, QueryResult as Answer } from 'pg';
import type { QueryOptions, QueryResult, Row } from './database.js';
import { ofPostgres } from './postgres-error.js';
import { StorageError } from './storage-error.js';

/** One connection while somebody holds it; one statement at a time. */
export class Connection {
  private lost = false;

  constructor(private readonly client: PoolClient) {}

  /** Rejects with a StorageError. */
  async ask<R extends Row>(
    sql: string,
    params?: readonly unknown[],
    timeoutMs?: QueryOptions['timeoutMs'],
  ): Promise<QueryResult<R> & { readonly command: string }> {
    const config: QueryConfig & { query_timeout?: number } = { text: sql };
    if (params && params.length > 0) config.values = [...params];
    if (timeoutMs !== undefined) config.query_timeout = Math.max(1, Math.ceil(timeoutMs));
    try {
      const answers = [await this.client.query<R>(config)].flat() as Answer<R>[];
      const { rows = [], rowCount = 0, command = '' } = answers.at(-1) ?? {};
      return { rows, count: rowCount ?? 0, command };
    } catch (error) {
      const known = ofPostgres(error, true);
      if (known instanceof StorageError && known.executed === 'unknown') this.lost = true;
      throw known;
    }
  }

  /** What is on its way is not waited for: the connection is not used again, which undoes what was not committed. */
  abandon(): void {
    this.lost = true;
  }

  release(): void {
    this.client.release(this.lost);
  }
}
