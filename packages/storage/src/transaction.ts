import type { Connection } from './connection.js';
import type { Queries, QueryOptions, QueryResult, Row } from './database.js';
import { StorageError } from './storage-error.js';
import { Turns } from './turns.js';
import { untilAborted } from './until-aborted.js';

/** One transaction on one connection: what is asked through it is asked one after another, and after its end not at all. */
export class Transaction implements Queries {
  private readonly turns = new Turns();
  private state: 'open' | 'committing' | 'over' = 'open';

  constructor(private readonly connection: Connection) {}

  /** Rejects with `timeout` after `limitMs`; the connection is then abandoned, which undoes everything. */
  async run<T>(work: (queries: Queries) => Promise<T>, limitMs: number): Promise<T> {
    await this.connection.ask('BEGIN');
    let limit: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      limit = setTimeout(() => {
        const executed = this.state === 'committing' ? 'unknown' : 'no';
        this.state = 'over';
        this.connection.abandon();
        reject(new StorageError('timeout', `A transaction took more than ${limitMs} ms.`, { executed }));
      }, limitMs);
    });
    try {
      return await Promise.race([this.toTheEnd(work), late]);
    } finally {
      clearTimeout(limit);
      this.state = 'over';
    }
  }

  async query<R extends Row = Row>(
    sql: string,
    params?: readonly unknown[],
    { signal, timeoutMs }: QueryOptions = {},
  ): Promise<QueryResult<R>> {
    const turn = this.turns.take('', async () => {
      if (this.state !== 'open') throw new StorageError('closed', 'The transaction is over.');
      signal?.throwIfAborted();
      return this.connection.ask<R>(sql, params, timeoutMs);
    });
    return untilAborted(turn, signal);
  }

  private async toTheEnd<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    let value: T;
    try {
      value = await work(this);
    } catch (error) {
      await this.undo();
      throw error;
    }
    await this.turns.idle();
    if (this.state !== 'open') return value;
    this.state = 'committing';
    const { command } = await this.connection.ask('COMMIT');
    // When a statement had failed and its error was swallowed, the answer to COMMIT is ROLLBACK, and no error.
    if (command === 'COMMIT') return value;
    throw new StorageError('rejected', 'A statement of the transaction had failed: all of it was undone.');
  }

  private async undo(): Promise<void> {
    await this.turns.idle();
    if (this.state !== 'open') return;
    this.state = 'over';
    await this.connection.ask('ROLLBACK').catch(() => this.connection.abandon());
  }
}
