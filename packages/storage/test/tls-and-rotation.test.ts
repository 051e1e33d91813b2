import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDatabase, openSharedState } from '@portico/storage';
import {
  type Certificates,
  type PostgresServer,
  type RedisServer,
  describeIfAvailable,
  makeCertificates,
  startPostgresServer,
  startRedisServer,
} from '@portico/testkit';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const write = (file: string, address: string): void => {
  writeFileSync(`${file}.new`, `${address}\n`);
  renameSync(`${file}.new`, file);
};

describeIfAvailable('redis-server', '[OP-6] Redis by TLS, signed in by a file', () => {
  let certificates: Certificates;
  let redis: RedisServer;
  let file: string;
  let address: (password: string, ca?: string) => string;

  beforeAll(async () => {
    certificates = makeCertificates();
    file = join(certificates.folder, 'redis-url');
    redis = await startRedisServer({
      password: 'one',
      tls: { cert: certificates.cert, key: certificates.key, ca: certificates.ca },
    });
    address = (password, ca = certificates.ca) => `rediss://:${password}@127.0.0.1:${redis.port}?ca=${ca}`;
  });
  afterAll(async () => {
    await redis.stop();
    certificates.remove();
  });

  it('speaks to the server that the CA has signed, and to no other', async () => {
    const reasons: unknown[] = [];
    const warn = (_event: string, fields?: Record<string, unknown>): void => void reasons.push(fields?.['reason']);
    const other = await openSharedState(address('one', certificates.otherCa), { log: { ...log, warn } });
    await expect(other.get('a')).rejects.toMatchObject({ code: 'unavailable' });
    await other.close();
    expect(reasons[0]).toMatch(/CERT|SIGNATURE/);
    await expect(openSharedState(address('one', '/nowhere'), { log })).rejects.toThrow(
      'REDIS_URL names a CA file that can not be read (ENOENT).',
    );
  });

  it('signs in anew, on the connection that it has and on the next one, when its file changes', async () => {
    write(file, address('one'));
    const state = await openSharedState(`file:${file}`, { log });
    try {
      await state.set('a', 'b', { ttlMs: 60_000 } as never);
      const failed: unknown[] = [];
      let asking = true;
      const caller = (async () => {
        while (asking) {
          await state.get('a').catch((error: unknown) => failed.push(error));
          await delay(5);
        }
      })();
      await redis.command('CONFIG', 'SET', 'requirepass', 'two');
      write(file, address('two'));
      await delay(2_500);
      asking = false;
      await caller;
      expect(failed).toEqual([]);
      await redis.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await delay(1_000);
      await expect(state.get('a')).resolves.toBe('b');
    } finally {
      await state.close();
    }
  });
});

describeIfAvailable('postgres', '[OP-6] PostgreSQL by TLS, signed in by a file', () => {
  let certificates: Certificates;
  let postgres: PostgresServer;

  beforeAll(async () => {
    certificates = makeCertificates();
    postgres = await startPostgresServer({
      files: { 'server.crt': certificates.cert, 'server.key': certificates.key },
      settings: { ssl: 'on', ssl_cert_file: 'server.crt', ssl_key_file: 'server.key' },
    });
  });
  afterAll(async () => {
    await postgres.stop();
    certificates.remove();
  });

  it('speaks to the server that the CA has signed, and to no other, in one sentence', async () => {
    const addressWith = (ca: string) => `${postgres.url}?sslmode=verify-full&sslrootcert=${ca}`;
    const database = await openDatabase(addressWith(certificates.ca), { log });
    const used = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    expect((await database.query(used)).rows).toEqual([{ ssl: true }]);
    await database.close();
    const other = await openDatabase(addressWith(certificates.otherCa), { log });
    await expect(other.query('SELECT 1')).rejects.toThrow(
      /^The certificate of PostgreSQL at DATABASE_URL is not trusted by the CA that it names \([A-Z_]+\)\.$/,
    );
    await other.close();
  });

  it('makes each connection with the password that its file has then, while others go on', async () => {
    const file = join(certificates.folder, 'database-url');
    const address = (url: string) => `${url}?sslmode=verify-full&sslrootcert=${certificates.ca}`;
    write(file, address(postgres.url));
    const database = await openDatabase(`file:${file}`, { log });
    try {
      const running = database.query('SELECT pg_sleep(2), 1 AS one');
      await delay(500);
      const admin = await openDatabase(address(postgres.url), { log });
      await admin.query("ALTER USER portico PASSWORD 'another'");
      await admin.close();
      write(file, address(postgres.url.replace(postgres.password, 'another')));
      const others = Array.from({ length: 5 }, () => database.query('SELECT 1'));
      await expect(Promise.all([running, ...others])).resolves.toHaveLength(6);
    } finally {
      await database.close();
    }
  });
});
