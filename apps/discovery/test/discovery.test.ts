import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryHub, memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { Fault, catalogueChanged, discoverCatalogue, discoverSource, discoveryHealth } from '@portico/contracts';
import type { PayloadOf, SourceAddress, SourceSummary } from '@portico/contracts';
import { readConfig, startDiscovery } from '@portico/discovery';
import { createLog } from '@portico/observe';
import { catalogueOf, eventually, hang, openSource } from './sources.js';
import type { TestSource } from './sources.js';

type Change = PayloadOf<typeof catalogueChanged>;

/** Longer than changes are gathered and followed: what has not been told by then is not told. */
const SETTLED_MS = 400;

let hub: MemoryHub;
let bus: Bus;
let changes: Change[];
let closers: { close(): Promise<void> }[];
let home: string;
const log = createLog({ name: 'discovery', level: 'silent' });

const discover = async (env: Record<string, string> = {}): Promise<void> => {
  closers.push(await startDiscovery(memoryBus({ hub, log }), readConfig({ PORTICO_HOME: home, ...env }), log));
};
const open = async (
  ...given: [SourceAddress, TestSource['answer'], Parameters<typeof openSource>[3]?]
): Promise<TestSource> => {
  const source = await openSource(memoryBus({ hub, log }), ...given);
  closers.push(source);
  return source;
};
const summaryOf = async (source: SourceAddress): Promise<SourceSummary | undefined> =>
  (await bus.ask(discoverCatalogue, { probe: true })).sources.find((summary) => summary.source === source);
const reaches = (source: SourceAddress, state: SourceSummary['state']): Promise<void> =>
  eventually(async () => expect((await summaryOf(source))?.state).toBe(state));
const toolsOf = async (source: SourceAddress): Promise<string[]> =>
  (await bus.ask(discoverSource, { source })).tools.map(({ definition }) => definition.name);

beforeEach(async () => {
  hub = new MemoryHub();
  bus = memoryBus({ hub, log });
  changes = [];
  closers = [];
  home = mkdtempSync(join(tmpdir(), 'portico-discovery-'));
  await bus.listen(catalogueChanged, (change) => void changes.push(change));
});

afterEach(async () => {
  await Promise.all(closers.map((closer) => closer.close()));
  await bus.close();
  rmSync(home, { recursive: true, force: true });
});

