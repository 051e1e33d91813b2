import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Fault, SourceCatalogue, describeSource, discoverSource } from '@portico/contracts';
import { snapshotOf } from '@portico/domain-kit';
import { z } from 'zod';
import { catalogueOfSnapshot } from '../src/catalogue-contents.js';
import { Room } from './room.js';
import { catalogueOf, eventually } from './sources.js';

let room: Room;
beforeEach(async () => {
  room = await Room.open();
});
afterEach(() => room.close());

/** Something that says hello and answers whatever a test makes up, past every check of ours. */
const answerWith = async (answer: unknown): Promise<() => number> => {
  let asked = 0;
  const call = describeSource('upstream.a');
  const unchecked = { ...call, reply: z.unknown() };
  await room.bus.serve(unchecked, async () => {
    asked++;
    return answer;
  });
  room.hello('upstream.a');
  return () => asked;
};

const complete: SourceCatalogue = {
  ...catalogueOf('tool'),
  revision: 'r',
  identity: {
    ...catalogueOf().identity,
    serverInfo: { name: 'upstream', version: '1.2.3' },
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
    instructions: 'Be gentle.',
  },
  resources: [{ uri: 'file:///a', name: 'a', mimeType: 'text/plain' }],
  resourceTemplates: [{ uriTemplate: 'file:///{name}', name: 'any' }],
  prompts: [{ name: 'greet', arguments: [{ name: 'whom' }] }],
};

describe('[DI-2] parsing of capabilities', () => {
  const refused = async (): Promise<void> => {
    await expect(room.tools('upstream.a')).rejects.toBeInstanceOf(Fault);
    expect(await room.summary('upstream.a', false)).toMatchObject({ state: 'unavailable', error: 'invalid_response' });
  };

  it('complete capabilities', async () => {
    await room.discover();
    await answerWith(complete);
    const page = await room.bus.ask(discoverSource, { source: 'upstream.a' });
    expect({ ...page, revision: 'r' }).toEqual(complete);
  });

  it('minimal capabilities', async () => {
    await room.discover();
    await answerWith({ ...catalogueOf('only'), revision: 'r' });
    expect(await room.tools('upstream.a')).toEqual(['only']);
  });

  it('empty capabilities', async () => {
    await room.discover();
    await answerWith({ ...catalogueOf(), revision: 'r' });
    expect(await room.tools('upstream.a')).toEqual([]);
    expect((await room.summary('upstream.a', false))?.state).toBe('fresh');
  });

  it.each([
    ['missing fields', { revision: 'r', tools: [] }],
    [
      'a tool without a name',
      { ...complete, tools: [{ definition: { inputSchema: {} }, policy: { effect: 'read' } }] },
    ],
    ['invalid JSON, which arrives as text', '{"tools": ['],
    ['nothing at all', null],
    ['a list where an object belongs', []],
  ])('an unusable answer, %s: invalid_response, asked once', async (_what, answer) => {
    await room.discover();
    const asked = await answerWith(answer);
    await refused();
    expect(asked()).toBe(1);
  });

  it('round trip: what is kept is what was published', () => {
    const snapshot = snapshotOf(complete, 1_000_000);
    const written = JSON.parse(JSON.stringify(catalogueOfSnapshot(snapshot))) as unknown;
    expect({ ...SourceCatalogue.parse(written), revision: 'r' }).toEqual(complete);
    expect(snapshotOf(SourceCatalogue.parse(written), 1_000_000).revision).toBe(snapshot.revision);
  });
});

describe('[DI-1] the cache comes first', () => {
  it('cache hit: answered without asking', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    await room.discover();
    await room.tools('upstream.a');
    for (let n = 0; n < 10; n++) expect(await room.tools('upstream.a')).toEqual(['a']);
    expect(source.asked).toBe(1);
  });

  it('cache miss with an unreachable upstream: the error is told', async () => {
    await room.discover();
    room.hello('upstream.a');
    await expect(room.tools('upstream.a')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(await room.summary('upstream.a', false)).toMatchObject({ state: 'unavailable', error: 'unreachable' });
  });

  it('expiry: after its time it is asked again', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    await room.discover({ MCP_DISCOVERY_CACHE_TTL_SECS: '0.05' });
    await room.tools('upstream.a');
    await delay(60);
    await room.tools('upstream.a');
    await eventually(() => expect(source.asked).toBe(2));
  });

  it('open circuit: fails at once, without a call', async () => {
    const source = await room.source('upstream.a', () => Promise.reject(new Error('garbage')));
    await room.discover({ BREAKER_FAILURES: '1' });
    await expect(room.tools('upstream.a')).rejects.toBeInstanceOf(Fault);
    await expect(room.tools('upstream.a')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(source.asked).toBe(1);
    expect((await room.summary('upstream.a', false))?.error).toBe('circuit_open');
  });

  it('invalidation: what is gone is not held', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    await room.discover();
    await room.tools('upstream.a');
    await source.close();
    await expect(room.tools('upstream.a')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('fifty dead sources cost the start nothing', async () => {
    const took = async (): Promise<number> => {
      const begun = performance.now();
      const discovery = await room.discover();
      await room.summaries(false);
      const ms = performance.now() - begun;
      await discovery.close();
      return ms;
    };
    await took();
    const without = await took();
    for (let n = 0; n < 50; n++) await room.source(`upstream.s${n}`, () => new Promise(() => {}));
    expect(await took()).toBeLessThan(Math.max(without, 50) * 10);
  });
});
