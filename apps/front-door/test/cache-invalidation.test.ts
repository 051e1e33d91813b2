import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type Bus, memoryBus } from '@portico/bus';
import { Envelope, Fault } from '@portico/contracts';
import { type Domain, defineTool, toolResult } from '@portico/domain-kit';
import { type PostgresServer, describeIfAvailable, startPostgresServer } from '@portico/testkit';
import pg from 'pg';
import { z } from 'zod';
import { keysOf } from './keys-of.js';
import { type OpenDoor, type RpcOptions, openDoor } from './open-door.js';

const BUDGET_MS = 600;
const world = { version: 1 };
const never = () => new Promise<never>(() => undefined);
const write = (name: string, act: () => unknown, more: Record<string, unknown> = {}) =>
  defineTool({
    name,
    description: `Writes, and then: ${name}.`,
    input: z.looseObject({}),
    effect: 'write',
    invalidates: ['shop.get*'],
    ...more,
    handle: async () => {
      world.version += 1;
      return (await act()) as never;
    },
  });
const read = (name: string) =>
  defineTool({
    name,
    description: 'Reads.',
    input: z.looseObject({}),
    effect: 'read',
    cache: {},
    handle: async () => ({ version: world.version }) as never,
  });
const domain: Domain = {
  name: 'shop',
  description: 'For tests of invalidation.',
  version: '1.0.0',
  callTimeoutMs: 1_000,
  tools: [
    read('get'),
    read('get_all'),
    read('other'),
    write('well', () => ({})),
    write('wrong', () => toolResult({ content: [{ type: 'text', text: 'no' }], isError: true })),
    write('fails', () => {
      throw new Fault('UNKNOWN_ERROR', 'It broke.');
    }),
    write('late', never),
    write('asks', () => toolResult({ resultType: 'input_required', requestState: 's' } as never)),
  ],
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describeIfAvailable('pgvector', '[SC-10][SS-9] two front doors, and a cache that confirms or does not', () => {
  const keys = keysOf('ann', 'bob');
  let postgres: PostgresServer;
  let bus: Bus;
  let doors: OpenDoor[];
  beforeAll(async () => {
    postgres = await startPostgresServer({ vectors: true });
    bus = memoryBus();
    const env = {
      DATABASE_URL: postgres.url,
      CACHE_BUDGET_MS: String(BUDGET_MS),
      AUTH_MODE: 'api-key',
      API_KEYS_FILE: keys.file,
    };
    const policy = { access: [{ allow: ['shop.*'] }] };
    doors = [await openDoor(env, { bus, cache: true, policy }), await openDoor(env, { bus, discovery: false, policy })];
    await doors[0]!.serve(domain);
    for (const door of doors) await door.rpc('tools/list', {}, { headers: keys.headersOf['ann']! });
  }, 60_000);
  afterAll(async () => {
    for (const door of [...doors].reverse()) await door.close();
    await bus.close();
    await postgres.stop();
    keys.close();
  });
  const call = async (door: number, name: string, args: Record<string, unknown> = {}, options: RpcOptions = {}) => {
    const { message } = await doors[door]!.rpc(
      'tools/call',
      { name: `shop.${name}`, arguments: args },
      { headers: keys.headersOf['ann']!, ...options },
    );
    const { meta } = Envelope.parse(message.result._meta['portico/envelope']);
    const text = message.result.content?.at(-1)?.text as string;
    return { from: meta.served_from, text };
  };
  const fromOf = async (door: number, name: string) => (await call(door, name)).from;
  /** Asks until each of them is answered by the cache. */
  const kept = async (...names: string[]) => {
    for (const name of names) {
      const end = Date.now() + 40_000;
      while ((await fromOf(1, name)) !== 'exact') {
        if (Date.now() > end) throw new Error(`${name} was not kept.`);
        await pause(50);
      }
    }
  };
  beforeEach(() => kept('get', 'get_all', 'other'), 60_000);

  it.each(['well', 'wrong', 'fails', 'late', 'asks'])(
    'what a mutation that ends %s has made stale is gone from both when it has ended, and nothing else is',
    async (name) => {
      await call(0, name);
      for (const read of ['get', 'get_all']) {
        const { from, text } = await call(1, read);
        expect([from, JSON.parse(text)]).toEqual(['backend', { version: world.version }]);
      }
      expect([await fromOf(0, 'other'), await fromOf(1, 'other')]).toEqual(['exact', 'exact']);
    },
  );

  it('so is what one has made stale whose caller left', async () => {
    const leaving = new AbortController();
    const before = world.version;
    const left = call(0, 'late', {}, { signal: leaving.signal }).catch(() => undefined);
    while (world.version === before) await pause(5);
    leaving.abort();
    await left;
    for (const end = Date.now() + 10_000; (await fromOf(1, 'get_all')) === 'exact' && Date.now() < end;) await pause(5);
    expect(JSON.parse((await call(1, 'get')).text)).toEqual({ version: world.version });
  });

  it('what can not be confirmed to be gone is passed by at both until it is, and nothing else is', async () => {
    const holder = new pg.Client({ connectionString: postgres.url });
    await holder.connect();
    try {
      // Whoever writes for the tenant waits for this; whoever reads does not.
      await holder.query(`BEGIN`);
      await holder.query(`SELECT * FROM cache_tenants WHERE tenant_id = 'default' FOR UPDATE`);
      const started = performance.now();
      await call(0, 'well');
      expect(performance.now() - started).toBeLessThan(BUDGET_MS * 10);
      for (const door of [0, 1]) {
        for (const read of ['get', 'get_all']) {
          const { from, text } = await call(door, read);
          expect([from, JSON.parse(text)]).toEqual(['backend', { version: world.version }]);
        }
        expect(await fromOf(door, 'other')).toBe('exact');
      }
    } finally {
      await holder.query('ROLLBACK');
      await holder.end();
    }
    // Confirmed behind the calls: it is asked again.
    await kept('get', 'get_all');
    for (const door of [0, 1]) expect(JSON.parse((await call(door, 'get')).text)).toEqual({ version: world.version });
  }, 90_000);

  it('[SC-2] the answer of one subject is another’s, of one tenant', async () => {
    const { from } = await call(1, 'get', {}, { headers: keys.headersOf['bob']! });
    expect(from).toBe('exact');
  });
});

it('[SC-10][SC-12] a mutation does not wait for a cache that nobody serves', async () => {
  const door = await openDoor({ CACHE_BUDGET_MS: '10000' });
  try {
    await door.serve(domain);
    await door.rpc('tools/list');
    const started = performance.now();
    for (let asked = 0; asked < 5; asked++) await door.rpc('tools/call', { name: 'shop.well', arguments: {} });
    expect(performance.now() - started).toBeLessThan(5_000);
  } finally {
    await door.close();
  }
});
