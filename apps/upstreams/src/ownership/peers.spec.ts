import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryHub, memoryBus } from '@portico/bus';
import { Fault, upstreamsAlive } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { PACE as PRODUCT } from './pace.js';
import { Peers } from './peers.js';
import { ownerOf } from './rendezvous.js';

const log = createLog({ name: 'upstreams', level: 'silent' });
/** About half the time of the product. */
const PACE = { beatMs: 100, freshMs: 300, unheardMs: 900, silentMs: 1_500, handoverMs: 1_000 };
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** An instance on the hub; `running` is what it runs now, `most` how many ran one key at a time on all instances. */
async function instance(hub: MemoryHub, name: string, started: Map<string, string>, log_: string[] = []) {
  const bus = memoryBus({ log, hub });
  const peers = await Peers.open(bus, name, log, PACE);
  opened.push(bus, peers);
  const letGo = (key: string) => async () => {
    await delay(30);
    if (started.get(key) === name) started.delete(key);
    log_.push(`${name} ended ${key}`);
  };
  const run = (key: string, ms = 15_000): Promise<string> =>
    peers.run(
      key,
      AbortSignal.timeout(ms),
      letGo(key),
      async () => {
        const other = started.get(key);
        if (other !== undefined && other !== name) throw new Error(`${key} runs at ${other} and at ${name}`);
        started.set(key, name);
        return name;
      },
      async (at) => {
        if (!started.has(key) && at === 'dead') throw new Fault('BACKEND_UNAVAILABLE', 'gone', { executed: 'no' });
        return `at ${at}`;
      },
    );
  return { bus, peers, run };
}

