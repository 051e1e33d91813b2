import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import { type Receipt, leaseRef, receiptsWritten } from '@portico/contracts';
import { describeIfAvailable, startRedisServer } from '@portico/testkit';
import { echoDomain } from './echo-domain.js';
import { type OpenDoor, type RpcOptions, openDoor } from './open-door.js';

const bus = memoryBus();
const told: Receipt[] = [];
let door: OpenDoor;
const demo = echoDomain();
beforeAll(async () => {
  door = await openDoor({ RESULT_LIMIT_BYTES: '20000' }, { bus });
  await bus.listen(receiptsWritten, ({ receipts }) => void told.push(...receipts));
  await door.serve(demo.domain);
  await door.rpc('tools/list');
});
afterAll(async () => {
  demo.release();
  await door.close();
  await bus.close();
});

const call = async (name: string, args: Record<string, unknown> = {}, options: RpcOptions = {}) =>
  (await door.rpc('tools/call', { name, arguments: args }, options)).message;
const receiptsOf = async (args: Record<string, unknown> = {}, of = door): Promise<Receipt[]> => {
  const { message } = await of.rpc('tools/call', { name: 'gateway.receipts', arguments: args });
  return JSON.parse(message.result.content[0].text).receipts as Receipt[];
};
/** Until the store of receipts answers. */
const storeBack = async (of: OpenDoor): Promise<void> => {
  for (const end = Date.now() + 10_000; Date.now() < end; await settled()) {
    const { message } = await of.rpc('tools/call', { name: 'gateway.receipts', arguments: {} });
    if (message.result.isError !== true) return;
  }
};
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('[FD-19] every execution leaves one receipt', () => {
  it.each<[string, string, string, string, Record<string, unknown>?]>([
    ['a success', 'demo.echo', 'OK', 'yes'],
    ['an error of the tool', 'demo.fails', 'UNKNOWN_ERROR', 'yes'],
    ['a fault of the domain', 'demo.conflict', 'CONFLICT', 'no'],
    ['a result that is too large', 'demo.large', 'PAYLOAD_TOO_LARGE', 'yes', { size: 30_000 }],
    ['a call that came to its deadline', 'demo.waits', 'TIMEOUT', 'unknown'],
    ['a call of the gateway', 'gateway.health', 'OK', 'yes'],
    ['a refusal before it', 'demo.echo', 'INVALID_ARGUMENTS', 'no', { _gateway_context: { task_id: '' } }],
  ])('%s: %s, %s, executed %s', async (_name, tool, code, executed, args = {}) => {
    const id = `r-${Math.random().toString(36).slice(2)}`;
    const before = Date.now();
    const options = { headers: { 'X-Correlation-ID': id, 'X-Agent-ID': 'a-1', 'X-Lease-ID': 'raw-lease' } };
    await call(tool, args, options);
    await settled();
    const lines = door.lines.map((line) => JSON.parse(line)).filter((line) => line.correlation_id === id);
    const events = told.filter(({ correlation_id: correlation }) => correlation === id);
    const kept = await receiptsOf({ correlation_id: id });
    expect([lines.length, events.length, kept.length]).toEqual([1, 1, 1]);
    const [receipt] = kept;
    expect(receipt).toEqual({
      at: expect.any(String),
      front_door: expect.stringMatching(/^front-door-[0-9a-f]{8}$/),
      seq: expect.any(Number),
      tenant: 'default',
      subject: 'local',
      domain: tool.split('.')[0],
      tool: tool.split('.')[1],
      code,
      executed,
      duration_ms: expect.any(Number),
      served_from: 'backend',
      correlation_id: id,
      ...(code !== 'INVALID_ARGUMENTS' && { agent: 'a-1', lease_ref: leaseRef('raw-lease') }),
    });
    expect(Date.parse(receipt!.at)).toBeGreaterThanOrEqual(before);
    expect(events[0]).toEqual(receipt);
    expect(lines[0]).toMatchObject({ event: 'call.receipt', ...receipt });
  });

  it('never with arguments or results', async () => {
    await call('demo.echo', { word: 'PRIVATE-ARGUMENT' }, { headers: { 'X-Correlation-ID': 'private-1' } });
    await settled();
    const written = [...door.lines, JSON.stringify(told), JSON.stringify(await receiptsOf())].join('');
    expect(written).toContain('private-1');
    expect(written).not.toContain('PRIVATE-ARGUMENT');
  });

  it('numbers those of one front door, without a gap or a double', async () => {
    await Promise.all(Array.from({ length: 50 }, () => call('demo.echo')));
    await settled();
    const numbers = told.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_none, index) => index + 1));
  });

  it('none for what reached no tool', async () => {
    const before = told.length;
    await call('demo.nothing-of-that-name');
    await door.rpc('tools/list');
    await settled();
    expect(told).toHaveLength(before);
  });

  it('a call that the client gave up is CANCELLED', async () => {
    const controller = new AbortController();
    const gone = call('demo.waits', {}, { signal: controller.signal, headers: { 'X-Correlation-ID': 'gone-1' } }).catch(
      () => undefined,
    );
    await settled();
    controller.abort();
    await gone;
    await settled();
    expect((await receiptsOf({ correlation_id: 'gone-1' }))[0]).toMatchObject({
      code: 'CANCELLED',
      executed: 'unknown',
    });
  });
});

