import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryHub, memoryBus } from '@portico/bus';
import {
  Fault,
  describeSource,
  discoverCatalogue,
  discoverSource,
  sourceChanged,
  sourceHello,
} from '@portico/contracts';
import type { SourceAddress } from '@portico/contracts';
import { readConfig as readDiscoveryConfig, startDiscovery } from '@portico/discovery';
import { serveDomain } from '@portico/domain-kit';
import { readConfig, startFrontDoor } from '@portico/front-door';
import { createLog } from '@portico/observe';
import { startLegacyHttpServer } from '@portico/testkit';
import { echoDomain } from './echo-domain.js';
import { type OpenDoor, openDoor, requestOf } from './open-door.js';

const until = async (condition: () => boolean | Promise<boolean>, ms = 8_000): Promise<void> => {
  for (const end = Date.now() + ms; !(await condition()); await delay(10)) {
    if (Date.now() > end) throw new Error('It did not happen.');
  }
};
interface Listed {
  readonly names: string[];
  readonly ttlMs: number;
}
const listed = ({ result }: { result: { tools: { name: string }[]; ttlMs: number } }): Listed => ({
  names: result.tools.map(({ name }) => name),
  ttlMs: result.ttlMs,
});

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe('[FD-29] gateway.health', () => {
  let door: OpenDoor;
  beforeEach(async () => {
    door = await openDoor({ BREAKER_FAILURES: '2' });
    closers.push(() => door.close());
  });
  const health = async (): Promise<Record<string, Record<string, unknown>>> => {
    const { message } = await door.rpc('tools/call', { name: 'gateway.health', arguments: {} });
    const { domains } = JSON.parse(message.result.content[0].text as string) as { domains: { name: string }[] };
    return Object.fromEntries(domains.map((domain) => [domain.name, domain]));
  };
  const announce = (source: SourceAddress): void =>
    door.bus.tell(sourceHello, {
      source,
      instance: 'one',
      version: '1',
      contracts: '1.0',
      configuration: 'c',
      connectTimeoutMs: 2_000,
    });

  it('tells of each domain: not asked, up, failing with its breaker, and gone', async () => {
    let fails = false;
    const { domain } = echoDomain();
    const served = await door.serve(domain);
    const flaky: SourceAddress = 'domain.flaky';
    const { message: own } = await door.rpc('tools/list');
    expect(listed(own).names).toContain('demo.echo');
    await door.bus.serve(describeSource(flaky), async () => {
      if (fails) throw new Fault('UNAUTHENTICATED', 'No.');
      return door.bus.ask(describeSource('domain.demo'), {});
    });
    announce(flaky);
    await until(async () => (await health())['flaky']?.['state'] === 'up');
    expect(Object.keys((await health())['flaky']!).sort()).toEqual([
      'breaker',
      'catalogue_age_ms',
      'checked_at',
      'name',
      'state',
    ]);
    expect((await health())['flaky']!['catalogue_age_ms']).toEqual(expect.any(Number));
    expect(Number.isInteger((await health())['flaky']!['catalogue_age_ms'])).toBe(true);
    fails = true;
    door.bus.tell(sourceChanged, { source: flaky });
    await until(async () => (await health())['flaky']?.['last_error'] !== undefined);
    expect((await health())['flaky']).toMatchObject({
      state: 'degraded',
      breaker: 'closed',
      last_error: 'unauthorized',
    });
    door.bus.tell(sourceChanged, { source: flaky });
    await until(async () => (await health())['flaky']?.['breaker'] === 'open');
    expect((await health())['flaky']).toMatchObject({ state: 'down', last_error: 'unauthorized' });
    expect((await health())['gateway']).toEqual({ name: 'gateway', state: 'up', breaker: 'closed' });
    expect((await health())['demo']).toMatchObject({ state: 'up', breaker: 'closed' });
    await served.close();
    await until(async () => (await health())['demo'] === undefined);
  });

  it('[DI-8] a source never asked is unknown, and one that can not be had is soon said to be down, in health and ttlMs', async () => {
    announce('domain.mute');
    await until(async () => (await health())['mute']?.['state'] === 'unknown');
    expect((await health())['mute']).toEqual({ name: 'mute', state: 'unknown', breaker: 'closed' });
    const first = listed((await door.rpc('tools/list')).message);
    const { message } = await door.rpc('tools/call', { name: 'gateway.describe', arguments: {} });
    expect(message.result.isError).not.toBe(true);
    // Once it has failed, nothing is awaited any more, and clients may keep the list, though nobody said so but discovery.
    await until(async () => (await health())['mute']?.['state'] === 'down');
    await until(async () => listed((await door.rpc('tools/list')).message).ttlMs === 300_000);
    expect(first.names).toContain('gateway.health');
  });
});