describe('[UP-13] instances', () => {
  it('are taken for dead only when nothing of theirs can run any more, and early enough to be replaced within 5 s', () => {
    const { freshMs, unheardMs, silentMs, beatMs } = PRODUCT;
    // Its watchdog waits 1.5 s, sends SIGTERM, waits half a second, sends SIGKILL.
    expect(silentMs).toBeGreaterThanOrEqual(freshMs + 2_000 + 400);
    expect(unheardMs).toBeGreaterThanOrEqual(5 * beatMs);
    expect(silentMs + 2 * beatMs).toBeLessThan(3_500);
  });

  it('take nothing before they would have heard of everyone, then each its own share, and tell where the rest is', async () => {
    const hub = new MemoryHub();
    const started = new Map<string, string>();
    const begun = performance.now();
    const [a, b] = [await instance(hub, 'a', started), await instance(hub, 'b', started)];
    const keys = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8'];
    await Promise.all(keys.map(async (key) => ((await a.run(key)) === 'a' ? undefined : b.run(key))));
    expect(performance.now() - begun).toBeGreaterThan(1_450);
    const places = await Promise.all(keys.map(async (key) => [await a.run(key), await b.run(key)]));
    for (const [atA, atB] of places)
      expect([
        ['a', 'at a'],
        ['at b', 'b'],
      ]).toContainEqual([atA, atB]);
    expect(new Set(places.map(([atA]) => atA)).size).toBe(2);
  });

  it('hand over to one that joins what is its share, ended before it is started there', async () => {
    const hub = new MemoryHub();
    const started = new Map<string, string>();
    const events: string[] = [];
    const a = await instance(hub, 'a', started, events);
    const keys = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8'];
    await Promise.all(keys.map((key) => a.run(key)));
    expect([...new Set(started.values())]).toEqual(['a']);
    const b = await instance(hub, 'b', started, events);
    const places = await Promise.all(keys.map((key) => b.run(key)));
    const moved = keys.filter((_, at) => places[at] === 'b');
    expect(moved.length).toBeGreaterThan(0);
    expect(events.sort()).toEqual(moved.map((key) => `a ended ${key}`).sort());
  });

  it('take over at once from one that leaves, when it has ended what it held', async () => {
    const hub = new MemoryHub();
    const started = new Map<string, string>();
    const [a, b] = [await instance(hub, 'a', started), await instance(hub, 'b', started)];
    const keys = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8'];
    await Promise.all(keys.map((key) => a.run(key)));
    await Promise.all(keys.map((key) => b.run(key)));
    a.peers.leave();
    await delay(50);
    expect(await Promise.all(keys.map((key) => b.run(key)))).toEqual(keys.map(() => 'b'));
    expect(await a.run('k1')).toBe('at b');
    expect([...new Set(started.values())]).toEqual(['b']);
  });

  it('find what is asked of a dead one another place, and start nothing while it may still run there', async () => {
    const hub = new MemoryHub();
    const started = new Map<string, string>();
    const a = await instance(hub, 'a', started);
    // One that said what it held and then nothing more, as kill -9 leaves it.
    a.bus.tell(upstreamsAlive, { instance: 'dead', sentAt: 0, holds: ['k1', 'k2', 'k3', 'k4'], leaving: false });
    const begun = performance.now();
    const places = await Promise.all(['k1', 'k2', 'k3', 'k4'].map((key) => a.run(key)));
    expect(places).toEqual(['a', 'a', 'a', 'a']);
    expect(performance.now() - begun).toBeGreaterThan(1_450);
  });

  it('[OP-8] wait for one that has come and does not serve yet, and say so of one that lives and refuses', async () => {
    const hub = new MemoryHub();
    const a = await instance(hub, 'a', new Map());
    const b = await instance(hub, 'b', new Map());
    const key = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6'].find((one) => ownerOf(one, ['a', 'b']) === 'b')!;
    expect(await b.run(key)).toBe('b');
    const asking = (unserved: boolean, refusals: number) => {
      let asked = 0;
      const there = async (at: string): Promise<string> => {
        if (asked++ < refusals) throw new Fault('BACKEND_UNAVAILABLE', 'no', { executed: 'no', unserved });
        return `at ${at}`;
      };
      return a.peers.run(
        key,
        AbortSignal.timeout(15_000),
        () => Promise.resolve(),
        () => Promise.resolve('a'),
        there,
      );
    };
    expect(await asking(true, 3)).toBe('at b');
    await expect(asking(false, 3)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
  });

  it('that does not hear itself ends what it holds, and starts nothing', async () => {
    const hub = new MemoryHub();
    const started = new Map<string, string>();
    const a = await instance(hub, 'a', started);
    await a.run('k1');
    expect(started.get('k1')).toBe('a');
    const { tell } = a.bus;
    a.bus.tell = () => {
      throw new Fault('BACKEND_UNAVAILABLE', 'not connected');
    };
    const lost = performance.now();
    while (started.size > 0 && performance.now() - lost < 10_000) await delay(20);
    expect(started.size).toBe(0);
    await expect(a.run('k1', 300)).rejects.toMatchObject({ code: 'TIMEOUT', executed: 'no' });
    a.bus.tell = tell;
    expect(await a.run('k1')).toBe('a');
  });

  it('that does not hear itself takes no other for dead: it is itself who may have missed it', async () => {
    const a = await instance(new MemoryHub(), 'a', new Map());
    const key = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6'].find((one) => ownerOf(one, ['a', 'other']) === 'other')!;
    await a.run('own');
    a.bus.tell(upstreamsAlive, { instance: 'other', sentAt: 0, holds: [key], leaving: false });
    await delay(50);
    let begun = (): void => undefined;
    const asking = new Promise<void>((resolve) => (begun = resolve));
    const asked = a.peers
      .run(
        key,
        AbortSignal.timeout(20_000),
        () => Promise.resolve(),
        () => Promise.resolve('here'),
        (_at, gone) => {
          begun();
          return new Promise<string>((_, reject) => gone.addEventListener('abort', () => reject(gone.reason)));
        },
      )
      .catch((error: unknown) => error);
    await asking;
    const { tell } = a.bus;
    a.bus.tell = () => {
      throw new Fault('BACKEND_UNAVAILABLE', 'not connected');
    };
    expect(await Promise.race([asked, delay(2 * PACE.silentMs, 'waits')])).toBe('waits');
    a.bus.tell = tell;
    const heard = performance.now();
    // What was asked of it may have run there.
    expect(await asked).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    expect(performance.now() - heard).toBeGreaterThan(PACE.silentMs - 50);
  });

  it('keep what could not be ended, and try again', async () => {
    const hub = new MemoryHub();
    const a = await instance(hub, 'a', new Map());
    const key = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6'].find((one) => ownerOf(one, ['a', 'b']) === 'b')!;
    let ends = 0;
    const letGo = async (): Promise<void> => {
      if (++ends === 1) throw new Error('it does not end');
    };
    const there = (at: string): Promise<string> => Promise.resolve(`at ${at}`);
    const run = () => a.peers.run(key, AbortSignal.timeout(15_000), letGo, () => Promise.resolve('a'), there);
    expect(await run()).toBe('a');
    const b = await instance(hub, 'b', new Map());
    expect(await b.run(key)).toBe('b');
    expect(ends).toBe(2);
    expect(await run()).toBe('at b');
  });

  it('leave no timer and no listener', async () => {
    const hub = new MemoryHub();
    const { peers, bus } = await instance(hub, 'a', new Map());
    await peers.close();
    const heard: unknown[] = [];
    await bus.listen(upstreamsAlive, (beat) => void heard.push(beat));
    await delay(1_200);
    expect(heard).toEqual([]);
  });
});