describe('[FD-19] gateway.receipts', () => {
  it('gives the newest first, of a correlation or a task, so many at most', async () => {
    for (const task of ['t-1', 't-2', 't-1'])
      await call('demo.echo', { _gateway_context: { correlation_id: 'many-1', task_id: task } });
    const all = await receiptsOf({ correlation_id: 'many-1' });
    expect(all.map(({ task_id: task }) => task)).toEqual(['t-1', 't-2', 't-1']);
    expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).toSorted((a, b) => b - a));
    expect(await receiptsOf({ correlation_id: 'many-1', task_id: 't-2' })).toHaveLength(1);
    expect(await receiptsOf({ limit: 2 })).toHaveLength(2);
  });

  it('keeps the last 1,000', async () => {
    for (let batch = 0; batch < 22; batch++) await Promise.all(Array.from({ length: 50 }, () => call('demo.echo')));
    expect(await receiptsOf({ limit: 1_000 })).toHaveLength(1_000);
    expect((await receiptsOf({ limit: 1_000 }))[0]?.tool).toBe('receipts');
  });

  it.each([{ limit: 0 }, { limit: 1_001 }, { task_id: 'a b' }, { more: 1 }])('refuses %j', async (args) => {
    const { result } = await call('gateway.receipts', args);
    expect(result.structuredContent.error).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
  });

  it('knows those of the other front doors', async () => {
    const other = await openDoor({}, { bus, discovery: false });
    try {
      await other.rpc('tools/list');
      await other.rpc(
        'tools/call',
        { name: 'demo.echo', arguments: {} },
        { headers: { 'X-Correlation-ID': 'other-1' } },
      );
      await settled();
      expect(await receiptsOf({ correlation_id: 'other-1' })).toHaveLength(1);
      expect(await receiptsOf({ correlation_id: 'other-1' }, other)).toHaveLength(1);
    } finally {
      await other.close();
    }
  });
});

describeIfAvailable('redis-server', '[FD-19] receipts in Redis', () => {
  it('are kept over front doors and their restarts, capped; one that is away costs no call, and nothing once it is back', async () => {
    const redis = await startRedisServer({ keepsData: true });
    const env = { REDIS_URL: redis.url };
    try {
      const first = await openDoor(env);
      await first.serve(echoDomain().domain);
      await first.rpc('tools/list');
      const ask = (of: OpenDoor, id: string) =>
        of.rpc('tools/call', { name: 'demo.echo', arguments: {} }, { headers: { 'X-Correlation-ID': id } });
      await ask(first, 'redis-1');
      await redis.kill();
      const started = performance.now();
      expect((await ask(first, 'redis-2')).message.result.isError).toBeUndefined();
      expect(performance.now() - started).toBeLessThan(1_000);
      const { message } = await first.rpc('tools/call', { name: 'gateway.receipts', arguments: {} });
      expect(message.result.structuredContent.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
      await redis.restart();
      await storeBack(first);
      await ask(first, 'redis-3');
      await settled();
      await first.close();
      const second = await openDoor(env);
      await storeBack(second);
      const ids = (await receiptsOf({ limit: 1_000 }, second)).map(({ correlation_id: id }) => id);
      await second.close();
      expect(ids.filter((id) => id === 'redis-1')).toHaveLength(1);
      expect(ids.filter((id) => id === 'redis-2')).toHaveLength(1);
      expect(ids).toContain('redis-3');
    } finally {
      await redis.stop();
    }
  });
});
