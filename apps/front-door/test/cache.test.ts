import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import { Envelope, Fault, lookUpAnswer } from '@portico/contracts';
import { type Domain, defineTool, toolResult } from '@portico/domain-kit';
import { type PostgresServer, describeIfAvailable, startPostgresServer } from '@portico/testkit';
import { z } from 'zod';
import { type OpenDoor, type RpcOptions, openDoor } from './open-door.js';

const calls: { tool: string; args: Record<string, unknown> }[] = [];
/** What the tools read and write, and what they do next. */
const world = { version: 1, fails: false, gate: undefined as Promise<void> | undefined, aborted: 0 };
const tool = (
  name: string,
  effect: 'read' | 'write',
  policy: Record<string, unknown>,
  handle: (args: Record<string, unknown>) => unknown,
) =>
  defineTool({
    name,
    description: `The ${name} tool.`,
    input: z.looseObject({ q: z.string().optional() }),
    effect,
    ...policy,
    handle: async (args, { signal }) => {
      calls.push({ tool: name, args });
      signal.addEventListener('abort', () => (world.aborted += 1), { once: true });
      await world.gate;
      if (world.fails) throw new Fault('CONFLICT', 'It fails.');
      return (await handle(args)) as never;
    },
  });
const domain: Domain = {
  name: 'shop',
  description: 'For tests of the cache.',
  version: '1.0.0',
  callTimeoutMs: 5_000,
  tools: [
    tool('get', 'read', { cache: {} }, ({ id }) => ({ id, version: world.version })),
    tool('search', 'read', { cache: { freeText: ['q'] } }, ({ q }) => ({ q, version: world.version })),
    tool('brief', 'read', { cache: { ttlSeconds: 0 } }, () => ({ version: world.version })),
    tool('plain', 'read', {}, () => ({ version: world.version })),
    tool('asks', 'read', { cache: {} }, () =>
      toolResult({
        resultType: 'input_required',
        inputRequests: { q: { method: 'elicitation/create' } },
        requestState: 's',
      } as never),
    ),
    tool('wrong', 'read', { cache: {} }, () => toolResult({ content: [{ type: 'text', text: 'no' }], isError: true })),
    tool('part', 'read', { cache: {} }, () =>
      toolResult({ content: [{ type: 'text', text: 'a' }], _meta: { 'portico/cut': true } }),
    ),
    tool('set', 'write', { invalidates: ['shop.get', 'shop.search'] }, () => ({ version: ++world.version })),
  ],
};
const acting =
  (door: OpenDoor) =>
  async (name: string, args: Record<string, unknown> = {}, options: RpcOptions = {}) => {
    const { result } = (await door.rpc('tools/call', { name: `shop.${name}`, arguments: args }, options)).message;
    return {
      result,
      meta: Envelope.parse(result._meta['portico/envelope']).meta,
      error: result._meta['portico/envelope'].error,
    };
  };
const count = (name: string): number => calls.filter((call) => call.tool === name).length;
const pause = (ms = 100) => new Promise((resolve) => setTimeout(resolve, ms));
let next = 0;
/** An argument nobody has asked with before. */
const fresh = (): string => `fresh-${(next += 1)}`;

