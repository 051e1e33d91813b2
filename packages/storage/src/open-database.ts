import { resolve } from 'node:path';
import type { ClientConfig, PoolConfig } from 'pg';
import { AddressFile } from './address-file.js';
import type { Database, DatabaseOptions } from './database.js';
import { StorageError } from './storage-error.js';
import { stderrLog } from './storage-log.js';

const CONNECT_MS = 5_000;
/** PGlite's first start takes 4 to 10 s, more on a busy machine; who asks meanwhile waits in line. */
const START_MS = 90_000;
const STATEMENT_MS = 30_000;
/** Longer than the server's own limit, so that its answer, which leaves the connection usable, is the first. */
const ANSWER_MS = 5_000;

/**
 * The database at DATABASE_URL: `postgres://…` (`?sslmode=verify-full&sslrootcert=file` for TLS), `file:<path>` of such an address, `pglite:<folder>`, or `pglite:memory:` for tests. Nothing is connected or
 * started before the first statement. Rejects at once for an address that is none, without showing it.
 */
export const openDatabase = async (given: string, options: DatabaseOptions = {}): Promise<Database> => {
  const file = new AddressFile(given);
  const url = addressIn(file);
  const { log = stderrLog, name = 'portico', maxConnections = 10, statementTimeoutMs = STATEMENT_MS } = options;
  const usual: PoolConfig = {
    application_name: name,
    query_timeout: statementTimeoutMs + ANSWER_MS,
    keepAlive: true,
  };
  const place = /^pglite:(.+)$/.exec(url)?.[1];
  if (place !== undefined) {
    return embedded({ ...usual, max: 1 }, place === 'memory:' ? undefined : resolve(place), log);
  }
  if (!/^postgres(ql)?:\/\//.test(url)) throw refused();
  const pool: PoolConfig = {
    ...usual,
    max: maxConnections,
    maxLifetimeSeconds: 600,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 60_000,
  };
  const { Client } = await import('pg');
  try {
    // Reads the address, and the certificates that it names.
    new Client({ ...pool, connectionString: url });
  } catch (error) {
    throw refused((error as NodeJS.ErrnoException).code);
  }
  const { PoolDatabase } = await import('./pool-database.js');
  /** Each connection is made with the address as it is then; none lasts longer than the pool lets it. */
  class PresentClient extends Client {
    constructor(config?: ClientConfig) {
      super({ ...config, connectionString: file.read() });
    }
  }
  const Present = PresentClient as NonNullable<PoolConfig['Client']>;
  return new PoolDatabase({ pool: { ...pool, Client: Present }, embedded: false, log });
};

const embedded = async (
  usual: PoolConfig,
  folder: string | undefined,
  log: NonNullable<DatabaseOptions['log']>,
): Promise<Database> => {
  const [{ PoolDatabase }, { PgliteConnection }] = await Promise.all([
    import('./pool-database.js'),
    import('./pglite-connection.js'),
  ]);
  const running = new Set<Promise<void>>();
  const stream = (): InstanceType<typeof PgliteConnection> => {
    const connection = new PgliteConnection({ folder, log, after: Promise.all(running) });
    running.add(connection.gone);
    void connection.gone.then(() => running.delete(connection.gone));
    return connection;
  };
  const pool = {
    ...usual,
    stream,
    user: 'postgres',
    database: 'postgres',
    password: '',
    ssl: false,
    connectionTimeoutMillis: START_MS,
    // A connection is the database itself: it stays.
    idleTimeoutMillis: 0,
  } as unknown as PoolConfig;
  const ended = (): Promise<unknown> => Promise.all(running);
  return new PoolDatabase({ pool, embedded: true, log, ended });
};

const addressIn = (file: AddressFile): string => {
  try {
    return file.read();
  } catch (error) {
    throw refused((error as NodeJS.ErrnoException).code);
  }
};

const refused = (reason?: string): StorageError =>
  new StorageError(
    'rejected',
    `DATABASE_URL takes postgres://user:password@host:port/database or pglite:<folder>${reason ? ` (${reason})` : ''}.`,
  );
