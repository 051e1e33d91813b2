import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Fault } from '@portico/contracts';
import { Room } from './room.js';
import { catalogueOf, eventually } from './sources.js';

const down = (): Promise<never> => Promise.reject(new Fault('BACKEND_UNAVAILABLE', 'Down.', { executed: 'no' }));
const broken = (): Promise<never> => Promise.reject(new Error('garbage'));

let room: Room;
beforeEach(async () => {
  room = await Room.open();
});
afterEach(() => room.close());

/** Asks by name until the breaker has seen so many outcomes. */
const failTimes = async (times: number): Promise<void> => {
  for (let n = 0; n < times; n++) await expect(room.tools('upstream.a')).rejects.toBeInstanceOf(Fault);
};

describe('[DI-5] the breaker of a source', () => {
  it('counts a probe with all its attempts once', async () => {
    const source = await room.source('upstream.a', down);
    await room.discover({ BREAKER_FAILURES: '2' });
    await failTimes(1);
    expect(source.asked).toBe(3);
    expect((await room.health('upstream.a'))?.breaker).toBe('closed');
    await failTimes(1);
    expect(source.asked).toBe(6);
    expect(await room.health('upstream.a')).toMatchObject({ breaker: 'open', state: 'down', consecutiveFailures: 2 });
  });

  it('[DI-6] fails at once while open, with circuit_open, and asks nothing', async () => {
    const source = await room.source('upstream.a', broken);
    await room.discover({ BREAKER_FAILURES: '2' });
    await failTimes(2);
    source.answer = () => catalogueOf('a');
    const begun = performance.now();
    await expect(room.tools('upstream.a')).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
      retryAfterMs: expect.any(Number),
    });
    expect(performance.now() - begun).toBeLessThan(500);
    expect(source.asked).toBe(2);
    expect(await room.summary('upstream.a')).toMatchObject({ state: 'unavailable', error: 'circuit_open' });
    expect(await room.health('upstream.a')).toMatchObject({ breaker: 'open', lastError: 'invalid_response' });
  });

  it('lets exactly one probe through when half open, and closes after its success', async () => {
    const source = await room.source('upstream.a', broken);
    await room.discover({ BREAKER_FAILURES: '2', BREAKER_RESET_SECS: '0.3' });
    await failTimes(2);
    await eventually(async () => expect((await room.health('upstream.a'))?.breaker).toBe('half_open'));
    source.answer = async () => {
      await delay(50);
      return catalogueOf('a');
    };
    const answers = await Promise.all(Array.from({ length: 50 }, () => room.tools('upstream.a')));
    expect(new Set(answers.flat())).toEqual(new Set(['a']));
    expect(source.asked).toBe(3);
    expect(await room.health('upstream.a')).toMatchObject({ breaker: 'closed', state: 'up', consecutiveFailures: 0 });
  });

  it('rests again when the one let through fails', async () => {
    const source = await room.source('upstream.a', broken);
    await room.discover({ BREAKER_FAILURES: '2', BREAKER_RESET_SECS: '0.3' });
    await failTimes(2);
    await eventually(async () => expect((await room.health('upstream.a'))?.breaker).toBe('half_open'));
    await failTimes(5);
    expect(source.asked).toBe(3);
    expect((await room.health('upstream.a'))?.breaker).toBe('open');
  });

  it('is each source’s own', async () => {
    await room.source('upstream.a', broken);
    await room.source('upstream.b', () => catalogueOf('b'));
    await room.discover({ BREAKER_FAILURES: '1' });
    await failTimes(2);
    expect(await room.tools('upstream.b')).toEqual(['b']);
    expect((await room.health('upstream.b'))?.breaker).toBe('closed');
  });

  it('begins anew with a new configuration, and with another instance', async () => {
    const old = await room.source('upstream.a', broken, { configuration: 'a' });
    await room.discover({ BREAKER_FAILURES: '1', BREAKER_RESET_SECS: '600' });
    await failTimes(2);
    await room.source('upstream.a', () => catalogueOf('a'), { configuration: 'b', instance: 'two' });
    await old.close();
    await eventually(async () => expect(await room.tools('upstream.a')).toEqual(['a']));
    expect((await room.health('upstream.a'))?.breaker).toBe('closed');
  });

  it('keeps the last known catalogue served while it is open', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    await room.discover({ BREAKER_FAILURES: '1', MCP_DISCOVERY_CACHE_TTL_SECS: '0.05' });
    await room.tools('upstream.a');
    await delay(60);
    source.answer = broken;
    expect(await room.tools('upstream.a')).toEqual(['a']);
    await eventually(async () => expect((await room.health('upstream.a'))?.breaker).toBe('open'));
    expect(await room.summary('upstream.a')).toMatchObject({ state: 'stale', error: 'circuit_open' });
    expect(await room.tools('upstream.a')).toEqual(['a']);
  });

  it.each([
    ['network', 'BACKEND_UNAVAILABLE', 3],
    ['rate limit', 'RATE_LIMITED', 3],
    ['timeout of its own', 'TIMEOUT', 3],
    ['change while it was read', 'CONFLICT', 3],
    ['refused credential', 'UNAUTHENTICATED', 1],
    ['forbidden', 'PERMISSION_DENIED', 1],
    ['parse error', 'UNKNOWN_ERROR', 1],
  ] as const)('a failure by %s is tried %s: %i times', async (_why, code, times) => {
    const source = await room.source('upstream.a', () => Promise.reject(new Fault(code, 'No.')));
    await room.discover();
    await failTimes(1);
    expect(source.asked).toBe(times);
  });
});

