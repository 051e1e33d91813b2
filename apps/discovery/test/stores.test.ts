import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { describeIfAvailable, startPostgresServer, startRedisServer } from '@portico/testkit';
import type { PostgresServer } from '@portico/testkit';
import { Room } from './room.js';
import { catalogueOf, eventually, hang } from './sources.js';

let room: Room;
beforeEach(async () => {
  room = await Room.open();
});
afterEach(() => room.close());

/** Each of them asked by name, which learns and writes what it publishes. */
const learn = async (sources: number): Promise<void> => {
  for (let n = 0; n < sources; n++) expect(await room.tools(`upstream.s${n}`)).toEqual([`tool-${n}`]);
};
const serve = async (sources: number): Promise<void> => {
  for (let n = 0; n < sources; n++) await room.source(`upstream.s${n}`, () => catalogueOf(`tool-${n}`));
};

describe('[DI-7] documents that can not be written', () => {
  const folder = (): string => join(room.home, 'documents', 'catalogues');

  it('cost nothing else, are told once, and are written when they can be', async () => {
    mkdirSync(join(room.home, 'documents'), { recursive: true });
    writeFileSync(folder(), 'a file where a folder belongs');
    await room.discover({ MCP_DISCOVERY_CACHE_TTL_SECS: '0', MCP_DISCOVERY_CACHE_MAX_ENTRIES: '2' });
    await serve(5);
    await learn(5);
    await learn(5);
    await eventually(() => expect(room.told('store.failed')).toHaveLength(1));
    expect(room.lines.join('')).not.toContain(room.home);
    expect(room.told('store.failed')[0]).toMatchObject({ level: 'warn', store: 'documents' });

    rmSync(folder());
    await learn(5);
    await eventually(() => expect(readdirSync(folder())).toHaveLength(5));
    await eventually(() => expect(room.told('store.works-again')).toHaveLength(1));
    expect(room.told('store.failed')).toHaveLength(1);
  });
});

describeIfAvailable('postgres', '[DI-7] documents in PostgreSQL', () => {
  let server: PostgresServer;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = await startPostgresServer();
  }, 60_000);
  afterAll(() => server?.stop());
  beforeEach(() => {
    env = { DATABASE_URL: server.url };
  });

  it('survive a restart', async () => {
    await serve(2);
    const first = await room.discover(env);
    await learn(2);
    await first.close();
    await room.discover({ ...env, PORTICO_HOME: join(room.home, 'another') });
    const states = (await room.summaries(false)).map(({ state }) => state);
    expect(states).toEqual(['stale', 'stale']);
  }, 30_000);

  it('of a server that dies cost nothing else, are told once, and are written when it is back', async () => {
    await serve(5);
    const first = await room.discover({ ...env, MCP_DISCOVERY_CACHE_TTL_SECS: '0' });
    await server.kill();
    const begun = performance.now();
    await learn(5);
    await learn(5);
    expect(performance.now() - begun).toBeLessThan(10_000);
    await eventually(() => expect(room.told('store.failed')).toHaveLength(1));
    await server.restart();
    await eventually(async () => {
      await learn(5);
      expect(room.told('store.works-again')).toHaveLength(1);
    });
    await first.close();
    expect(room.told('store.failed')).toHaveLength(1);
    await room.discover(env);
    expect((await room.summaries(false)).map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => 'stale'));
  }, 60_000);

  it('of a server that comes after discovery are taken up when it comes', async () => {
    const source = await room.source('upstream.late', () => catalogueOf('kept'));
    const first = await room.discover(env);
    await room.tools('upstream.late');
    await first.close();
    await server.kill();
    source.answer = hang;

    const begun = performance.now();
    await room.discover(env);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect((await room.summary('upstream.late', false))?.state).toBe('pending');
    await server.restart();
    await eventually(async () => expect((await room.summary('upstream.late', false))?.state).toBe('stale'));
    expect(await room.tools('upstream.late')).toEqual(['kept']);
    expect(room.told('store.failed')).toHaveLength(1);
  }, 60_000);

  it('of a server that hangs hold up neither the start nor the end', async () => {
    await serve(5);
    const first = await room.discover(env);
    server.freeze();
    try {
      await learn(5);
      const ending = performance.now();
      await first.close();
      expect(performance.now() - ending).toBeLessThan(20_000);
      const starting = performance.now();
      const second = await room.discover(env);
      expect(performance.now() - starting).toBeLessThan(10_000);
      await learn(5);
      await second.close();
      expect(performance.now() - starting).toBeLessThan(40_000);
    } finally {
      server.thaw();
    }
  }, 90_000);

  it('that are away for a moment take nothing away that is known', async () => {
    const source = await room.source('upstream.late', () => catalogueOf('kept'));
    const first = await room.discover(env);
    await room.tools('upstream.late');
    await first.close();
    await room.discover(env);
    await server.kill();
    source.answer = () => Promise.reject(new Error('garbage'));
    await expect(room.tools('upstream.late')).rejects.toThrow();
    expect(await room.summary('upstream.late', false)).toMatchObject({ state: 'stale', error: 'invalid_response' });
    await server.restart();
    await eventually(async () => expect(await room.tools('upstream.late')).toEqual(['kept']));
  }, 60_000);
});

describeIfAvailable('redis-server', '[DI-4] a shared state that goes away', () => {
  it('is told once, however often it is missed', async () => {
    const redis = await startRedisServer();
    await serve(3);
    await room.discover({ REDIS_URL: redis.url, MCP_DISCOVERY_CACHE_TTL_SECS: '0' });
    await learn(3);
    await redis.stop();
    await learn(3);
    await learn(3);
    expect(room.told('store.failed')).toEqual([expect.objectContaining({ store: 'shared state' })]);
  }, 30_000);
});