describe('discovery', () => {
  it('[DI-10] hears of sources that were there before it, and of those that come after', async () => {
    await open('domain.before', () => catalogueOf('a'));
    await discover();
    await open('upstream.after', () => catalogueOf('b'));
    await eventually(async () => {
      const { sources } = await bus.ask(discoverCatalogue, { probe: true });
      expect(sources.map(({ source }) => source)).toEqual(['domain.before', 'upstream.after']);
    });
  });

  it('[FD-7][DI-1][DI-8] asks no source anything by its own start, and answers at once while one hangs', async () => {
    const hanging = await open('upstream.hanging', hang);
    const good = await open('domain.good', () => catalogueOf('a'));
    await discover();
    await delay(100);
    expect([hanging.asked, good.asked]).toEqual([0, 0]);

    const begun = performance.now();
    const { sources } = await bus.ask(discoverCatalogue, { probe: true });
    expect(performance.now() - begun).toBeLessThan(500);
    expect(sources.map(({ state }) => state)).toEqual(['pending', 'pending']);
    await reaches('domain.good', 'fresh');
    expect((await summaryOf('upstream.hanging'))?.state).toBe('pending');
    expect(hanging.asked).toBe(1);
  });

  it('[FD-7] one hundred hanging sources keep nobody from a source that is asked for by name', async () => {
    for (let n = 0; n < 100; n++) await open(`upstream.hanging-${n}`, hang);
    await open('domain.good', () => catalogueOf('a'));
    await discover();
    await bus.ask(discoverCatalogue, { probe: true });
    expect(await toolsOf('domain.good')).toEqual(['a']);
  });

  it('[DI-1][DI-4] asks a source once, however many ask for it at the same time', async () => {
    const source = await open('domain.slow', async () => {
      await delay(50);
      return catalogueOf('a');
    });
    await discover();
    await Promise.all([
      ...Array.from({ length: 500 }, () => toolsOf('domain.slow')),
      ...Array.from({ length: 500 }, () => bus.ask(discoverCatalogue, { probe: true })),
    ]);
    expect(source.asked).toBe(1);
  });

  it('[DI-1][DI-2] answers from memory what was asked for before', async () => {
    const source = await open('domain.a', () => catalogueOf('a', 'b'));
    await discover();
    expect(await toolsOf('domain.a')).toEqual(['a', 'b']);
    expect(await toolsOf('domain.a')).toEqual(['a', 'b']);
    expect(source.asked).toBe(1);
    expect(await summaryOf('domain.a')).toMatchObject({ state: 'fresh', ageMs: expect.any(Number) });
  });

  it('[DI-3] asks each time when the TTL is 0, and still answers when the source has failed since', async () => {
    const source = await open('domain.a', () => catalogueOf('a'));
    await discover({ MCP_DISCOVERY_CACHE_TTL_SECS: '0' });
    await toolsOf('domain.a');
    source.answer = () => catalogueOf('b');
    expect(await toolsOf('domain.a')).toEqual(['b']);
    source.answer = () => Promise.reject(new Error('broken'));
    expect(await toolsOf('domain.a')).toEqual(['b']);
    expect(source.asked).toBe(3);
  });

  it('[DI-7] serves what is past its TTL as stale while one refresh runs', async () => {
    const source = await open('domain.a', () => catalogueOf('a'));
    await discover({ MCP_DISCOVERY_CACHE_TTL_SECS: '0.05' });
    await toolsOf('domain.a');
    await delay(60);
    let answer: (() => void) | undefined;
    source.answer = async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      return catalogueOf('b');
    };
    expect((await summaryOf('domain.a'))?.state).toBe('stale');
    expect(await toolsOf('domain.a')).toEqual(['a']);
    expect(await toolsOf('domain.a')).toEqual(['a']);
    expect(source.asked).toBe(2);
    answer!();
    await eventually(async () => expect(await toolsOf('domain.a')).toEqual(['b']));
  });

  it('[DI-2] gives the pages of one revision, and refuses a cursor of another', async () => {
    const many = (mark: string) => Array.from({ length: 2_000 }, (_, n) => `${mark}${n}-${'x'.repeat(500)}`);
    const source = await open('domain.big', () => catalogueOf(...many('a')));
    await discover();
    const names: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await bus.ask(discoverSource, { source: 'domain.big', cursor });
      names.push(...page.tools.map(({ definition }) => definition.name));
      cursor = page.nextCursor;
      pages++;
    } while (cursor !== undefined);
    expect(pages).toBeGreaterThan(1);
    expect(names.sort()).toEqual(many('a').sort());
    expect(source.asked).toBe(1);

    const { nextCursor } = await bus.ask(discoverSource, { source: 'domain.big' });
    source.answer = () => catalogueOf(...many('b'));
    source.changed();
    await eventually(() => expect(changes).toHaveLength(2));
    await expect(bus.ask(discoverSource, { source: 'domain.big', cursor: nextCursor })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });

  it('refuses a source that nobody serves', async () => {
    await discover();
    await expect(toolsOf('domain.nobody')).rejects.toMatchObject({ code: 'NOT_FOUND', executed: 'no' });
  });

  it('[DI-5] tries again what can pass, and at once gives up what can not', async () => {
    const passing = await open('domain.passing', () => {
      if (passing.asked < 3) throw new Fault('BACKEND_UNAVAILABLE', 'Not yet.', { executed: 'no' });
      return catalogueOf('a');
    });
    const refusing = await open('domain.refusing', () => {
      throw new Fault('UNAUTHENTICATED', 'No.');
    });
    await discover();
    expect(await toolsOf('domain.passing')).toEqual(['a']);
    expect(passing.asked).toBe(3);
    await expect(toolsOf('domain.refusing')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(refusing.asked).toBe(1);
  });

  it.each([
    ['unreachable', () => Promise.reject(new Fault('BACKEND_UNAVAILABLE', 'Down.'))],
    ['timeout', hang],
    ['unauthorized', () => Promise.reject(new Fault('UNAUTHENTICATED', 'No.'))],
    ['unauthorized', () => Promise.reject(new Fault('PERMISSION_DENIED', 'No.'))],
    ['invalid_response', () => Promise.reject(new Error('garbage'))],
  ])('[DI-6] says %s of a source that never answered, and since when', async (error, answer) => {
    await open('upstream.bad', answer, { connectTimeoutMs: 200 });
    await discover();
    await expect(toolsOf('upstream.bad')).rejects.toBeInstanceOf(Fault);
    const summary = await summaryOf('upstream.bad');
    expect(summary).toEqual({ source: 'upstream.bad', state: 'unavailable', error, since: expect.any(String) });
    expect(Date.now() - Date.parse(summary!.since!)).toBeLessThan(5_000);
  });

  it('asks one that failed again when it is called by name', async () => {
    const source = await open('upstream.a', () => Promise.reject(new Error('broken')));
    await discover();
    await expect(toolsOf('upstream.a')).rejects.toBeInstanceOf(Fault);
    source.answer = () => catalogueOf('a');
    expect(await toolsOf('upstream.a')).toEqual(['a']);
  });

  it('does not ask one that has just failed again because somebody asks for the whole', async () => {
    const source = await open('upstream.a', () => Promise.reject(new Error('broken')));
    await discover();
    await reaches('upstream.a', 'unavailable');
    for (let n = 0; n < 20; n++) await bus.ask(discoverCatalogue, { probe: true });
    await delay(50);
    expect(source.asked).toBe(1);
  });

  it('[DI-4] lets one asker go at its deadline, and the probe on for the others', async () => {
    let answer: (() => void) | undefined;
    const source = await open('domain.slow', async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      return catalogueOf('a');
    });
    await discover();
    const patient = toolsOf('domain.slow');
    await expect(bus.ask(discoverSource, { source: 'domain.slow' }, { deadlineMs: 50 })).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
    answer!();
    expect(await patient).toEqual(['a']);
    expect(source.asked).toBe(1);
  });

  it('[DI-12] tells of health: up, degraded, down, unknown', async () => {
    const failing = await open('domain.degraded', () => catalogueOf('a'));
    await open('domain.down', () => Promise.reject(new Error('broken')));
    await open('domain.unknown', hang);
    await open('domain.up', () => catalogueOf('a'));
    await discover();
    await toolsOf('domain.degraded');
    await toolsOf('domain.up');
    await expect(toolsOf('domain.down')).rejects.toBeInstanceOf(Fault);
    failing.answer = () => Promise.reject(new Error('broken'));
    failing.changed();
    await eventually(async () => {
      const { sources } = await bus.ask(discoveryHealth, {});
      expect(sources.map(({ source, state, lastError }) => [source, state, lastError])).toEqual([
        ['domain.degraded', 'degraded', 'invalid_response'],
        ['domain.down', 'down', 'invalid_response'],
        ['domain.unknown', 'unknown', undefined],
        ['domain.up', 'up', undefined],
      ]);
    });
  });
});