describe('[DI-12] health', () => {
  it('tells breaker, last success and failure, latency and failures in a row', async () => {
    const source = await room.source('upstream.a', async () => {
      await delay(30);
      return catalogueOf('a');
    });
    await room.discover({ MCP_DISCOVERY_CACHE_TTL_SECS: '0' });
    expect(await room.health('upstream.a')).toEqual({ source: 'upstream.a', state: 'unknown', breaker: 'closed' });
    await room.tools('upstream.a');
    const up = await room.health('upstream.a');
    expect(up).toMatchObject({ state: 'up', breaker: 'closed', consecutiveFailures: 0, checkedAt: up!.lastSuccessAt! });
    expect(up!.latencyMs).toBeGreaterThanOrEqual(29);
    expect([up!.latencyMs, up!.catalogueAgeMs].every(Number.isInteger)).toBe(true);
    source.answer = broken;
    await room.tools('upstream.a');
    await room.tools('upstream.a');
    expect(await room.health('upstream.a')).toEqual({
      source: 'upstream.a',
      state: 'degraded',
      breaker: 'closed',
      lastError: 'invalid_response',
      checkedAt: expect.any(String),
      lastSuccessAt: up!.lastSuccessAt,
      lastFailureAt: expect.any(String),
      latencyMs: expect.any(Number),
      consecutiveFailures: 2,
      catalogueAgeMs: expect.any(Number),
    });
  });

  it('sources in use are probed again in the background, with jitter; those never asked for never', async () => {
    const used = await room.source('domain.used', () => catalogueOf('a'));
    const others = await Promise.all(
      Array.from({ length: 20 }, (_, n) => room.source(`domain.u${n}`, () => catalogueOf('a'))),
    );
    const unused = await room.source('domain.unused', () => catalogueOf('a'));
    await room.discover({ MCP_DISCOVERY_CACHE_TTL_SECS: '2' });
    await room.tools('domain.used');
    for (const { address } of others) await room.tools(address);
    await delay(1_000);
    // Somebody asks again: it is in use, and fresh, so that nothing is asked for it now.
    await room.tools('domain.used');
    expect(used.asked).toBe(1);
    await eventually(() => expect(used.asked).toBe(2));
    expect((await room.summary('domain.used', false))?.state).toBe('fresh');
    // In use for one TTL after somebody asked, and no longer.
    await delay(3_500);
    const settled = used.asked;
    await delay(2_500);
    expect(used.asked).toBe(settled);
    expect(unused.asked).toBe(0);
  });
});

describe('a source that fails again and again in the same way', () => {
  it('is a warning once, and once more when it fails in another way or after it was well', async () => {
    const source = await room.source('upstream.a', down);
    await room.discover({ MCP_DISCOVERY_CACHE_TTL_SECS: '0' });
    const reasons = () => room.told('source.not-answering').map(({ reason }) => reason);
    await failTimes(2);
    expect(reasons()).toEqual(['unreachable']);
    source.answer = broken;
    await failTimes(2);
    expect(reasons()).toEqual(['unreachable', 'invalid_response']);
    source.answer = () => catalogueOf('a');
    await room.tools('upstream.a');
    source.answer = broken;
    // Within its grace the last known list is served all the same.
    await room.tools('upstream.a').catch(() => undefined);
    await eventually(() => expect(reasons()).toEqual(['unreachable', 'invalid_response', 'invalid_response']));
  });
});