describe('[DI-12] a strict server', () => {
  it('that demands a session does not look dead, however often it is probed', async () => {
    const server = await startLegacyHttpServer();
    closers.push(() => server.close());
    const door = await openDoor(
      { MCP_DISCOVERY_CACHE_TTL_SECS: '0.2' },
      { servers: { strict: { url: server.url, allowPrivate: true } } },
    );
    closers.push(() => door.close());
    for (let n = 0; n < 5; n++) {
      const { names } = listed((await door.rpc('tools/list')).message);
      if (n > 0) expect(names.some((name) => name.startsWith('strict.'))).toBe(true);
      const { message } = await door.rpc('tools/call', { name: 'gateway.health', arguments: {} });
      const { domains } = JSON.parse(message.result.content[0].text as string) as { domains: { name: string }[] };
      expect(domains.find(({ name }) => name === 'strict')).toMatchObject({ state: 'up', breaker: 'closed' });
      await delay(300);
    }
    expect(server.sessions.size).toBe(1);
  }, 20_000);

  it('[DI-1][DI-4] is asked for its tools once by 1,000 concurrent first lists', async () => {
    const server = await startLegacyHttpServer();
    closers.push(() => server.close());
    const door = await openDoor({}, { servers: { one: { url: server.url, allowPrivate: true } } });
    closers.push(() => door.close());
    await Promise.all(Array.from({ length: 1_000 }, () => door.rpc('tools/list')));
    const lists = server.requests.filter(({ message }) => (message as { method?: string }).method === 'tools/list');
    expect(lists).toHaveLength(1);
  }, 30_000);
});

describe('[DI-1] a call that names a source never yet asked', () => {
  it('has that one asked, and no other', async () => {
    const door = await openDoor();
    closers.push(() => door.close());
    for (const name of ['wanted', 'other', 'another']) {
      await door.serve(echoDomain(name).domain);
    }
    const { message } = await door.rpc('tools/call', { name: 'wanted.echo', arguments: { text: 'hello' } });
    expect(message.result.isError).not.toBe(true);
    await delay(300);
    const { sources } = await door.bus.ask(discoverCatalogue, { probe: false });
    expect(sources.map(({ source, state }) => [source, state])).toEqual([
      ['domain.another', 'pending'],
      ['domain.other', 'pending'],
      ['domain.wanted', 'fresh'],
    ]);
  });
});

describe('[DI-4] two hundred concurrent first calls', () => {
  it('[DI-1] have discovery asked for the source once, and later calls ask it nothing', async () => {
    const bus = memoryBus();
    closers.push(() => bus.close());
    let asked = 0;
    let looked = 0;
    await bus.serve(discoverCatalogue, async () => {
      looked++;
      return { revision: 'r', sources: [{ source: 'domain.demo' as const, state: 'pending' as const }] };
    });
    await bus.serve(discoverSource, async () => {
      asked++;
      await delay(100);
      return bus.ask(describeSource('domain.demo'), {});
    });
    const door = await openDoor({ DOMAIN_CONCURRENCY_LIMIT: '0' }, { bus, discovery: false });
    closers.push(() => door.close());
    await door.serve(echoDomain().domain);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => door.rpc('tools/call', { name: 'demo.echo', arguments: { text: 'hello' } })),
    );
    for (const { message } of answers) expect(message.result.isError).not.toBe(true);
    expect(asked).toBe(1);
    const before = looked;
    for (let n = 0; n < 5; n++) await door.rpc('tools/call', { name: 'demo.echo', arguments: { text: 'again' } });
    expect([asked, looked]).toEqual([1, before]);
  });
});

