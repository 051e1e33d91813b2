import { createHash } from 'node:crypto';
import type { Database, Queries } from './database.js';
import { StorageError } from './storage-error.js';

export interface Migrations {
  /** Whose tables these are: each owner's steps are counted apart. */
  readonly of: string;
  /** In order. A step that has been released never changes; what follows from it is a further step. */
  readonly steps: readonly { readonly name: string; readonly sql: string }[];
}

/** Any number, as long as every version takes the same. */
const LOCK = 7_067_842;
const LIMIT_MS = 600_000;

/**
 * Brings an owner's tables to where its code expects them: every step once, in order, forward only, all in one transaction.
 * Processes that start at once wait for each other. Steps of a newer version are let be, so that an older replica still
 * starts while the newer ones are rolled out. Rejects with `rejected` when a step differs from the one that was done.
 */
export const migrate = (database: Database, { of, steps }: Migrations): Promise<void> =>
  database.transaction(
    async (queries) => {
      await queries.query(`SET LOCAL statement_timeout = ${LIMIT_MS}`);
      await queries.query('SELECT pg_advisory_xact_lock($1)', [LOCK], { timeoutMs: LIMIT_MS });
      await queries.query(
        `CREATE TABLE IF NOT EXISTS migrations (
           of text NOT NULL, place int NOT NULL, name text NOT NULL, hash text NOT NULL,
           done_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (of, place))`,
      );
      const done = await stepsDone(queries, of);
      for (const [place, { name, sql }] of steps.entries()) {
        const hash = createHash('sha256').update(sql).digest('hex');
        const before = done[place];
        if (before) {
          if (before.name === name && before.hash === hash) continue;
          throw new StorageError('rejected', `Migration ${of}/${name} is not the one that this database has had.`);
        }
        await queries.query(sql, [], { timeoutMs: LIMIT_MS });
        await queries.query('INSERT INTO migrations (of, place, name, hash) VALUES ($1, $2, $3, $4)', [
          of,
          place,
          name,
          hash,
        ]);
      }
    },
    { limitMs: LIMIT_MS },
  );

const stepsDone = async (queries: Queries, of: string) => {
  const sql = 'SELECT name, hash FROM migrations WHERE of = $1 ORDER BY place';
  return (await queries.query<{ name: string; hash: string }>(sql, [of])).rows;
};
