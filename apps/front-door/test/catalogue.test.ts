import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type SourceCatalogue, SourceAddress, describeSource, sourceHello } from '@portico/contracts';
import { type SourceService, serveSource } from '@portico/domain-kit';
import { echoDomain } from './echo-domain.js';
import { listen } from './listen.js';
import { type OpenDoor, openDoor } from './open-door.js';
import { plainSource } from './plain-source.js';

let door: OpenDoor;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.close());

const namesOf = async (of: OpenDoor) => {
  const { result } = (await of.rpc('tools/list')).message;
  return { names: (result.tools as { name: string }[]).map(({ name }) => name), ttlMs: result.ttlMs as number };
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (condition: () => boolean | Promise<boolean>, ms = 5_000): Promise<void> => {
  for (const end = Date.now() + ms; !(await condition());) {
    if (Date.now() > end) throw new Error('It did not happen.');
    await pause(10);
  }
};

/** A source whose tools can be exchanged while it is served. */
async function changingSource(name: string, first: string[], answerAfterMs = 0) {
  let tools = first;
  let asked = 0;
  const address = SourceAddress.parse(`domain.${name}`);
  const service: SourceService = {
    address,
    version: '1',
    configuration: 'c',
    connectTimeoutMs: 10_000,
    catalogue: async (): Promise<Omit<SourceCatalogue, 'revision'>> => {
      asked += 1;
      await pause(answerAfterMs);
      return {
        identity: {
          description: 'changes',
          era: 'modern',
          protocolVersion: '2026-07-28',
          capabilities: {},
          mount: 'namespace',
          callTimeoutMs: 1_000,
        },
        tools: tools.map((tool) => ({
          definition: { name: tool, description: tool, inputSchema: { type: 'object' } },
          policy: { effect: 'write' },
        })),
        resources: [],
        resourceTemplates: [],
        prompts: [],
      };
    },
    callTool: async () => ({ content: [{ type: 'text', text: 'ok' }] }),
  };
  const served = await serveSource(door.bus, service, { instance: `${name}-1` });
  return {
    asked: () => asked,
    become(next: string[]) {
      tools = next;
      served.changed();
    },
    flap: () => served.changed(),
    close: () => served.close(),
  };
}

/** A source that announces itself and never answers. */
function deadSource(name: string): void {
  const source = SourceAddress.parse(`upstream.${name}`);
  void door.bus.serve(describeSource(source), () => new Promise(() => undefined));
  door.bus.tell(sourceHello, {
    source,
    instance: name,
    version: '1',
    contracts: '1.0',
    configuration: 'c',
    connectTimeoutMs: 60_000,
  });
}

describe('[FD-7] a list never waits for what does not answer', () => {
  it('answers in under 2 s with what is there, and says that it must not be kept', async () => {
    for (let index = 0; index < 20; index += 1) deadSource(`dead-${index}`);
    await door.serve(echoDomain().domain);
    const started = performance.now();
    const { names, ttlMs } = await namesOf(door);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(names).toContain('demo.echo');
    expect(ttlMs).toBe(0);
    const again = performance.now();
    await namesOf(door);
    expect(performance.now() - again).toBeLessThan(1_000);
  });

  it('waits a moment for a slow one, so that the first list is whole', async () => {
    const slow = await changingSource('slow', ['tool'], 300);
    const { names, ttlMs } = await namesOf(door);
    expect(names).toContain('slow.tool');
    expect(ttlMs).toBe(300_000);
    expect(slow.asked()).toBe(1);
  });

  it('waits for nothing that was not there 1.6 s after the process began', async () => {
    const late = await openDoor({}, { startedAt: performance.now() - 1_600 });
    const source = SourceAddress.parse('domain.slow');
    await late.bus.serve(describeSource(source), () => new Promise(() => undefined));
    late.bus.tell(sourceHello, {
      source,
      instance: 's',
      version: '1',
      contracts: '1.0',
      configuration: 'c',
      connectTimeoutMs: 60_000,
    });
    const started = performance.now();
    const { names, ttlMs } = await namesOf(late);
    expect(performance.now() - started).toBeLessThan(1_000);
    expect([names.filter((name) => !name.startsWith('gateway.')), ttlMs]).toEqual([[], 0]);
    await late.close();
  });

  it('asks no source before somebody wants to know, and then each once', async () => {
    const source = await changingSource('lazy', ['tool']);
    await pause(200);
    expect(source.asked()).toBe(0);
    await Promise.all(Array.from({ length: 50 }, () => namesOf(door)));
    expect(source.asked()).toBe(1);
  });

  it('a call that names a source never yet asked has that one asked, and no other', async () => {
    const wanted = await changingSource('wanted', ['tool']);
    const { message } = await door.rpc('tools/call', { name: 'wanted.tool' });
    expect(message.result.content).toEqual([{ type: 'text', text: 'ok' }]);
    expect(wanted.asked()).toBe(1);
  });
});

describe('[FD-7] long after the start', () => {
  it.each(['prompts/get', 'tools/call'])('%s of a source never yet asked has it asked first', async (method) => {
    await namesOf(door);
    // Lists wait for nobody any more.
    await pause(1_300);
    let asked = 0;
    const plain = plainSource('late', ['tool'], { lists: { prompts: [{ name: 'ask' }] } });
    const served = await serveSource(
      door.bus,
      {
        ...plain,
        catalogue: async (options) => {
          asked += 1;
          await pause(300);
          return plain.catalogue(options);
        },
        getPrompt: async () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'asked' } }] }),
      },
      { instance: 'late-1' },
    );
    const { message } = await door.rpc(method, { name: method === 'tools/call' ? 'late.tool' : 'late.ask' });
    expect(message.error).toBeUndefined();
    expect(message.result).toMatchObject(method === 'tools/call' ? { content: [{}] } : { messages: [{}] });
    expect(asked).toBe(1);
    await served.close();
  });
});