describeIfAvailable('pgvector', 'the response cache on the path of a call', () => {
  let postgres: PostgresServer;
  let door: OpenDoor;
  let call: ReturnType<typeof acting>;
  beforeAll(async () => {
    postgres = await startPostgresServer({ vectors: true });
    door = await openDoor(
      { DATABASE_URL: postgres.url, CACHE_BUDGET_MS: '2000', CACHE_SHADOW_SHARE: '1' },
      { cache: true, policy: { tools: [{ match: 'shop.checked', cache: {} }] } },
    );
    call = acting(door);
    await door.serve(domain);
    await door.rpc('tools/list');
    // The store opens when it is first needed.
    for (const end = Date.now() + 30_000; Date.now() < end; await pause()) {
      await call('get', { id: 'open' });
      if ((await call('get', { id: 'open' })).meta.served_from === 'exact') break;
    }
  }, 60_000);
  afterAll(async () => {
    await door.close();
    await postgres.stop();
  });
  /** Asks until the answer has been kept. */
  const kept = async (name: string, args: Record<string, unknown>) => {
    for (const end = Date.now() + 10_000; Date.now() < end; await pause(20)) {
      const answer = await call(name, args);
      if (answer.meta.served_from === 'exact') return answer;
    }
    throw new Error('It was not kept.');
  };

  const missesOf = async (name: string): Promise<number> => {
    const { message } = await door.rpc('tools/call', { name: 'gateway.cache_stats', arguments: {} });
    const { tools } = JSON.parse(message.result.content[0].text) as { tools: { tool: string; miss: number }[] };
    return tools.find(({ tool }) => tool === `shop.${name}`)?.miss ?? 0;
  };
  /** Begins calls, and goes on once so many of them have looked in vain: then they wait for one call. */
  const waiting = async <T>(name: string, count: number, begin: () => Promise<T>): Promise<Promise<T>[]> => {
    const before = await missesOf(name);
    const all = Array.from({ length: count }, begin);
    for (const end = Date.now() + 20_000; (await missesOf(name)) < before + count && Date.now() < end;) await pause(20);
    return all;
  };

  /** Asks in one spelling after the other until a similar question's answer is given: its text is read behind its storing. */
  const similar = async (q: string, limit: string) => {
    for (let spaces = 0; spaces < 100; spaces++, await pause(50)) {
      const answer = await call('search', { q: q + ' '.repeat(spaces), limit });
      if (answer.meta.served_from === 'semantic') return answer;
    }
    throw new Error('No similar question answered.');
  };

  it('[SC-1][SC-15] answers an equal question from the exact lane, exact, with its age', async () => {
    const id = fresh();
    const first = await call('get', { id, n: 1 });
    const again = await kept('get', { n: 1, id });
    expect(again.result.content).toEqual(first.result.content);
    expect(again.meta).toMatchObject({ served_from: 'exact', age_ms: expect.any(Number) });
    const ran = calls.length;
    expect((await call('get', { id, n: 1 })).meta.served_from).toBe('exact');
    expect(calls).toHaveLength(ran);
    const receipts = await door.rpc('tools/call', { name: 'gateway.receipts', arguments: { limit: 5 } });
    expect(JSON.parse(receipts.message.result.content[0].text).receipts[0]).toMatchObject({
      tool: 'get',
      served_from: 'exact',
      executed: 'no',
    });
  });

  it('[SC-2] leaves our own arguments out of the question', async () => {
    const id = fresh();
    await kept('get', { id });
    const { meta } = await call('get', { id, _gateway_context: { correlation_id: fresh() }, _task: { lease_id: 'x' } });
    expect(meta.served_from).toBe('exact');
  });

  it('[SC-1][SC-3][SC-4][SC-15] answers a question that means the same from the semantic lane, with the similarity', async () => {
    const limit = fresh();
    await kept('search', { q: 'How do I reset my password?', limit });
    const { meta, result } = await similar('how do I reset my password', limit);
    expect(meta).toMatchObject({ served_from: 'semantic', similarity: expect.any(Number), age_ms: expect.any(Number) });
    expect(JSON.parse(result.content[0].text).q).toMatch(/how do I reset my password/i);
    for (const q of [
      'How do I not reset my password?',
      'How do I reset my password in 3 days?',
      'How do I delete my account?',
    ])
      expect((await call('search', { q, limit })).meta.served_from).toBe('backend');
    expect((await call('search', { q: 'how do I reset my password', limit: fresh() })).meta.served_from).toBe(
      'backend',
    );
  });

  it.each(['wrong', 'asks', 'part', 'brief', 'plain'])('[SC-5][SC-8] never keeps what %s answers', async (name) => {
    const id = fresh();
    await call(name, { id });
    await pause(200);
    await call(name, { id });
    expect(calls.filter(({ tool: called, args }) => called === name && args['id'] === id)).toHaveLength(2);
  });

  it.each([{ requestState: 's' }, { inputResponses: {} }])(
    '[SC-5] never keeps, nor answers, a step of a conversation: %j',
    async (step) => {
      const id = fresh();
      const stepOf = (asked: string) => door.rpc('tools/call', { name: 'shop.get', arguments: { id: asked }, ...step });
      await kept('get', { id });
      const before = count('get');
      await stepOf(id);
      expect(count('get')).toBe(before + 1);
      const other = fresh();
      await stepOf(other);
      await pause(200);
      expect((await call('get', { id: other })).meta.served_from).toBe('backend');
    },
  );

  it('[SC-10][SS-9] has nothing stale once a mutation has answered, whatever came of it', async () => {
    const id = fresh();
    await kept('get', { id });
    await call('set');
    const after = await call('get', { id });
    expect(after.meta.served_from).toBe('backend');
    expect(JSON.parse(after.result.content[0].text).version).toBe(world.version);
    await kept('get', { id });
    world.fails = true;
    expect((await call('set')).error).toMatchObject({ code: 'CONFLICT' });
    world.fails = false;
    expect((await call('get', { id })).meta.served_from).toBe('backend');
  });

  it('[SC-10] does not keep what was worked out before an invalidation and came after it', async () => {
    const id = fresh();
    let open = (): void => undefined;
    world.gate = new Promise((resolve) => (open = resolve));
    const slow = call('get', { id });
    while (!calls.some(({ args }) => args['id'] === id)) await pause(5);
    world.gate = undefined;
    await call('set');
    open();
    await slow;
    await pause(300);
    expect((await call('get', { id })).meta.served_from).toBe('backend');
  });

  it('[SC-11] runs many equal questions once, shares the answer, and keeps it', async () => {
    const id = fresh();
    let open = (): void => undefined;
    world.gate = new Promise((resolve) => (open = resolve));
    const all = await waiting('get', 100, () => call('get', { id }));
    open();
    world.gate = undefined;
    const answers = await Promise.all(all);
    expect(calls.filter(({ args }) => args['id'] === id)).toHaveLength(1);
    expect(new Set(answers.map(({ result }) => result.content[0].text)).size).toBe(1);
    expect(answers.filter(({ meta }) => meta.served_from === 'backend')).toHaveLength(1);
    expect(answers.filter(({ meta }) => meta.served_from === 'coalesced')).toHaveLength(99);
  });

  it('[SC-11][SC-10] lets nobody who asks after a mutation share a call from before it', async () => {
    const id = fresh();
    let open = (): void => undefined;
    world.gate = new Promise((resolve) => (open = resolve));
    const before = call('get', { id });
    while (!calls.some(({ args }) => args['id'] === id)) await pause(5);
    world.gate = undefined;
    await call('set');
    const after = await call('get', { id });
    expect([after.meta.served_from, JSON.parse(after.result.content[0].text).version]).toEqual([
      'backend',
      world.version,
    ]);
    open();
    await before;
  });

  it('[SC-11][SC-5] shares no question that a source asks back', async () => {
    const id = fresh();
    let open = (): void => undefined;
    world.gate = new Promise((resolve) => (open = resolve));
    const ask = () => door.rpc('tools/call', { name: 'shop.asks', arguments: { id } });
    const all = await waiting('asks', 3, ask);
    expect(calls.filter(({ args }) => args['id'] === id)).toHaveLength(1);
    open();
    world.gate = undefined;
    for (const { message } of await Promise.all(all)) expect(message.result.resultType).toBe('input_required');
    expect(calls.filter(({ args }) => args['id'] === id)).toHaveLength(3);
  });

  it('[SC-11] shares a failure without running it again for each, and does not keep it', async () => {
    const id = fresh();
    let open = (): void => undefined;
    world.gate = new Promise((resolve) => (open = resolve));
    const all = await waiting('get', 20, () => call('get', { id }));
    world.fails = true;
    open();
    world.gate = undefined;
    for (const { error } of await Promise.all(all)) expect(error).toMatchObject({ code: 'CONFLICT' });
    expect(calls.filter(({ args }) => args['id'] === id)).toHaveLength(1);
    world.fails = false;
    expect((await call('get', { id })).meta.served_from).toBe('backend');
  });

  it('[SC-11] goes on for the others when the one who asked first leaves, and ends when all have left', async () => {
    const id = fresh();
    let open = (): void => undefined;
    world.gate = new Promise((resolve) => (open = resolve));
    const leaving = new AbortController();
    const [first] = await waiting('get', 1, () =>
      call('get', { id }, { signal: leaving.signal }).catch(() => undefined),
    );
    const others = await waiting('get', 2, () => call('get', { id }));
    const before = world.aborted;
    leaving.abort();
    await first;
    await pause(50);
    expect(world.aborted).toBe(before);
    open();
    world.gate = undefined;
    for (const { meta } of await Promise.all(others)) expect(meta.served_from).toBe('coalesced');
    expect(calls.filter(({ args }) => args['id'] === id)).toHaveLength(1);

    world.gate = new Promise((resolve) => (open = resolve));
    const alone = new AbortController();
    const last = fresh();
    const gone = call('get', { id: last }, { signal: alone.signal }).catch(() => undefined);
    while (!calls.some(({ args }) => args['id'] === last)) await pause(5);
    alone.abort();
    await gone;
    for (const end = Date.now() + 10_000; world.aborted === before && Date.now() < end;) await pause(5);
    expect(world.aborted).toBe(before + 1);
    open();
    world.gate = undefined;
  });

  it('[SC-16] is passed by, or renewed, when the caller says so', async () => {
    const id = fresh();
    await kept('get', { id });
    const before = count('get');
    const bypass = await call('get', { id }, { meta: { 'portico/cache': 'bypass' } });
    expect([bypass.meta.served_from, count('get')]).toEqual(['backend', before + 1]);
    world.version += 1;
    expect((await call('get', { id })).meta.served_from).toBe('exact');
    const refresh = await call('get', { id }, { meta: { 'portico/cache': 'refresh' } });
    expect(refresh.meta.served_from).toBe('backend');
    await pause(300);
    const renewed = await call('get', { id });
    expect(renewed.meta.served_from).toBe('exact');
    expect(JSON.parse(renewed.result.content[0].text).version).toBe(world.version);
    // Nothing else that a caller writes there means anything.
    const odd = { meta: { 'portico/cache': 'always', 'portico/threshold': 0, threshold: 0 } };
    expect((await call('get', { id }, odd)).meta.served_from).toBe('exact');
  });

  it('[SC-17][FD-24] checks similar answers behind them, with receipts that say so', async () => {
    const limit = fresh();
    await kept('search', { q: 'Where can I find the invoice?', limit });
    await similar('where can I find the invoice', limit);
    const before = count('search');
    // A semantic answer runs nothing before it, and the tool twice behind it.
    for (const end = Date.now() + 5_000; count('search') < before + 2 && Date.now() < end;) await pause(20);
    expect(
      calls
        .slice(-2)
        .map(({ args }) => String(args['q']).trim())
        .toSorted(),
    ).toEqual(['Where can I find the invoice?', 'where can I find the invoice']);
    await pause(200);
    const receipts = await door.rpc('tools/call', { name: 'gateway.receipts', arguments: { limit: 10 } });
    const shadows = JSON.parse(receipts.message.result.content[0].text).receipts.filter(
      (receipt: { shadow?: boolean }) => receipt.shadow,
    );
    expect(shadows.slice(0, 2)).toMatchObject([{ tool: 'search', code: 'OK', executed: 'yes' }, { tool: 'search' }]);
  });

  it('[SC-15] tells what it did for a tenant, and in /metrics', async () => {
    const { message } = await door.rpc('tools/call', { name: 'gateway.cache_stats', arguments: {} });
    const stats = JSON.parse(message.result.content[0].text);
    expect(stats).toMatchObject({ entries: expect.any(Number), bytes: expect.any(Number) });
    const get = stats.tools.find(({ tool: name }: { tool: string }) => name === 'shop.get');
    expect(get).toMatchObject({ exact: expect.any(Number), coalesced: expect.any(Number), miss: expect.any(Number) });
    expect(get.exact).toBeGreaterThan(3);
    const search = stats.tools.find(({ tool: name }: { tool: string }) => name === 'shop.search');
    expect(search.semantic).toBeGreaterThan(0);
    expect(search.refused.numbers + search.refused.negation).toBeGreaterThan(0);
    const metrics = await (await fetch(`${door.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/portico_cache_lookups_total\{outcome="exact"\} \d+/);
  });

  it('[SC-9] is emptied by an operator, of a tenant and a tool', async () => {
    const id = fresh();
    await kept('get', { id });
    const erased = await fetch(`${door.adminUrl}/api/cache/erase`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${door.adminToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ tenant: 'default', tool: 'shop.get' }),
    });
    expect(await erased.json()).toMatchObject({ ok: true, erased: expect.any(Number) });
    expect((await call('get', { id })).meta.served_from).toBe('backend');
    const restored = await fetch(`${door.adminUrl}/api/cache/restore`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${door.adminToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ tool: 'shop.search' }),
    });
    expect(await restored.json()).toMatchObject({ ok: true });
  });

  it('[SC-12] costs no call anything when its store dies, and is there again with it', async () => {
    const id = fresh();
    await kept('get', { id });
    await postgres.kill();
    for (let asked = 0; asked < 10; asked++) expect((await call('get', { id })).error).toBeNull();
    const started = performance.now();
    expect((await call('set')).error).toBeNull();
    expect(performance.now() - started).toBeLessThan(6_000);
    // While it can not be confirmed that they are gone, nothing is taken from what it had.
    await postgres.restart();
    const seen: number[] = [];
    for (const end = Date.now() + 40_000; Date.now() < end; await pause(200)) {
      const { meta, result } = await call('get', { id });
      seen.push(JSON.parse(result.content[0].text).version);
      if (meta.served_from === 'exact') break;
    }
    expect(new Set(seen)).toEqual(new Set([world.version]));
  }, 60_000);
});

it('[SC-12] a cache that never answers costs a call its budget, and soon nothing', async () => {
  const bus = memoryBus();
  let silent = 0;
  await bus.serve(lookUpAnswer, () => {
    silent += 1;
    return new Promise(() => undefined);
  });
  const door = await openDoor({ CACHE_BUDGET_MS: '50' }, { bus });
  const call = acting(door);
  try {
    await door.serve(domain);
    await door.rpc('tools/list');
    const started = performance.now();
    for (let n = 0; n < 100; n++) expect((await call('get', { id: fresh() })).error).toBeNull();
    const took = performance.now() - started;
    expect(took).toBeLessThan(20_000);
    // Five that failed, and then one every five seconds.
    expect(silent).toBeGreaterThanOrEqual(5);
    expect(silent).toBeLessThanOrEqual(6 + took / 4_000);
  } finally {
    await door.close();
    await bus.close();
  }
});

it('[SC-12] no cache at all, or one that is off, is no matter', async () => {
  for (const env of [{}, { SEMANTIC_CACHE: 'off' }] as Record<string, string>[]) {
    const door = await openDoor(env);
    await door.serve(domain);
    await door.rpc('tools/list');
    const call = acting(door);
    for (const name of ['get', 'search', 'set']) expect((await call(name, { id: 1 })).meta.served_from).toBe('backend');
    await door.close();
  }
});
