import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import { openRedis } from '@portico/storage';
import { type RedisServer, describeIfAvailable, startRedisServer } from '@portico/testkit';
import { echoDomain } from './echo-domain.js';
import { keysOf } from './keys-of.js';
import { listen } from './listen.js';
import { type OpenDoor, type RpcAnswer, openDoor } from './open-door.js';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
const doorWith = async (...args: Parameters<typeof openDoor>): Promise<OpenDoor> => {
  const door = await openDoor(...args);
  closers.push(() => door.close());
  return door;
};
const ping = (door: OpenDoor, headers: Record<string, string> = {}): Promise<RpcAnswer> =>
  door.rpc('ping', {}, { revision: '2025-11-25', headers });
const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (let n = 0; n < 500; n += 1) {
    if (await holds()) return;
    await delay(20);
  }
  throw new Error('It does not come.');
};
const call = (door: OpenDoor, name: string, options: Parameters<OpenDoor['rpc']>[2] = {}): Promise<RpcAnswer> =>
  door.rpc('tools/call', { name, arguments: {} }, options);
const expectRefused = (answer: RpcAnswer, status: number, code: string): void => {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(answer.message).toMatchObject({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32000, data: { code, retry_after_ms: expect.any(Number) } },
  });
  expect(answer.message.error.data.retry_after_ms).toBeGreaterThan(0);
  expect(Number(answer.headers.get('retry-after')) * 1_000).toBeGreaterThanOrEqual(
    answer.message.error.data.retry_after_ms,
  );
};

describe('[FD-5] at the door', () => {
  it('one principal beyond its rate is 429 with Retry-After, another is served', async () => {
    const { file, headersOf, close } = keysOf('ada', 'bo');
    closers.push(close);
    const env = { AUTH_MODE: 'api-key', API_KEYS_FILE: file, RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '3' };
    const door = await doorWith(env);
    for (let n = 0; n < 3; n += 1) expect((await ping(door, headersOf['ada'])).status).toBe(200);
    expectRefused(await ping(door, headersOf['ada']), 429, 'RATE_LIMITED');
    expect((await ping(door, headersOf['bo'])).status).toBe(200);
    expect((await ping(door)).status).toBe(401);
  });

  it('in none mode nobody is limited by rate, unless it is set', async () => {
    const free = await doorWith();
    const all = await Promise.all(Array.from({ length: 200 }, () => ping(free)));
    expect(all.filter(({ status }) => status !== 200)).toEqual([]);
    const limited = await doorWith({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '2' });
    for (let n = 0; n < 2; n += 1) expect((await ping(limited)).status).toBe(200);
    expectRefused(await ping(limited), 429, 'RATE_LIMITED');
  });

  it.each([
    ['CONCURRENCY_LIMIT', 429, 'RATE_LIMITED'],
    ['TOTAL_CONCURRENCY_LIMIT', 503, 'BACKEND_UNAVAILABLE'],
  ])(
    '%s bounds what runs at once, with %i, until an answer has gone or its caller left',
    async (name, status, code) => {
      const door = await doorWith({ [name]: '2' });
      const demo = echoDomain();
      await door.serve(demo.domain);
      await until(async () => (await call(door, 'demo.echo')).message.result?.isError !== true);
      const leaver = new AbortController();
      const left = call(door, 'demo.waits', { signal: leaver.signal }).catch(() => 'left');
      const stayed = call(door, 'demo.waits');
      await until(() => demo.calls.filter((one) => one === 'waits').length === 2);
      expectRefused(await call(door, 'demo.echo'), status, code);
      leaver.abort();
      expect(await left).toBe('left');
      await until(async () => (await call(door, 'demo.echo')).status === 200);
      demo.release();
      expect((await stayed).status).toBe(200);
      const both = await Promise.all([call(door, 'demo.waits'), call(door, 'demo.waits')]);
      expect(both.map((answer) => answer.status)).toEqual([200, 200]);
    },
  );

  it('an open subscription holds no place', async () => {
    const door = await doorWith({ TOTAL_CONCURRENCY_LIMIT: '2', CONCURRENCY_LIMIT: '2' });
    const streams = [];
    for (let n = 0; n < 5; n += 1) streams.push(await listen(door.url, { toolsListChanged: true }, `sub-${n}`));
    expect(streams.map(({ messages }) => messages.length)).toEqual([1, 1, 1, 1, 1]);
    expect((await ping(door)).status).toBe(200);
    for (const stream of streams) stream.close();
  });
});

/** No start waits for Redis: a door that is not connected yet is alone. Besides the doors their discovery is connected, and this. */
const connected = async ({ url }: RedisServer, doors: number): Promise<void> => {
  const redis = await openRedis(url);
  const count = { name: 'clients', lua: `return redis.call('info', 'clients')` };
  const clients = async (): Promise<number> =>
    Number(/connected_clients:(\d+)/.exec(String(await redis.run(count, [], [], 'read')))?.[1]);
  await until(async () => (await clients()) >= doors + 2);
  await redis.close();
  await delay(200);
};

describeIfAvailable('redis-server', 'two doors on one Redis', () => {
  it('[FD-5] share the rate of a principal, and go on when Redis is killed', async () => {
    const redis = await startRedisServer();
    closers.push(() => redis.stop());
    const { file, headersOf, close } = keysOf('ada', 'bo');
    closers.push(close);
    const env = {
      AUTH_MODE: 'api-key',
      API_KEYS_FILE: file,
      REDIS_URL: redis.url,
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST: '20',
    };
    const bus = memoryBus();
    const doors = [await doorWith(env, { bus }), await doorWith(env, { bus, discovery: false })] as const;
    await connected(redis, doors.length);
    const got = await Promise.all(Array.from({ length: 60 }, (_, n) => ping(doors[n % 2]!, headersOf['ada'])));
    const served = got.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThanOrEqual(20);
    expect(served).toBeLessThanOrEqual(22);
    for (const answer of got.filter(({ status }) => status !== 200)) expectRefused(answer, 429, 'RATE_LIMITED');
    // Connecting took its moment, and nobody was told of it.
    expect(doors.flatMap(({ lines }) => lines).filter((line) => line.includes('limits.'))).toEqual([]);
    await redis.kill();
    for (let n = 0; n < 10; n += 1) expect((await ping(doors[n % 2]!, headersOf['bo'])).status).toBe(200);
    await bus.close();
  });

  it('[FD-5] lose no place to a caller that left while Redis was asked', async () => {
    const redis = await startRedisServer();
    closers.push(() => redis.stop());
    const door = await doorWith({ REDIS_URL: redis.url, CONCURRENCY_LIMIT: '2' });
    await connected(redis, 1);
    expect((await ping(door)).status).toBe(200);
    redis.freeze();
    for (let n = 0; n < 2; n += 1) {
      const client = connect(Number(new URL(door.url).port), '127.0.0.1');
      client.write(
        'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
      );
      await delay(20);
      client.destroy();
    }
    await delay(300);
    redis.thaw();
    expect((await Promise.all([ping(door), ping(door)])).map(({ status }) => status)).toEqual([200, 200]);
  });
});
