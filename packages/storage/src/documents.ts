import type { StorageLog } from './storage-log.js';

/** A JSON value, as it comes back from any store. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Few and small JSON documents, by collection and id: server entries, last known catalogues, era verdicts. Files under
 * PORTICO_HOME while the database is embedded, a table of PostgreSQL otherwise. A write is whole or did not happen, also
 * when the process dies in the middle of it. Writes of one id happen in the order in which they were asked for.
 * Names are 1 to 512 characters of well-formed text without NUL; a document is at most 32 MiB of JSON.
 */
export interface Documents {
  get(collection: string, id: string): Promise<Json | undefined>;
  put(collection: string, id: string, value: Json): Promise<void>;
  /** Whether there was one. */
  delete(collection: string, id: string): Promise<boolean>;
  /** By id, in the order of UTF-16 code units. */
  list(collection: string): Promise<readonly { readonly id: string; readonly value: Json }[]>;
  /** Waits for the writes that were asked for, but for 5 s at most where the store does not answer. */
  close(): Promise<void>;
}

export interface DocumentsOptions {
  /** `pglite:…` (documents are then files under `home`) or `postgres://…`. */
  readonly databaseUrl: string;
  readonly home: string;
  readonly log?: StorageLog | undefined;
}