describe('[FD-32] what changes behind is told in front', () => {
  it('once to every subscribed client, after the catalogue has really changed', async () => {
    const source = await changingSource('moving', ['one']);
    await namesOf(door);
    const streams = await Promise.all([0, 1, 2].map((index) => listen(door.url, { toolsListChanged: true }, index)));
    source.become(['one', 'two']);
    await until(() => streams.every(({ messages }) => messages.length > 1));
    expect((await namesOf(door)).names).toContain('moving.two');
    await pause(300);
    for (const [index, { messages }] of streams.entries()) {
      expect(messages.map(({ method }: { method: string }) => method)).toEqual([
        'notifications/subscriptions/acknowledged',
        'notifications/tools/list_changed',
      ]);
      expect(messages[1].params._meta['io.modelcontextprotocol/subscriptionId']).toBe(index);
    }
    for (const stream of streams) stream.close();
  });

  it('nothing, when a source says that it changed and has not', async () => {
    const source = await changingSource('nervous', ['one']);
    await namesOf(door);
    const stream = await listen(door.url, { toolsListChanged: true });
    for (let turn = 0; turn < 20; turn += 1) source.flap();
    await until(() => source.asked() > 1);
    await pause(300);
    expect(stream.messages).toHaveLength(1);
    stream.close();
  });

  it('nothing, when clients list and ask for what nobody has', async () => {
    await changingSource('quiet', ['one']);
    await namesOf(door);
    const stream = await listen(door.url, {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
    });
    for (let turn = 0; turn < 5; turn += 1) {
      for (const name of ['quiet.none', 'nobody.tool', `none_${turn}`])
        expect((await door.rpc('tools/call', { name })).message.error.data.code).toBe('UNKNOWN_TOOL');
      expect((await door.rpc('prompts/get', { name: 'quiet.none' })).message.error.data.code).toBe('NOT_FOUND');
      await door.rpc('resources/read', { uri: 'none://x' });
      for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
        await door.rpc(method);
    }
    await pause(300);
    expect(stream.messages.map(({ method }: { method: string }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
    ]);
    stream.close();
  });

  it("a flapping source never touches another's tools", async () => {
    const steady = await changingSource('steady', ['a', 'b']);
    const flapping = await changingSource('flapping', ['x']);
    await namesOf(door);
    for (let turn = 0; turn < 10; turn += 1) {
      flapping.become(turn % 2 === 0 ? [] : ['x']);
      const { names } = await namesOf(door);
      expect(names).toEqual(expect.arrayContaining(['steady.a', 'steady.b']));
      await pause(20);
    }
    expect(steady.asked()).toBe(1);
  });

  it('a domain that comes and goes takes its tools with it', async () => {
    await namesOf(door);
    const served = await door.serve(echoDomain('guest').domain);
    await until(async () => (await namesOf(door)).names.includes('guest.echo'));
    await served.close();
    await until(async () => !(await namesOf(door)).names.includes('guest.echo'));
  });
});

describe('[SS-6] subscriptions/listen', () => {
  it('acknowledges first what it honours, and leaves out what nobody knows', async () => {
    const stream = await listen(door.url, { toolsListChanged: true, promptsListChanged: false, moonPhase: true });
    expect(stream.messages[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } },
    });
    expect(Object.keys(stream.messages[0].params.notifications)).toEqual(['toolsListChanged']);
    stream.close();
  });

  it('acknowledges an empty filter, and ends', async () => {
    const stream = await listen(door.url, {});
    await stream.ended;
    expect(stream.messages[0].params.notifications).toEqual({});
    expect(stream.messages.at(-1)).toMatchObject({ id: 'sub', result: { resultType: 'complete' } });
  });

  it('tells of a resource to whoever subscribed it', async () => {
    const { defineResource, serveDomain } = await import('@portico/domain-kit');
    const served = await serveDomain(
      door.bus,
      {
        name: 'notes',
        description: 'Notes.',
        version: '1',
        tools: [],
        resources: [
          defineResource({
            template: 'note://{id}',
            name: 'note',
            description: 'A note.',
            subscribable: true,
            read: async ({ id }) => ({ text: `note ${id}` }),
          }),
        ],
      },
      { instance: 'n1' },
    );
    await namesOf(door);
    const [one, two] = [
      await listen(door.url, { resourceSubscriptions: ['note://1'] }),
      await listen(door.url, { resourceSubscriptions: ['note://2'] }),
    ];
    served.resourceUpdated('note://1');
    await until(() => one.messages.length > 1);
    expect(one.messages[1]).toMatchObject({ method: 'notifications/resources/updated', params: { uri: 'note://1' } });
    await pause(100);
    expect(two.messages).toHaveLength(1);
    one.close();
    two.close();
    await served.close();
  });

  it('ends gracefully when the front door closes', async () => {
    const stream = await listen(door.url, { toolsListChanged: true });
    await door.close();
    await stream.ended;
    expect(stream.messages.at(-1)).toMatchObject({ id: 'sub', result: { resultType: 'complete' } });
    door = await openDoor();
  });

  it('1,000 open subscriptions cost no call its latency', async () => {
    await door.serve(echoDomain().domain);
    await namesOf(door);
    const median = async (): Promise<number> => {
      const times: number[] = [];
      for (let turn = 0; turn < 200; turn += 1) {
        const started = performance.now();
        await door.rpc('tools/call', { name: 'demo.echo' });
        times.push(performance.now() - started);
      }
      return times.sort((a, b) => a - b)[100] as number;
    };
    await median();
    const alone = await median();
    const streams = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => listen(door.url, { toolsListChanged: true }, index)),
    );
    const among = await median();
    for (const stream of streams) stream.close();
    expect(among).toBeLessThan(alone * 10);
  });
});

describe('[SS-7] how long a list may be kept', () => {
  it('is LIST_TTL_SECS, and 0 says not at all', async () => {
    expect((await namesOf(door)).ttlMs).toBe(300_000);
    const fresh = await openDoor({ LIST_TTL_SECS: '0' });
    const { result } = (await fresh.rpc('tools/list')).message;
    expect(result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    await fresh.close();
  });
});
