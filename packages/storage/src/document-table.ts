import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './database.js';
import { checkNames, documentText, inOrder } from './document-text.js';
import type { Documents, Json } from './documents.js';
import { migrate } from './migrate.js';
import type { Migrations } from './migrate.js';
import { Turns } from './turns.js';

/** `json` and not `jsonb`, which refuses \u0000 and half surrogates and sorts keys: a document comes back as it went in. */
export const MIGRATIONS: Migrations = {
  of: 'documents',
  steps: [
    {
      name: 'table',
      sql: `CREATE TABLE documents (
              collection text NOT NULL, id text NOT NULL, value json NOT NULL,
              updated_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (collection, id))`,
    },
  ],
};

/** A document is small: a server that takes longer hangs, and who asked has a deadline of its own. */
const STATEMENT_MS = 5_000;
/** What is still being written at the end may take so long. */
const DRAIN_MS = 5_000;

/** Documents as rows of one table of PostgreSQL, made at the first use. */
export class DocumentTable implements Documents {
  private readonly turns = new Turns();
  private migrated: Promise<void> | undefined;

  constructor(private readonly database: Database) {}

  async get(collection: string, id: string): Promise<Json | undefined> {
    checkNames(collection, id);
    const sql = 'SELECT value FROM documents WHERE collection = $1 AND id = $2';
    return (await this.query<{ value: Json }>(sql, [collection, id])).rows[0]?.value;
  }

  async put(collection: string, id: string, value: Json): Promise<void> {
    checkNames(collection, id);
    const text = documentText(value);
    const sql = `INSERT INTO documents (collection, id, value) VALUES ($1, $2, $3)
      ON CONFLICT (collection, id) DO UPDATE SET value = excluded.value, updated_at = now()`;
    await this.inTurn(collection, id, () => this.query(sql, [collection, id, text]));
  }

  async delete(collection: string, id: string): Promise<boolean> {
    checkNames(collection, id);
    const sql = 'DELETE FROM documents WHERE collection = $1 AND id = $2';
    return (await this.inTurn(collection, id, () => this.query(sql, [collection, id]))).count > 0;
  }

  async list(collection: string): Promise<readonly { readonly id: string; readonly value: Json }[]> {
    checkNames(collection);
    const sql = 'SELECT id, value FROM documents WHERE collection = $1';
    return inOrder([...(await this.query<{ id: string; value: Json }>(sql, [collection])).rows]);
  }

  async close(): Promise<void> {
    await Promise.race([this.turns.idle(), delay(DRAIN_MS, undefined, { ref: false })]);
    await this.database.close();
  }

  /** The pool would send what is asked at once on several connections, in any order. */
  private inTurn<T>(collection: string, id: string, work: () => Promise<T>): Promise<T> {
    return this.turns.take(JSON.stringify([collection, id]), work);
  }

  private async query<R extends Record<string, unknown>>(sql: string, params: readonly string[]) {
    this.migrated ??= migrate(this.database, MIGRATIONS);
    try {
      await this.migrated;
    } catch (error) {
      this.migrated = undefined;
      throw error;
    }
    return this.database.query<R>(sql, params, { timeoutMs: STATEMENT_MS });
  }
}
