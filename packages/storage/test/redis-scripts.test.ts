import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openRedis } from '@portico/storage';
import type { RedisScript, RedisScripts } from '@portico/storage';
import { describeIfAvailable, startRedisServer } from '@portico/testkit';
import type { RedisServer } from '@portico/testkit';

const COUNT: RedisScript = { name: 'count', lua: `return redis.call('incrby', KEYS[1], ARGV[1])` };
const ECHO: RedisScript = { name: 'echo', lua: `return { KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]), false }` };
const READ: RedisScript = { name: 'read', lua: `return redis.call('get', KEYS[1])` };
const FAIL: RedisScript = {
  name: 'fail',
  lua: `redis.call('set', KEYS[1], ARGV[1]) return redis.call('lpush', KEYS[1], 1)`,
};

let told: string[] = [];
const log = { info: () => {}, warn: (event: string) => void told.push(event), error: () => {} };

describeIfAvailable('redis-server', 'scripts in Redis', () => {
  let server: RedisServer;
  let redis: RedisScripts;

  const untilBack = async (): Promise<void> => {
    for (let attempt = 0; attempt < 300; attempt += 1) {
      const back = await redis.run(READ, ['any'], [], 'read').then(
        () => true,
        () => false,
      );
      if (back) return;
      await delay(50);
    }
    throw new Error('Redis is not back');
  };

  beforeEach(async () => {
    told = [];
    server = await startRedisServer({ keepsData: true });
    redis = await openRedis(server.url, { log });
  });
  afterEach(async () => {
    await redis.close();
    await server.stop();
  });

  it('get their keys whole and their arguments as they are', async () => {
    const [key, text] = ['a{b}\u0000 é', '$-1\r\n😀'];
    expect(await redis.run(ECHO, [key, 'second'], [text, 7], 'read')).toEqual([key, 'second', text, 7, null]);
  });

  it('run once each, whoever asks at once, on a Redis that does not know them', async () => {
    const counts = await Promise.all(Array.from({ length: 50 }, () => redis.run(COUNT, ['n'], [1], 'write')));
    expect([...counts].sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
  });

  it('run once each on a Redis that was started anew and has forgotten them', async () => {
    expect(await redis.run(COUNT, ['n'], [1], 'write')).toBe(1);
    await server.restart();
    await untilBack();
    const counts = await Promise.all(Array.from({ length: 10 }, () => redis.run(COUNT, ['n'], [1], 'write')));
    expect(Math.max(...counts.map(Number))).toBe(11);
    expect(await redis.run(READ, ['n'], [], 'read')).toBe('11');
  });

  it('may have run when the answer did not come in time, and are not sent again', async () => {
    await redis.run(COUNT, ['n'], [1], 'write');
    server.freeze();
    const asked = Promise.allSettled([redis.run(COUNT, ['n'], [1], 'write'), redis.run(READ, ['n'], [], 'read')]);
    expect(await asked).toMatchObject([
      { status: 'rejected', reason: { code: 'timeout', executed: 'unknown' } },
      { status: 'rejected', reason: { code: 'timeout', executed: 'no' } },
    ]);
    server.thaw();
    await untilBack();
    expect(await redis.run(READ, ['n'], [], 'read')).toBe('2');
  });

  it('may have run when the connection broke, and are not sent again', async () => {
    await redis.run(COUNT, ['n'], [1], 'write');
    server.freeze();
    const asked = redis.run(COUNT, ['n'], [1], 'write');
    const failed = expect(asked).rejects.toMatchObject({ code: 'unavailable', executed: 'unknown' });
    await delay(50);
    await server.kill();
    await failed;
    await server.restart();
    await untilBack();
    expect(await redis.run(READ, ['n'], [], 'read')).toBe('1');
  });

  it('fail at once while Redis is away', async () => {
    await server.kill();
    while (told.length === 0) await delay(10);
    const began = performance.now();
    for (let n = 0; n < 100; n += 1) {
      await expect(redis.run(COUNT, ['n'], [1], 'write')).rejects.toMatchObject({
        code: 'unavailable',
        executed: 'no',
      });
    }
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('that fail half-way are told as such, with nothing of what they were given', async () => {
    const failure: unknown = await redis
      .run(FAIL, ['secret-key'], ['secret'], 'write')
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'rejected', executed: 'unknown' });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure)).replace(/"stack":.*/, '')).not.toMatch(
      /secret/,
    );
  });

  it('are had at once from a Redis that is silent when the first attempt need not be waited for', async () => {
    server.freeze();
    const began = performance.now();
    const other = await openRedis(server.url, { log, waitMs: 20 });
    await expect(other.run(READ, ['n'], [], 'read')).rejects.toMatchObject({ code: 'unavailable', executed: 'no' });
    expect(performance.now() - began).toBeLessThan(1_000);
    server.thaw();
    await other.close();
  });

  it('take nothing after the connection is closed, which may be done twice', async () => {
    const other = await openRedis(server.url, { log });
    await other.close();
    await other.close();
    await expect(other.run(READ, ['n'], [], 'read')).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('openRedis', () => {
  it.each(['memory:', '', 'http://u:hush@h', 'user:hush@h:1'])('refuses %j in a sentence without it', async (url) => {
    const error: unknown = await openRedis(url).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'rejected' });
    expect(String(error)).toContain('REDIS_URL takes');
    expect(String(error)).not.toContain('hush');
  });
});
