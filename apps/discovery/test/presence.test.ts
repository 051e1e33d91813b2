import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Fault, discoverCatalogue, rollCall, sourceHeartbeat } from '@portico/contracts';
import { Room } from './room.js';
import { catalogueOf, eventually } from './sources.js';

/** Longer than an instance may be silent, with the time it takes to notice. */
const SILENT_MS = 4_500;

let room: Room;
beforeEach(async () => {
  room = await Room.open();
});
afterEach(() => room.close());

describe('[DI-10] who is there', () => {
  it('a source that beats stays', async () => {
    await room.source('domain.a', () => catalogueOf('a'));
    await room.discover();
    await room.tools('domain.a');
    await delay(SILENT_MS);
    expect(await room.health('domain.a')).toMatchObject({ state: 'up' });
    expect(room.changes.filter(({ sources }) => sources.length > 0)).toHaveLength(1);
  });

  it('a silent one is down within seconds, its tools stay, and it is up at once when it is heard again', async () => {
    const served = await room.source('domain.a', () => catalogueOf('a'), { instance: 'other' });
    await room.discover({ MCP_DISCOVERY_GRACE_SECS: '60' });
    // The one that is asked dies without a bye: what is left is an instance that never says anything.
    room.hello('domain.a', 'mute');
    expect(await room.tools('domain.a')).toEqual(['a']);
    await eventually(() => expect(room.changes.filter(({ sources }) => sources.length > 0)).toHaveLength(1));
    await served.close();
    await delay(SILENT_MS);
    expect(await room.summary('domain.a')).toMatchObject({ state: 'stale', error: 'unreachable' });
    expect(await room.health('domain.a')).toMatchObject({ state: 'down', lastError: 'unreachable' });
    expect(await room.tools('domain.a')).toEqual(['a']);
    expect(room.changes.filter(({ sources }) => sources.length > 0)).toHaveLength(1);

    await room.source('domain.a', () => catalogueOf('a'), { instance: 'new' });
    await eventually(async () => expect(await room.health('domain.a')).toMatchObject({ state: 'up' }));
    expect((await room.summary('domain.a'))?.state).toBe('fresh');
  }, 20_000);

  it('a silent one that never answered is unavailable, and its tools are gone after the grace', async () => {
    const served = await room.source('domain.a', () => catalogueOf('a'), { instance: 'other' });
    await room.discover({ MCP_DISCOVERY_GRACE_SECS: '0.2', MCP_DISCOVERY_CACHE_TTL_SECS: '0.2' });
    room.hello('domain.a', 'mute');
    await room.tools('domain.a');
    room.hello('domain.never', 'mute');
    await served.close();
    await eventually(async () => {
      const states = (await room.summaries(false)).map(({ source, state, error }) => [source, state, error]);
      expect(states).toEqual([
        ['domain.a', 'unavailable', 'unreachable'],
        ['domain.never', 'unavailable', 'unreachable'],
      ]);
    });
    await expect(room.tools('domain.a')).rejects.toBeInstanceOf(Fault);
    await eventually(() => expect(room.changes.filter(({ sources }) => sources.includes('domain.a'))).toHaveLength(2));
  }, 20_000);

  it('one that fell silent and was never asked is as it was when it is heard again', async () => {
    await room.discover();
    room.hello('domain.a', 'mute');
    await eventually(async () => expect((await room.summary('domain.a', false))?.state).toBe('unavailable'));
    const source = await room.source('domain.a', () => catalogueOf('a'));
    await eventually(async () =>
      expect(await room.summary('domain.a', false)).toEqual({ source: 'domain.a', state: 'pending' }),
    );
    expect(source.asked).toBe(0);
  }, 20_000);

  it('[DI-13] of those that are silent only so many are still told of, the last ones', async () => {
    await room.discover({ MCP_DISCOVERY_CACHE_MAX_ENTRIES: '2' });
    for (const name of ['a', 'b', 'c'] as const) room.hello(`domain.${name}`);
    await delay(1_000);
    for (const name of ['d', 'e'] as const) room.hello(`domain.${name}`);
    expect(await room.summaries(false)).toHaveLength(5);
    await delay(SILENT_MS);
    expect((await room.summaries(false)).map(({ source }) => source)).toEqual(['domain.d', 'domain.e']);
  }, 20_000);

  it('one of several instances may fall silent, and costs the source nothing', async () => {
    const source = await room.source('domain.a', () => catalogueOf('a'), { instance: 'living' });
    await room.discover();
    await room.tools('domain.a');
    room.hello('domain.a', 'mute');
    await delay(SILENT_MS);
    expect(await room.health('domain.a')).toMatchObject({ state: 'up' });
    expect(source.asked).toBe(1);
    await source.close();
    expect(await room.summaries()).toEqual([]);
  });

  it('a heartbeat of somebody unknown has everybody called once', async () => {
    await room.discover();
    let calls = 0;
    await room.bus.listen(rollCall, () => void calls++);
    const beat = { service: 'a', instance: 'one', sources: ['domain.a' as const] };
    for (let n = 0; n < 10; n++) room.bus.tell(sourceHeartbeat, beat);
    await delay(50);
    expect(calls).toBe(1);
  });

  it('a loop that was blocked blames nobody for not being heard', async () => {
    const source = await room.source('domain.a', () => catalogueOf('a'));
    await room.discover();
    await room.tools('domain.a');
    const end = performance.now() + 4_000;
    while (performance.now() < end);
    for (let n = 0; n < 20; n++) {
      expect(await room.health('domain.a')).toMatchObject({ state: 'up' });
      await delay(20);
    }
    expect(source.asked).toBe(1);
  });

  it('two sources of one service leave one by one', async () => {
    const a = await room.source('upstream.a', () => catalogueOf('a'));
    await room.source('upstream.b', () => catalogueOf('b'));
    await room.discover();
    await room.summaries();
    await a.close();
    await eventually(async () => expect((await room.summaries()).map(({ source }) => source)).toEqual(['upstream.b']));
  });
});

