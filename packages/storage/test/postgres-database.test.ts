import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { migrate, openDatabase } from '@portico/storage';
import type { Database } from '@portico/storage';
import { describeIfAvailable, startPostgresServer } from '@portico/testkit';
import type { PostgresServer } from '@portico/testkit';
import { describeDatabase, describeVectors } from './describe-database.js';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

describeIfAvailable('postgres', 'database on PostgreSQL', () => {
  describeDatabase('PostgreSQL', async () => {
    const server = await startPostgresServer();
    return { open: () => openDatabase(server.url), close: () => server.stop() };
  });

  describe('when PostgreSQL fails', () => {
    let server: PostgresServer;
    let told: string[];
    const note = (event: string, fields?: unknown): void => void told.push(`${event} ${JSON.stringify(fields)}`);
    const log = { info: note, warn: note, error: note };
    const using = async <T>(url: string, use: (database: Database) => Promise<T>, more: object = {}): Promise<T> => {
      const database = await openDatabase(url, { log, ...more });
      return use(database).finally(() => database.close());
    };

    beforeAll(async () => {
      server = await startPostgresServer({ settings: { max_connections: '12' } });
    }, 60_000);
    beforeEach(() => {
      told = [];
    });
    afterEach(() => server.thaw());
    afterAll(() => server?.stop());

    it('connects at the first statement, under its name, with the limits of its own', () =>
      using(
        server.url,
        async (database) => {
          const sql = `SELECT current_setting('application_name') AS name, current_setting('statement_timeout') AS statement,
            current_setting('idle_in_transaction_session_timeout') AS idle`;
          expect((await database.query(sql)).rows).toEqual([{ name: 'response-cache', statement: '7s', idle: '1min' }]);
        },
        { name: 'response-cache', statementTimeoutMs: 7_000 },
      ));

    it('has at most the connections that it was given', () =>
      using(
        server.url,
        async (database) => {
          const pids = await Promise.all(
            Array.from({ length: 20 }, () => database.query('SELECT pg_backend_pid() AS pid, pg_sleep(0.01)')),
          );
          expect(new Set(pids.map(({ rows }) => rows[0]!['pid'])).size).toBeLessThanOrEqual(3);
        },
        { maxConnections: 3 },
      ));

    it('the server stops a statement at its limit, and the connection goes on', () =>
      using(
        server.url,
        async (database) => {
          const pid = async (): Promise<unknown> =>
            (await database.query('SELECT pg_backend_pid() AS pid')).rows[0]!['pid'];
          const before = await pid();
          await expect(database.query('SELECT pg_sleep(20)')).rejects.toMatchObject({
            code: 'timeout',
            executed: 'no',
          });
          expect(await pid()).toBe(before);
        },
        { statementTimeoutMs: 200, maxConnections: 1 },
      ));

    it('a statement on its way when the server dies may have been done; the next ones say that it is away, and then it is back', () =>
      using(server.url, async (database) => {
        await database.query('SELECT 1');
        const running = database.query('SELECT pg_sleep(20)');
        const transaction = database.transaction(async (queries) => {
          await queries.query('SELECT 1');
          await queries.query('SELECT pg_sleep(20)');
        });
        await delay(100);
        const settled = Promise.allSettled([running, transaction]);
        await server.kill();
        for (const one of await settled) {
          expect(one).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', executed: 'unknown' } });
        }
        const away = { code: 'unavailable', executed: 'no' };
        await expect(database.query('SELECT 1')).rejects.toMatchObject(away);
        await expect(database.transaction(async () => 1)).rejects.toMatchObject(away);
        await server.restart();
        expect((await database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
        expect(told.map((line) => line.split(' {')[0])).toEqual(['database.unreachable', 'database.connected']);
      }));

    it('connections that lie idle when the server restarts are told of, and replaced', () =>
      using(server.url, async (database) => {
        await Promise.all([1, 2, 3].map(() => database.query('SELECT pg_sleep(0.05)')));
        await server.restart();
        for (let n = 0; told.length === 0 && n < 100; n += 1) await delay(20);
        expect(told[0]).toContain('database.connection-lost');
        expect((await database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      }));

    it('a backend that is terminated takes its statement with it and no other', () =>
      using(server.url, async (database) => {
        const victim = database.transaction(async (queries) => {
          const { rows } = await queries.query('SELECT pg_backend_pid() AS pid');
          await database.query('SELECT pg_terminate_backend($1)', [rows[0]!['pid']]);
          await queries.query('SELECT 1');
        });
        await expect(victim).rejects.toMatchObject({ code: 'unavailable', executed: 'unknown' });
        expect((await database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      }));

    it(
      'waits a bounded time for a server that is silent',
      () =>
        using(server.url, async (database) => {
          await database.query('SELECT 1');
          server.freeze();
          const began = performance.now();
          const asked = database.query('SELECT 1', [], { timeoutMs: 300 });
          await expect(asked).rejects.toMatchObject({ code: 'timeout', executed: 'unknown' });
          await expect(database.query('SELECT 1')).rejects.toMatchObject({ code: 'unavailable', executed: 'no' });
          expect(performance.now() - began).toBeLessThan(30_000);
          server.thaw();
          expect((await database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
        }),
      60_000,
    );

    it('says that the server has no more connections to give', async () => {
      const holding = await openDatabase(server.url, { log, maxConnections: 12 });
      const held = Promise.allSettled(Array.from({ length: 12 }, () => holding.query('SELECT pg_sleep(3)')));
      await delay(1_000);
      await using(server.url, (database) =>
        expect(database.query('SELECT 1')).rejects.toMatchObject({ code: 'unavailable', sqlState: '53300' }),
      );
      await held;
      await holding.close();
    }, 60_000);

    it('of two transactions that can not both be, one is a conflict, and may be tried again', () =>
      using(server.url, async (database) => {
        await database.query('CREATE TABLE accounts (n int); INSERT INTO accounts VALUES (0)');
        let reading = 2;
        let go: (() => void) | undefined;
        const bothHaveRead = new Promise<void>((resolve) => (go = resolve));
        const add = (): Promise<void> =>
          database.transaction(async (queries) => {
            await queries.query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
            await queries.query('SELECT n FROM accounts');
            if (--reading === 0) go!();
            await bothHaveRead;
            await queries.query('UPDATE accounts SET n = n + 1');
          });
        const settled = await Promise.allSettled([add(), add()]);
        expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        const lost = settled.find(({ status }) => status === 'rejected');
        expect(lost).toMatchObject({ reason: { code: 'conflict', sqlState: '40001', executed: 'no' } });
      }));

    it('migrations of processes that start at once happen once', async () => {
      const all = await Promise.all(
        Array.from({ length: 4 }, () => openDatabase(server.url, { log, maxConnections: 2 })),
      );
      const steps = [{ name: 'slow', sql: 'SELECT pg_sleep(0.3); CREATE TABLE made_once (n int)' }];
      await Promise.all(all.map((database) => migrate(database, { of: 'at once', steps })));
      await Promise.all(all.map((database) => database.close()));
    });

    it('shows no password, user, address or value, in errors or in the log', async () => {
      const wrong = new URL(server.url);
      wrong.password = 'hush-hush';
      const nobody = new URL(server.url);
      nobody.username = 'secret-user';
      const nowhere = new URL(server.url);
      nowhere.port = '1';
      const absent = new URL(server.url);
      absent.pathname = '/secret-database';
      const shown: string[] = [];
      for (const url of [wrong, nobody, nowhere, absent]) {
        const error = await using(url.href, (database) => database.query('SELECT $1::text', ['secret-value'])).catch(
          (thrown: Error) => thrown,
        );
        expect(error).toMatchObject({ name: 'StorageError', code: 'unavailable' });
        shown.push(
          String(error),
          JSON.stringify(
            error,
            Object.getOwnPropertyNames(error).filter((name) => name !== 'stack'),
          ),
        );
      }
      const all = [...shown, ...told].join('\n');
      expect(all).toContain('DATABASE_URL');
      expect(all).not.toMatch(/hush|secret|127\.0\.0\.1/);
      expect(all).not.toContain(server.password);
    });

    it('asks for TLS when its address does, and never falls back', async () => {
      const error = await using(`${server.url}?sslmode=verify-full`, (database) => database.query('SELECT 1')).catch(
        (thrown: Error) => thrown,
      );
      expect(error).toMatchObject({ code: 'unavailable', executed: 'no' });
      expect((await using(`${server.url}?sslmode=disable`, (database) => database.query('SELECT 1'))).count).toBe(1);
    });

    it('a certificate that can not be read is told at once, by the name of the setting', async () => {
      const opened = openDatabase(`${server.url}?sslmode=verify-full&sslrootcert=/no/such/secret.pem`, { log: quiet });
      const error: unknown = await opened.catch((thrown: unknown) => thrown);
      expect(String(error)).toMatch(/^StorageError: DATABASE_URL takes .* \(ENOENT\)\.$/);
      expect(String(error)).not.toContain('secret');
    });
  });
});

describeIfAvailable('pgvector', 'database on PostgreSQL with pgvector', () => {
  describeVectors('PostgreSQL with pgvector', async () => {
    const server = await startPostgresServer({ vectors: true });
    return { open: () => openDatabase(server.url), close: () => server.stop() };
  });
});

describe('DATABASE_URL', () => {
  it.each([
    '',
    'memory:',
    'pglite:',
    'mysql://u:hush@h/d',
    'postgres:hush',
    'u:hush@h/d',
    'postgres://u:hush@h:notaport/d',
  ])('refuses %j in a sentence without it', async (url) => {
    const error: unknown = await openDatabase(url).then(
      (database) => database.close(),
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'rejected' });
    expect(String(error)).toContain('DATABASE_URL takes');
    expect(String(error)).not.toContain('hush');
  });
});