describe('[DI-11] which source serves a tool', () => {
  it('comes from the catalogue, and any living instance of it answers', async () => {
    const hub = new MemoryHub();
    const log = createLog({ name: 'test', level: 'silent' });
    const door = await openDoor({}, { bus: memoryBus({ hub, log }) });
    closers.push(() => door.bus.close());
    closers.push(() => door.close());
    const serve = async (instance: string) => {
      const { domain, calls } = echoDomain();
      const bus = memoryBus({ hub, log });
      const served = await serveDomain(bus, domain, { instance });
      closers.push(() => served.close());
      return { calls, close: () => served.close() };
    };
    const [one, two] = [await serve('one'), await serve('two')];
    const call = async () => {
      const { message } = await door.rpc('tools/call', { name: 'demo.echo', arguments: { text: 'hello' } });
      expect(message.result.isError).not.toBe(true);
    };
    for (let n = 0; n < 20; n++) await call();
    expect(one.calls.length + two.calls.length).toBe(20);
    expect(Math.min(one.calls.length, two.calls.length)).toBeGreaterThan(0);
    await one.close();
    const before = two.calls.length;
    for (let n = 0; n < 10; n++) await call();
    expect(two.calls.length).toBe(before + 10);
    expect(listed((await door.rpc('tools/list')).message).names).toContain('demo.echo');
  });
});

describe('[DI-10][DI-7] a front door keeps its tools', () => {
  const hub = new MemoryHub();
  const log = createLog({ name: 'test', level: 'silent' });
  const discover = async (home: string) => {
    const bus = memoryBus({ hub, log });
    const discovery = await startDiscovery(bus, readDiscoveryConfig({ PORTICO_HOME: home }), log);
    return async () => {
      await discovery.close();
      await bus.close();
    };
  };
  const open = async (home: string) => {
    const bus = memoryBus({ hub, log });
    const door = await startFrontDoor(bus, readConfig({ PORT: '0', ADMIN_PORT: '0', PORTICO_HOME: home }), log);
    closers.push(async () => {
      await door.close();
      await bus.close();
    });
    return async (): Promise<Listed> => {
      const { body, headers } = requestOf('tools/list', {});
      const response = await fetch(`${door.url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify(body),
      });
      return listed((await response.json()) as Parameters<typeof listed>[0]);
    };
  };
  const folder = (): string => {
    const home = mkdtempSync(join(tmpdir(), 'portico-lazy-'));
    closers.push(async () => rmSync(home, { recursive: true, force: true }));
    return home;
  };
  const serve = async (name: string) => {
    const bus = memoryBus({ hub, log });
    const served = await serveDomain(bus, echoDomain(name).domain, { instance: `${name}-1` });
    closers.push(() => served.close());
    return served;
  };

  it.each([
    ['with its documents', (home: string) => home],
    ['with nothing left of them', () => folder()],
  ])(
    'while discovery alone restarts, %s',
    async (_with, next) => {
      const home = folder();
      const stop = await discover(home);
      await serve('alpha');
      const list = await open(home);
      expect((await list()).names).toContain('alpha.echo');
      await stop();
      expect((await list()).names).toContain('alpha.echo');
      closers.push(await discover(next(home)));
      for (const end = Date.now() + 4_500; Date.now() < end; await delay(50)) {
        expect((await list()).names).toContain('alpha.echo');
      }
      // And hears again of who comes and goes.
      const beta = await serve('beta');
      await until(async () => (await list()).names.includes('beta.echo'));
      await beta.close();
      await until(async () => !(await list()).names.includes('beta.echo'));
    },
    20_000,
  );

  it('and lets go of those of a source that left while discovery was away, once it has settled', async () => {
    const home = folder();
    const stop = await discover(home);
    const alpha = await serve('alpha');
    await serve('beta');
    const list = await open(home);
    await until(async () => (await list()).names.includes('alpha.echo'));
    await stop();
    await alpha.close();
    closers.push(await discover(folder()));
    await until(async () => !(await list()).names.includes('alpha.echo'), 12_000);
    expect((await list()).names).toContain('beta.echo');
  }, 25_000);

  it('a bye takes them away at once, also while discovery has just started', async () => {
    const home = folder();
    closers.push(await discover(home));
    const alpha = await serve('alpha');
    const list = await open(home);
    expect((await list()).names).toContain('alpha.echo');
    const begun = Date.now();
    await alpha.close();
    await until(async () => !(await list()).names.includes('alpha.echo'));
    expect(Date.now() - begun).toBeLessThan(2_000);
  });
});