describe('[DI-8] what is not known yet', () => {
  it('is told when it turns out that it can not be had, with the revision as it was', async () => {
    await room.source('upstream.dead', () => Promise.reject(new Error('broken')));
    await room.discover();
    const { revision } = await room.bus.ask(discoverCatalogue, { probe: true });
    await eventually(async () => expect((await room.summary('upstream.dead', false))?.state).toBe('unavailable'));
    await eventually(() => expect(room.changes).toEqual([{ revision, sources: ['upstream.dead'] }]));
  });

  it('a discovery that has just started says so, names who left since, and tells when it has settled', async () => {
    const source = await room.source('domain.a', () => catalogueOf('a'));
    await room.discover();
    expect((await room.bus.ask(discoverCatalogue, { probe: false })).settling).toEqual({ gone: [] });
    await source.close();
    await eventually(async () =>
      expect((await room.bus.ask(discoverCatalogue, { probe: false })).settling).toEqual({ gone: ['domain.a'] }),
    );
    await room.source('domain.a', () => catalogueOf('a'));
    await eventually(async () =>
      expect((await room.bus.ask(discoverCatalogue, { probe: false })).settling).toEqual({ gone: [] }),
    );
    await eventually(() => expect(room.changes.some(({ sources }) => sources.length === 0)).toBe(true));
    expect((await room.bus.ask(discoverCatalogue, { probe: false })).settling).toBeUndefined();
  });
});

describe('[DI-9] what is held ends', () => {
  it('with the source’s own ttlMs, when it is shorter', async () => {
    const short = { ...catalogueOf('a').identity, ttlMs: 50 };
    const long = { ...catalogueOf('a').identity, ttlMs: 600_000 };
    const source = await room.source('upstream.short', () => ({ ...catalogueOf('a'), identity: short }));
    await room.source('upstream.long', () => ({ ...catalogueOf('a'), identity: long }));
    await room.discover({ MCP_DISCOVERY_CACHE_TTL_SECS: '1' });
    await room.tools('upstream.short');
    await room.tools('upstream.long');
    await delay(80);
    expect((await room.summary('upstream.short', false))?.state).toBe('stale');
    expect((await room.summary('upstream.long', false))?.state).toBe('fresh');
    expect(await room.tools('upstream.short')).toEqual(['a']);
    await eventually(() => expect(source.asked).toBe(2));
    await eventually(async () => expect((await room.summary('upstream.long', false))?.state).toBe('stale'));
  });

  it('with its list_changed, and with its configuration', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    await room.discover();
    await room.tools('upstream.a');
    source.answer = () => catalogueOf('b');
    source.changed();
    await eventually(async () => expect(await room.tools('upstream.a')).toEqual(['b']));
    await room.source('upstream.a', () => catalogueOf('c'), { configuration: 'new', instance: 'two' });
    await source.close();
    await eventually(async () => expect(await room.tools('upstream.a')).toEqual(['c']));
  });

  it('a list_changed of a source nobody asked for asks it nothing', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    await room.discover();
    source.changed();
    await delay(200);
    expect(source.asked).toBe(0);
  });
});
