import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryHub, memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import {
  CONTRACTS_VERSION,
  Fault,
  callTool,
  complete,
  describeSource,
  getPrompt,
  readResource,
  resourceUpdated,
  rollCall,
  sourceBye,
  sourceChanged,
  sourceHealth,
  sourceHeartbeat,
  sourceHello,
} from '@portico/contracts';
import type { CataloguePage, SourceCatalogue } from '@portico/contracts';
import { serveSource } from './serve-source.js';
import type { ServedSource, SourceService } from './serve-source.js';

const AT = 'domain.demo';
type Content = Omit<SourceCatalogue, 'revision'>;

const tool = (name: string, description = name) => ({
  definition: { name, description, inputSchema: { type: 'object' } },
  policy: { effect: 'read' as const },
});
const content = (tools: Content['tools'], identity: Partial<Content['identity']> = {}): Content => ({
  identity: {
    description: 'a demo',
    era: 'modern',
    protocolVersion: '2026-07-28',
    capabilities: { tools: {} },
    mount: 'namespace',
    callTimeoutMs: 1_000,
    ...identity,
  },
  tools,
  resources: [],
  resourceTemplates: [],
  prompts: [],
});
const service = (catalogue: () => Content, more: Partial<SourceService> = {}): SourceService => ({
  address: AT,
  version: '1.2.3',
  configuration: 'c1',
  connectTimeoutMs: 5_000,
  catalogue: async () => catalogue(),
  callTool: async ({ tool: name }) => ({ content: [{ type: 'text', text: name }] }),
  ...more,
});
const withPayload = (bus: Bus, maxPayload: number): Bus => ({
  maxPayload,
  ask: (...given) => bus.ask(...given),
  serve: (...given) => bus.serve(...given),
  tell: (...given) => bus.tell(...given),
  listen: (...given) => bus.listen(...given),
  close: () => bus.close(),
});
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('serveSource', () => {
  const ending: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const each of ending.splice(0).reverse()) await each.close();
  });
  const serve = async (bus: Bus, what: SourceService, logged: unknown[][] = []): Promise<ServedSource> => {
    const log = {
      info() {},
      warn: (...line: unknown[]) => logged.push(line),
      error: (...line: unknown[]) => logged.push(line),
    };
    const served = await serveSource(bus, what, { instance: 'i1', log });
    ending.push(bus, served);
    return served;
  };
  const pages = async (bus: Bus): Promise<CataloguePage[]> => {
    const all: CataloguePage[] = [];
    let cursor: string | undefined;
    do {
      const page = await bus.ask(describeSource(AT), cursor === undefined ? {} : { cursor });
      all.push(page);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  };

  it('[AD-1] says hello at start and at each roll call, changes when told to, and bye once', async () => {
    const bus = memoryBus();
    const heard: unknown[] = [];
    await bus.listen(sourceHello, (hello) => void heard.push(['hello', hello]));
    await bus.listen(sourceBye, (bye) => void heard.push(['bye', bye]));
    await bus.listen(sourceChanged, (changed) => void heard.push(['changed', changed]));
    await bus.listen(resourceUpdated, (updated) => void heard.push(['updated', updated]));
    let configuration = 'c1';
    const served = await serve(
      bus,
      Object.defineProperty(
        service(() => content([])),
        'configuration',
        { get: () => configuration },
      ),
    );
    await settle();
    configuration = 'c2';
    bus.tell(rollCall, {});
    served.changed();
    served.resourceUpdated('demo://x');
    await new Promise((resolve) => setTimeout(resolve, 200));
    await Promise.all([served.close(), served.close()]);
    served.changed();
    served.resourceUpdated('demo://x');
    bus.tell(rollCall, {});
    await settle();
    const hello = {
      source: AT,
      instance: 'i1',
      version: '1.2.3',
      contracts: CONTRACTS_VERSION,
      connectTimeoutMs: 5_000,
    };
    expect(heard).toHaveLength(5);
    expect(heard[0]).toEqual(['hello', { ...hello, configuration: 'c1' }]);
    expect(heard.slice(1)).toEqual(
      expect.arrayContaining([
        ['hello', { ...hello, configuration: 'c2' }],
        ['changed', { source: AT }],
        ['updated', { source: AT, uri: 'demo://x' }],
      ]),
    );
    expect(heard[4]).toEqual(['bye', { source: AT, instance: 'i1' }]);
    await expect(bus.ask(describeSource(AT), {})).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
    });
  });

  it('[DI-10] says bye before it waits for what runs, and beats no longer', async () => {
    const bus = memoryBus();
    const heard: string[] = [];
    await bus.listen(sourceBye, ({ source }) => void heard.push(`bye ${source}`));
    await bus.listen(sourceHeartbeat, ({ sources }) => void heard.push(`beat ${sources.join()}`));
    let finish: (() => void) | undefined;
    const served = await serve(
      bus,
      service(() => content([]), {
        callTool: () => new Promise((resolve) => (finish = () => resolve({ content: [] }))),
      }),
    );
    const call = bus.ask(callTool(AT), { tool: 'slow', arguments: {} }, { deadlineMs: 20_000 });
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    expect(heard).toEqual([`beat ${AT}`]);
    const closing = served.close();
    await settle();
    expect(heard).toEqual([`beat ${AT}`, `bye ${AT}`]);
    finish!();
    expect(await call).toEqual({ content: [] });
    await closing;
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    expect(heard).toEqual([`beat ${AT}`, `bye ${AT}`]);
  });

  it('tells of each resource that changes in a burst once, however many there are', async () => {
    const bus = memoryBus();
    const heard: string[] = [];
    await bus.listen(resourceUpdated, ({ uri }) => void heard.push(uri));
    const served = await serve(
      bus,
      service(() => content([])),
    );
    const uris = Array.from({ length: 2_500 }, (_, n) => `demo://${n}`);
    for (const uri of uris) served.resourceUpdated(uri);
    for (let n = 0; n < 5; n++) served.resourceUpdated(uris.at(-1)!);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(heard).toEqual(uris);
  });

  it('[AD-1] answers what it offers nothing of with UNSUPPORTED, and is up', async () => {
    const bus = memoryBus();
    await serve(
      bus,
      service(() => content([])),
    );
    const unsupported = { code: 'UNSUPPORTED', executed: 'no' };
    await expect(bus.ask(readResource(AT), { uri: 'a:b' }, { deadlineMs: 1_000 })).rejects.toMatchObject(unsupported);
    await expect(bus.ask(getPrompt(AT), { name: 'x' }, { deadlineMs: 1_000 })).rejects.toMatchObject(unsupported);
    const completion = { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } };
    await expect(bus.ask(complete(AT), completion)).rejects.toMatchObject(unsupported);
    expect(await bus.ask(sourceHealth(AT), {})).toEqual({ state: 'up' });
    const result = await bus.ask(callTool(AT), { tool: 'x', arguments: {} }, { deadlineMs: 1_000 });
    expect(result.content).toEqual([{ type: 'text', text: 'x' }]);
  });

  it('gives the same content the same revision in whatever order it comes, and other content another', async () => {
    const bus = memoryBus();
    let tools = [tool('a'), tool('b')];
    await serve(
      bus,
      service(() => content(tools)),
    );
    const revision = async () => (await bus.ask(describeSource(AT), {})).revision;
    const first = await revision();
    tools = [
      tool('b'),
      { policy: { effect: 'read' }, definition: { description: 'a', inputSchema: { type: 'object' }, name: 'a' } },
    ];
    expect(await revision()).toBe(first);
    tools = [tool('b'), tool('a', 'another')];
    expect(await revision()).not.toBe(first);
  });

  it('passes `refresh` on', async () => {
    const asked: boolean[] = [];
    const bus = memoryBus();
    await serve(
      bus,
      service(() => content([]), { catalogue: async ({ refresh }) => (asked.push(refresh), content([])) }),
    );
    await bus.ask(describeSource(AT), {});
    await bus.ask(describeSource(AT), { refresh: true });
    expect(asked).toEqual([false, true]);
  });

  describe('[FD-25] pages', () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      tool(`tool-${String(index).padStart(3, '0')}`, 'x'.repeat(200)),
    );

    it('fit half of what a message may hold, and make the whole', async () => {
      const bus = withPayload(memoryBus(), 20_000);
      await serve(
        bus,
        service(() => content(many)),
      );
      const all = await pages(bus);
      expect(all.length).toBeGreaterThan(5);
      for (const page of all) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(10_000);
      expect(new Set(all.map(({ revision }) => revision)).size).toBe(1);
      expect(all.flatMap(({ tools }) => tools)).toEqual(many);
    });

    it('are at most 512 KiB where a message may hold anything', async () => {
      const bus = memoryBus();
      await serve(
        bus,
        service(() => content(Array.from({ length: 30 }, (_, index) => tool(`t${index}`, 'é'.repeat(25_000))))),
      );
      const all = await pages(bus);
      expect(all.length).toBeGreaterThan(2);
      for (const page of all) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(512 * 1024);
      expect(all.flatMap(({ tools }) => tools)).toHaveLength(30);
    });

    it('leave out and log what fits none', async () => {
      const bus = withPayload(memoryBus(), 20_000);
      const logged: unknown[][] = [];
      await serve(
        bus,
        service(() => content([tool('a'), tool('big', 'x'.repeat(20_000)), tool('z')])),
        logged,
      );
      const all = await pages(bus);
      expect(all.flatMap(({ tools }) => tools.map(({ definition }) => definition.name))).toEqual(['a', 'z']);
      expect(logged).toEqual([['source.item-left-out', expect.objectContaining({ item: 'big' })]]);
    });

    it('leave room for items beside an identity that takes all of it', async () => {
      const bus = withPayload(memoryBus(), 20_000);
      const logged: unknown[][] = [];
      const loud = { instructions: 'x'.repeat(9_000), serverInfo: { name: 'demo', version: '1' } };
      await serve(
        bus,
        service(() => content([tool('a')], loud)),
        logged,
      );
      const [page] = await pages(bus);
      expect(page?.identity).not.toHaveProperty('instructions');
      expect(page?.identity.serverInfo).toEqual(loud.serverInfo);
      expect(page?.tools).toHaveLength(1);
      expect(logged[0]?.[0]).toBe('source.identity-shortened');
    });

    it('never mix two catalogues: a change in the middle leaves the pages of the first whole', async () => {
      const bus = withPayload(memoryBus(), 20_000);
      let tools = many;
      await serve(
        bus,
        service(() => content(tools)),
      );
      const first = await bus.ask(describeSource(AT), {});
      tools = [tool('only')];
      await bus.ask(describeSource(AT), {});
      const second = await bus.ask(describeSource(AT), { cursor: first.nextCursor! });
      expect(second.revision).toBe(first.revision);
      expect(second.tools[0]).toEqual(many[first.tools.length]);
    });

    it('are forgotten after a few newer ones, and then the asker is told to start again', async () => {
      const bus = withPayload(memoryBus(), 20_000);
      let version = 0;
      await serve(
        bus,
        service(() => content(many, { description: `version ${version}` })),
      );
      const { nextCursor } = await bus.ask(describeSource(AT), {});
      for (version = 1; version < 10; version++) await bus.ask(describeSource(AT), {});
      await expect(bus.ask(describeSource(AT), { cursor: nextCursor! })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
        executed: 'no',
        message: expect.stringMatching(/changed.*start again/),
      });
    });

    it('may be taken from two instances in turn', async () => {
      const hub = new MemoryHub();
      const [one, two, asker] = [0, 1, 2].map(() => withPayload(memoryBus({ hub }), 20_000)) as [Bus, Bus, Bus];
      await serve(
        one,
        service(() => content(many)),
      );
      await serve(
        two,
        service(() => content([...many].reverse())),
      );
      ending.push(asker);
      expect((await pages(asker)).flatMap(({ tools }) => tools)).toEqual(many);
    });

    it.each([
      '',
      'x',
      `${'0'.repeat(64)}.`,
      `${'0'.repeat(64)}.-1`,
      `${'0'.repeat(64)}.99999999999`,
      `${'g'.repeat(64)}.0`,
    ])('refuse a cursor like %j', async (cursor) => {
      const bus = memoryBus();
      await serve(
        bus,
        service(() => content([])),
      );
      await expect(bus.ask(describeSource(AT), { cursor })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    });
  });

  it('passes on the Fault of a source that cannot list', async () => {
    const bus = memoryBus();
    await serve(
      bus,
      service(() => {
        throw new Fault('BACKEND_UNAVAILABLE', 'not there');
      }),
    );
    await expect(bus.ask(describeSource(AT), {})).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: 'not there',
    });
  });

  it('leaves nothing open when the bus takes one of its subscriptions not', async () => {
    const bus = memoryBus();
    ending.push(bus);
    const refusing: Bus = {
      ...withPayload(bus, 20_000),
      serve: (call, handler) =>
        call.subject.endsWith('.health') ? Promise.reject(new Error('full')) : bus.serve(call, handler),
    };
    await expect(
      serveSource(
        refusing,
        service(() => content([])),
        { instance: 'i1' },
      ),
    ).rejects.toThrow('full');
    await expect(bus.ask(describeSource(AT), {})).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
    });
  });
});
