import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryHub, memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { sourceHeartbeat } from '@portico/contracts';
import type { PayloadOf } from '@portico/contracts';
import { keepAlive } from './heartbeat.js';

type Beat = PayloadOf<typeof sourceHeartbeat>;

const BEAT_MS = 1_000;
let hub: MemoryHub;
let bus: Bus;
let beats: Beat[];
let ends: (() => void)[];

beforeEach(async () => {
  hub = new MemoryHub();
  bus = memoryBus({ hub });
  beats = [];
  ends = [];
  await memoryBus({ hub }).listen(sourceHeartbeat, (beat) => void beats.push(beat));
});
afterEach(async () => {
  for (const end of ends) end();
  await bus.close();
});

describe('[DI-10] keepAlive', () => {
  it('tells once a second of all sources of an instance, not of each', async () => {
    for (let n = 0; n < 50; n++) ends.push(keepAlive(bus, 'one', `upstream.s${n}`));
    ends.push(keepAlive(bus, 'two', 'domain.other'));
    await delay(BEAT_MS * 1.5);
    expect(beats.map(({ instance, service, sources }) => [instance, service, sources.length])).toEqual([
      ['one', 'upstreams', 50],
      ['two', 'other', 1],
    ]);
  });

  it('tells no longer of what has ended, and nothing once all has', async () => {
    const [a, b] = [keepAlive(bus, 'one', 'domain.a'), keepAlive(bus, 'one', 'domain.b')];
    ends.push(a, b);
    a();
    await delay(BEAT_MS * 1.5);
    expect(beats.map(({ sources }) => sources)).toEqual([['domain.b']]);
    b();
    await delay(BEAT_MS * 1.5);
    expect(beats).toHaveLength(1);
  });

  it('divides very many among messages that fit a bus', async () => {
    for (let n = 0; n < 2_500; n++) ends.push(keepAlive(bus, 'one', `upstream.s${n}`));
    await delay(BEAT_MS * 1.5);
    expect(beats.map(({ sources }) => sources.length)).toEqual([1_000, 1_000, 500]);
    expect(new Set(beats.flatMap(({ sources }) => sources)).size).toBe(2_500);
  });
});
