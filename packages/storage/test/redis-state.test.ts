import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSharedState } from '@portico/storage';
import type { SharedState } from '@portico/storage';
import { describeIfAvailable, startRedisServer } from '@portico/testkit';
import type { RedisServer, RedisServerOptions } from '@portico/testkit';
import { describeSharedState } from './describe-shared-state.js';

const LONG = { ttlMs: 60_000 };
const PASSWORD = 'hush & hush';

describeIfAvailable('redis-server', 'shared state in Redis', () => {
  describeSharedState('Redis', async () => {
    const server = await startRedisServer({ password: PASSWORD });
    return { open: () => openSharedState(server.url), close: () => server.stop() };
  });

  describe('when Redis fails', () => {
    let server: RedisServer | undefined;
    let state: SharedState | undefined;
    let told: string[];
    const note = (event: string, fields?: unknown): void => void told.push(`${event} ${JSON.stringify(fields)}`);
    const log = { info: note, warn: note, error: note };
    const start = async (options: RedisServerOptions = {}): Promise<{ server: RedisServer; state: SharedState }> => {
      server = await startRedisServer({ password: PASSWORD, ...options });
      state = await openSharedState(server.url, { log });
      return { server, state };
    };
    /** Asks until it works, as a caller whose next turn comes does. */
    const untilBack = async (one: SharedState): Promise<void> => {
      for (let attempt = 0; attempt < 300; attempt += 1) {
        if (
          await one.get('any').then(
            () => true,
            () => false,
          )
        )
          return;
        await delay(50);
      }
      throw new Error('Redis is not back');
    };

    beforeEach(() => {
      told = [];
    });
    afterEach(async () => {
      await state?.close();
      await server?.stop();
    });

    it('is shared by those who open it: of two processes that ask at once, one is told', async () => {
      const { server, state } = await start();
      const other = await openSharedState(server.url, { log });
      const won = await Promise.all([state, other].map((one) => one.setIfAbsent('lock', 'x', LONG)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await other.deleteIfEqual('lock', 'x')).toBe(true);
      expect(await state.get('lock')).toBeUndefined();
      await other.close();
    });

    it('fails at once while it is away, says so once, and works again when it is back, without its data', async () => {
      const { server, state } = await start();
      await state.set('lock', 'x', LONG);
      await server.kill();
      while (told.length === 0) await delay(10);
      const began = performance.now();
      for (let n = 0; n < 100; n += 1) {
        await expect(state.set('lock', 'y', LONG)).rejects.toMatchObject({ code: 'unavailable', executed: 'no' });
      }
      expect(performance.now() - began).toBeLessThan(1_000);
      await delay(300);
      await server.restart();
      await untilBack(state);
      expect(await state.get('lock')).toBeUndefined();
      expect(await state.deleteIfEqual('lock', 'x')).toBe(false);
      expect(await state.setIfAbsent('lock', 'z', LONG)).toBe(true);
      expect(await state.deleteIfEqual('lock', 'z')).toBe(true);
      expect(told.map((line) => line.split(' {')[0])).toEqual(['redis.connection-lost', 'redis.connected']);
    });

    it('has its data again when Redis has', async () => {
      const { server, state } = await start({ keepsData: true });
      await state.set('lock', 'x', LONG);
      await server.kill();
      await server.restart();
      await untilBack(state);
      expect(await state.get('lock')).toBe('x');
      expect(await state.setIfAbsent('lock', 'y', LONG)).toBe(false);
    });

    it('sends nothing twice: what waits for an answer when the connection breaks may have been done', async () => {
      const { server, state } = await start({ keepsData: true });
      server.freeze();
      const asked = Promise.allSettled([state.setIfAbsent('lock', 'x', LONG), state.get('lock')]);
      await delay(50);
      await server.kill();
      expect(await asked).toMatchObject([
        { status: 'rejected', reason: { code: 'unavailable', executed: 'unknown' } },
        { status: 'rejected', reason: { code: 'unavailable', executed: 'no' } },
      ]);
      await server.restart();
      await untilBack(state);
      expect(await state.get('lock')).toBeUndefined();
    });

    it('waits at most a second for a Redis that is silent, gives its connection up, and is back when Redis is', async () => {
      const { server, state } = await start();
      server.freeze();
      const began = performance.now();
      await expect(state.set('a', 'b', LONG)).rejects.toMatchObject({ code: 'timeout', executed: 'unknown' });
      expect(performance.now() - began).toBeLessThan(10_000);
      server.thaw();
      await untilBack(state);
    });

    it('gives up a connection that has gone silent, since it may never end by itself', async () => {
      const { server, state } = await start();
      server.freeze();
      for (let n = 0; n < 3; n += 1) await expect(state.get('a')).rejects.toMatchObject({ code: 'timeout' });
      while (told.length === 0) await delay(10);
      await expect(state.get('a')).rejects.toMatchObject({ code: 'unavailable', executed: 'no' });
      server.thaw();
      await untilBack(state);
    });

    it('opens in bounded time while Redis is away or silent, and connects when it can', async () => {
      const { server } = await start();
      await server.kill();
      const late = await openSharedState(server.url, { log });
      await expect(late.get('a')).rejects.toMatchObject({ code: 'unavailable' });
      await server.restart();
      await untilBack(late);
      server.freeze();
      const silent = await openSharedState(server.url, { log });
      await expect(silent.get('a')).rejects.toMatchObject({ code: 'unavailable' });
      server.thaw();
      await untilBack(silent);
      await Promise.all([late.close(), silent.close()]);
    });

    it('says that it is full, and does not shut out what is there', async () => {
      const { state } = await start({ settings: [['maxmemory', '3mb']] });
      await state.set('here', 'x', LONG);
      const filling = Promise.all(Array.from({ length: 8 }, (_, n) => state.set(`k${n}`, 'x'.repeat(500_000), LONG)));
      await expect(filling).rejects.toMatchObject({ code: 'full', executed: 'no' });
      expect(await state.get('here')).toBe('x');
    });

    it('shows no password, key, value or address, in errors or in the log', async () => {
      const { server } = await start();
      const wrong = new URL(server.url);
      wrong.password = 'wrong-hush';
      const refused = await openSharedState(wrong.href, { log });
      await server.kill();
      const shown = [
        await refused.set('secret-key', 'secret-value', LONG).catch((error: Error) => inspectAll(error)),
        await state!.set('secret-key', 'secret-value', LONG).catch((error: Error) => inspectAll(error)),
        await state!.get('secret-key').catch((error: Error) => inspectAll(error)),
        ...told,
      ].join('\n');
      expect(shown).toContain('REDIS_URL');
      expect(shown).not.toMatch(/hush|secret|127\.0\.0\.1/);
      expect(told.filter((line) => line.startsWith('redis.unreachable'))).not.toEqual([]);
      await refused.close();
    });

    it('leaves no socket and no timer when it is closed, connected or not', async () => {
      const { server, state } = await start();
      const handles = (): string[] => process.getActiveResourcesInfo().filter((one) => /TCP|Timeout/.test(one));
      await state.close();
      await server.kill();
      const before = handles().length;
      const away = await openSharedState(server.url, { log });
      await away.close();
      await delay(1_500);
      expect(handles().length).toBeLessThanOrEqual(before);
    });
  });
});

/** Everything an error holds, as a careless log would write it. */
const inspectAll = (error: Error): string =>
  [
    error.message,
    error.stack?.split('\n')[0],
    JSON.stringify(
      error,
      Object.getOwnPropertyNames(error).filter((name) => name !== 'stack'),
    ),
  ].join('\n');