describe('[FD-32] a change of the catalogue', () => {
  it('is told once, after it has really changed', async () => {
    const source = await open('domain.a', () => catalogueOf('a'));
    await discover();
    await toolsOf('domain.a');
    await eventually(() => expect(changes).toHaveLength(1));
    expect(changes[0]!.sources).toEqual(['domain.a']);

    source.answer = () => catalogueOf('a', 'b');
    for (let n = 0; n < 10; n++) source.changed();
    await eventually(() => expect(changes).toHaveLength(2));
    const { revision } = await bus.ask(discoverCatalogue, { probe: true });
    expect(changes[1]).toEqual({ revision, sources: ['domain.a'] });
    expect(await toolsOf('domain.a')).toEqual(['a', 'b']);
    await delay(SETTLED_MS);
    expect(changes).toHaveLength(2);
    expect(source.asked).toBe(2);
  });

  it('[DI-8] is not told of a source that only says so', async () => {
    const source = await open('domain.a', () => catalogueOf('a'));
    await discover();
    await toolsOf('domain.a');
    await eventually(() => expect(changes).toHaveLength(1));
    const { revision } = changes[0]!;
    source.changed();
    await eventually(() => expect(source.asked).toBe(2));
    await delay(SETTLED_MS);
    expect(changes).toHaveLength(1);
    expect((await bus.ask(discoverCatalogue, { probe: false })).revision).toBe(revision);
  });

  it('[DI-8] has a revision that content alone decides: another process has the same, other content another', async () => {
    const source = await open('domain.a', () => catalogueOf('a', 'b'));
    await open('domain.b', () => catalogueOf('c'));
    const revisionOf = async (folder: string): Promise<string> => {
      await discover({ PORTICO_HOME: join(home, folder) });
      await toolsOf('domain.b');
      await toolsOf('domain.a');
      await delay(20);
      const { revision } = await bus.ask(discoverCatalogue, { probe: false });
      await closers.pop()!.close();
      return revision;
    };
    const first = await revisionOf('1');
    expect(await revisionOf('2')).toBe(first);
    source.answer = () => catalogueOf('b', 'a');
    expect(await revisionOf('3')).toBe(first);
    source.answer = () => catalogueOf('a');
    expect(await revisionOf('4')).not.toBe(first);
  });

  it('is none of content when a source arrives that has published nothing yet: that it is awaited is told', async () => {
    await discover();
    const { revision } = await bus.ask(discoverCatalogue, { probe: true });
    await open('upstream.hanging', hang);
    await eventually(async () => expect((await summaryOf('upstream.hanging'))?.state).toBe('pending'));
    await delay(SETTLED_MS);
    expect((await bus.ask(discoverCatalogue, { probe: true })).revision).toBe(revision);
    expect(changes).toEqual([{ revision, sources: ['upstream.hanging'] }]);
  });

  it('during a probe brings exactly one more probe', async () => {
    let answer: (() => void) | undefined;
    const source = await open('domain.a', async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      return catalogueOf('old');
    });
    await discover();
    const first = toolsOf('domain.a');
    await eventually(() => expect(source.asked).toBe(1));
    for (let n = 0; n < 5; n++) source.changed();
    await delay(20);
    source.answer = () => catalogueOf('new');
    answer!();
    expect(await first).toEqual(['old']);
    await eventually(async () => expect(await toolsOf('domain.a')).toEqual(['new']));
    await delay(SETTLED_MS);
    expect(source.asked).toBe(2);
  });

  it('of several sources at once is told together', async () => {
    await open('domain.a', () => catalogueOf('a'));
    await open('domain.b', () => catalogueOf('b'));
    await discover();
    await bus.ask(discoverCatalogue, { probe: true });
    await eventually(() => expect(changes.flatMap(({ sources }) => sources)).toEqual(['domain.a', 'domain.b']));
    expect(changes).toHaveLength(1);
  });

  it('[DI-7] is nothing that a failing source makes: its last known catalogue stays', async () => {
    const source = await open('upstream.a', () => catalogueOf('a'));
    await discover();
    await toolsOf('upstream.a');
    await eventually(() => expect(changes).toHaveLength(1));
    source.answer = () => Promise.reject(new Error('broken'));
    source.changed();
    await eventually(async () =>
      expect(await summaryOf('upstream.a')).toMatchObject({ state: 'stale', error: 'invalid_response' }),
    );
    expect(await toolsOf('upstream.a')).toEqual(['a']);
    await delay(SETTLED_MS);
    expect(changes).toHaveLength(1);
  });

  it('of a flapping source never touches another', async () => {
    const flapping = await open('upstream.flapping', () => catalogueOf('x'));
    const steady = await open('domain.steady', () => catalogueOf('a'));
    await discover();
    await toolsOf('upstream.flapping');
    await toolsOf('domain.steady');
    const before = await summaryOf('domain.steady');
    await eventually(() => expect(changes.flatMap(({ sources }) => sources)).toHaveLength(2));
    const settled = changes.length;

    for (let n = 0; n < 20; n++) {
      flapping.answer = n % 3 === 0 ? () => Promise.reject(new Error('broken')) : () => catalogueOf(`x${n}`);
      flapping.changed();
      expect(await toolsOf('domain.steady')).toEqual(['a']);
      await delay(40);
    }
    await eventually(async () => expect(await toolsOf('upstream.flapping')).toEqual(['x19']));
    const told = changes.slice(settled);
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told.flatMap(({ sources }) => sources))).toEqual(new Set(['upstream.flapping']));
    expect(await summaryOf('domain.steady')).toEqual({ ...before, ageMs: expect.any(Number) });
    expect(steady.asked).toBe(1);
  });
});

