import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Fault, catalogueChanged, discoverSource } from '@portico/contracts';
import { describeIfAvailable, startRedisServer } from '@portico/testkit';
import type { RedisServer } from '@portico/testkit';
import { openSharedState } from '@portico/storage';
import { flightKey } from '../src/shared-flight.js';
import { Room } from './room.js';
import { catalogueOf, eventually } from './sources.js';

describeIfAvailable('redis-server', 'two replicas of discovery on one Redis', () => {
  let redis: RedisServer;
  let room: Room;
  let env: Record<string, string>;
  beforeAll(async () => {
    redis = await startRedisServer();
  });
  afterAll(() => redis.stop());
  beforeEach(async () => {
    room = await Room.open();
    env = { REDIS_URL: redis.url };
    // What earlier tests left under the same names is not theirs.
    configuration = `c-${Math.random()}`;
  });
  afterEach(() => room.close());
  let configuration: string;
  const slow = async () => {
    await delay(100);
    return catalogueOf('a');
  };

  it('[DI-4] 1,000 concurrent first requests make one probe', async () => {
    const source = await room.source('upstream.a', slow, { configuration });
    await room.discover({ ...env, PORTICO_HOME: `${room.home}/1` });
    await room.discover({ ...env, PORTICO_HOME: `${room.home}/2` });
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => room.tools('upstream.a')));
    expect(new Set(answers.flat())).toEqual(new Set(['a']));
    expect(source.asked).toBe(1);
  });

  it('[DI-4] one that comes later takes up what is there', async () => {
    const source = await room.source('upstream.a', slow, { configuration });
    const first = await room.discover({ ...env, PORTICO_HOME: `${room.home}/1` });
    await room.tools('upstream.a');
    await first.close();
    await room.discover({ ...env, PORTICO_HOME: `${room.home}/2` });
    expect(await room.tools('upstream.a')).toEqual(['a']);
    expect(source.asked).toBe(1);
  });

  it('[DI-4] a failure is handed over too, to those who wait for it', async () => {
    const source = await room.source(
      'upstream.a',
      async () => {
        await delay(100);
        throw new Fault('UNAUTHENTICATED', 'No.');
      },
      { configuration },
    );
    await room.discover({ ...env, PORTICO_HOME: `${room.home}/1` });
    await room.discover({ ...env, PORTICO_HOME: `${room.home}/2` });
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => room.tools('upstream.a')));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'UNAUTHENTICATED' } });
    expect(source.asked).toBe(1);
    await delay(1_200);
    source.answer = () => catalogueOf('a');
    expect(await room.tools('upstream.a')).toEqual(['a']);
  });

  it('[DI-5] a failure is one outcome for the breaker of each, however soon it is asked for again', async () => {
    const source = await room.source('upstream.a', () => Promise.reject(new Fault('UNAUTHENTICATED', 'No.')), {
      configuration,
    });
    await room.discover({ ...env, BREAKER_FAILURES: '3' });
    const failures = async () => {
      await expect(room.tools('upstream.a')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
      const { breaker, consecutiveFailures } = (await room.health('upstream.a'))!;
      return { asked: source.asked, breaker, consecutiveFailures };
    };
    expect(await failures()).toEqual({ asked: 1, breaker: 'closed', consecutiveFailures: 1 });
    expect(await failures()).toEqual({ asked: 2, breaker: 'closed', consecutiveFailures: 2 });
    expect(await failures()).toEqual({ asked: 3, breaker: 'open', consecutiveFailures: 3 });
  });

  it('[DI-9] a change is followed by both, whichever of them is asked', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'), { configuration });
    await room.discover({ ...env, PORTICO_HOME: `${room.home}/1` });
    await room.discover({ ...env, PORTICO_HOME: `${room.home}/2` });
    for (let n = 0; n < 4; n++) await room.tools('upstream.a');
    for (const name of ['b', 'c', 'd']) {
      source.answer = () => catalogueOf(name);
      source.changed();
      await eventually(async () => {
        for (let n = 0; n < 4; n++) expect(await room.tools('upstream.a')).toEqual([name]);
      });
    }
  });

  it('[DI-9] what another has found before a change counts no more after it', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'), { configuration });
    await room.discover(env);
    await room.tools('upstream.a');
    const state = await openSharedState(redis.url);
    const key = `discovery:outcome:${flightKey('upstream.a', configuration)}`;
    const found = JSON.parse((await state.get(key))!) as object;
    await state.set(key, JSON.stringify({ ...found, id: 'another has asked again' }), { ttlMs: 60_000 });
    await state.close();
    source.answer = () => catalogueOf('b');
    source.changed();
    await eventually(async () => expect(await room.tools('upstream.a')).toEqual(['b']));
  });

  it('[DI-8] what another has found is taken up when it tells of it, and the source asked nothing', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'), { configuration });
    await room.discover(env);
    await room.tools('upstream.a');
    const state = await openSharedState(redis.url);
    const key = `discovery:outcome:${flightKey('upstream.a', configuration)}`;
    const found = { catalogue: { ...catalogueOf('b'), revision: 'b' } };
    await state.set(key, JSON.stringify({ id: 'of another', at: Date.now(), found }), { ttlMs: 60_000 });
    await state.close();
    room.bus.tell(catalogueChanged, { revision: 'another', sources: ['upstream.a'] });
    await eventually(async () => expect(await room.tools('upstream.a')).toEqual(['b']));
    expect(source.asked).toBe(1);
  });

  it('[DI-2] pages of one catalogue come from whichever is asked', async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => `${n}-${'x'.repeat(500)}`);
    await room.source('upstream.big', () => catalogueOf(...many), { configuration });
    await room.discover({ ...env, PORTICO_HOME: `${room.home}/1` });
    await room.discover({ ...env, PORTICO_HOME: `${room.home}/2` });
    const names: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await room.bus.ask(discoverSource, { source: 'upstream.big', cursor });
      names.push(...page.tools.map(({ definition }) => definition.name));
      cursor = page.nextCursor;
      pages++;
    } while (cursor !== undefined);
    expect(pages).toBeGreaterThan(2);
    expect(names.sort()).toEqual(many.sort());
  });

  it('[DI-4] one that dies while it probes is waited for a moment, and then not', async () => {
    const source = await room.source(
      'upstream.a',
      async () => {
        if (source.asked === 1) await delay(60_000, undefined, { ref: false });
        return catalogueOf('a');
      },
      { configuration, connectTimeoutMs: 30_000 },
    );
    // Nothing but its lock is left of a process that was killed.
    const state = await openSharedState(redis.url);
    await state.set(`discovery:lock:${flightKey('upstream.a', configuration)}`, 'a dead one', { ttlMs: 2_000 });
    await state.close();
    source.asked = 1;
    await room.discover({ ...env, PORTICO_HOME: `${room.home}/2` });
    expect(await room.tools('upstream.a')).toEqual(['a']);
    expect(source.asked).toBe(2);
  });

  it('[DI-4] without its Redis each of them goes on alone', async () => {
    const own = await startRedisServer();
    await room.source('upstream.a', slow, { configuration });
    await room.discover({ REDIS_URL: own.url, PORTICO_HOME: `${room.home}/1` });
    await room.discover({ REDIS_URL: own.url, PORTICO_HOME: `${room.home}/2` });
    await own.stop();
    for (let n = 0; n < 4; n++) expect(await room.tools('upstream.a')).toEqual(['a']);
  });
});

describe('one discovery alone', () => {
  it('[DI-1][DI-4] makes one probe for 1,000 concurrent first requests', async () => {
    const room = await Room.open();
    const source = await room.source('upstream.a', async () => {
      await delay(100);
      return catalogueOf('a');
    });
    await room.discover();
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => room.tools('upstream.a')));
    expect(new Set(answers.flat())).toEqual(new Set(['a']));
    expect(source.asked).toBe(1);
    await room.close();
  });
});