describe('coming and going', () => {
  it('[FD-32] a source that says bye is gone, and that is told', async () => {
    const source = await open('domain.a', () => catalogueOf('a'));
    await discover();
    await toolsOf('domain.a');
    await eventually(() => expect(changes).toHaveLength(1));
    await source.close();
    await eventually(() => expect(changes).toHaveLength(2));
    expect(changes[1]!.sources).toEqual(['domain.a']);
    const { revision, sources } = await bus.ask(discoverCatalogue, { probe: true });
    expect({ revision, sources }).toEqual({ revision: changes[1]!.revision, sources: [] });
  });

  it('[DI-10][DI-11] stays while another instance serves it', async () => {
    const first = await open('domain.a', () => catalogueOf('a'), { instance: 'one' });
    await open('domain.a', () => catalogueOf('a'), { instance: 'two' });
    await discover();
    await toolsOf('domain.a');
    await first.close();
    await delay(SETTLED_MS);
    expect(await toolsOf('domain.a')).toEqual(['a']);
    expect(changes).toHaveLength(1);
  });

  it('[DI-12] asks none of who is there for one who only wants to know that', async () => {
    const source = await open('domain.a', () => catalogueOf('a'));
    await discover();
    await eventually(async () =>
      expect((await bus.ask(discoverCatalogue, { probe: false })).sources).toEqual([
        { source: 'domain.a', state: 'pending' },
      ]),
    );
    const later = await open('domain.b', () => catalogueOf('a'));
    await delay(SETTLED_MS);
    expect([source.asked, later.asked]).toEqual([0, 0]);
  });

  it('[DI-10] asks a source that arrives after somebody wanted the whole', async () => {
    await discover();
    await bus.ask(discoverCatalogue, { probe: true });
    await open('upstream.new', () => catalogueOf('a'));
    await eventually(() => expect(changes.map(({ sources }) => sources)).toEqual([['upstream.new']]));
  });

  it('[DI-9] asks a source again when its configuration has changed, and keeps nothing of the old one', async () => {
    const old = await open('upstream.a', () => catalogueOf('a', 'hidden'), { configuration: 'a' });
    await discover();
    await toolsOf('upstream.a');
    const renewed = await open('upstream.a', () => catalogueOf('a'), { configuration: 'b', instance: 'two' });
    await old.close();
    await eventually(async () => expect(await toolsOf('upstream.a')).toEqual(['a']));

    const broken = await open('upstream.a', () => Promise.reject(new Error('broken')), {
      configuration: 'c',
      instance: 'three',
    });
    await renewed.close();
    await eventually(async () => expect((await summaryOf('upstream.a'))?.state).toBe('unavailable'));
    expect(broken.asked).toBeGreaterThan(0);
  });

  it('leaves one alone that says the same hello again', async () => {
    const source = await open('domain.a', () => catalogueOf('a'));
    await discover();
    await toolsOf('domain.a');
    await discover();
    await delay(SETTLED_MS);
    expect(source.asked).toBe(1);
  });

  it('asks one that failed again when another instance of it comes', async () => {
    await open('domain.a', () => Promise.reject(new Error('broken')));
    await discover();
    await reaches('domain.a', 'unavailable');
    await open('domain.a', () => catalogueOf('a'), { instance: 'two' });
    await eventually(async () => {
      const { sources } = await bus.ask(discoverCatalogue, { probe: false });
      expect(sources).toMatchObject([{ source: 'domain.a', state: 'fresh' }]);
    });
  });

  it('ends while sources hang, and tells nothing afterwards', async () => {
    await open('domain.hanging', hang);
    const changing = await open('domain.changing', () => catalogueOf('a'));
    await discover();
    await toolsOf('domain.changing');
    await bus.ask(discoverCatalogue, { probe: true });
    changing.answer = () => catalogueOf('b');
    changing.changed();
    await delay(10);
    const told = changes.length;
    await closers.pop()!.close();
    await delay(SETTLED_MS);
    expect(changes).toHaveLength(told);
    await expect(bus.ask(discoverCatalogue, { probe: true })).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });
});
