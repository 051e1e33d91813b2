import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CallContext, Envelope, leaseRef } from '@portico/contracts';
import { type Domain, defineTool } from '@portico/domain-kit';
import { describeIfAvailable, startRedisServer } from '@portico/testkit';
import { z } from 'zod';
import { type OpenDoor, type RpcOptions, openDoor } from './open-door.js';

const calls: { tool: string; args: unknown; context: CallContext | undefined }[] = [];
const tool = (name: string, effect: 'read' | 'write', lease?: { resource: string }) =>
  defineTool({
    name,
    description: `The ${name} tool.`,
    input: z.strictObject({ project: z.string().optional(), work_item: z.union([z.string(), z.number()]).optional() }),
    effect,
    ...(lease && { lease }),
    handle: (args, { context }) => {
      calls.push({ tool: name, args, context });
      return Promise.resolve('done');
    },
  });
const domain: Domain = {
  name: 'work',
  description: 'Work items for tests.',
  version: '1.0.0',
  callTimeoutMs: 20_000,
  tools: [
    tool('update', 'write', { resource: 'plane:{project}/{work_item}' }),
    tool('free', 'write'),
    tool('look', 'read'),
  ],
};

const acting = (door: OpenDoor) => {
  const call = async (name: string, args: Record<string, unknown> = {}, options: RpcOptions = {}) => {
    const { message, text } = await door.rpc('tools/call', { name, arguments: args }, options);
    const { result } = message;
    return { result, text, envelope: Envelope.parse(result._meta['portico/envelope']) };
  };
  const acquire = async (resource: string, more: Record<string, unknown> = {}) => {
    const { result } = await call('task.acquire', { resource, ...more });
    return JSON.parse(result.content[0].text) as {
      lease_id: string;
      lease_ref: string;
      fence: number;
      expires_at: string;
    };
  };
  return { call, acquire };
};

describe('a tool whose policy asks for a lease', () => {
  let door: OpenDoor;
  let call: ReturnType<typeof acting>['call'];
  let acquire: ReturnType<typeof acting>['acquire'];
  /** A live lease on plane:PORT/PORT-2. */
  let held: string;
  beforeAll(async () => {
    door = await openDoor({}, { tasks: true });
    ({ call, acquire } = acting(door));
    await door.serve(domain);
    await door.rpc('tools/list');
    held = (await acquire('plane:PORT/PORT-2')).lease_id;
  });
  afterAll(() => door.close());

  it('[FD-17][LE-3] shows _task as required in its schema, and tells its lease in gateway.describe', async () => {
    const { tools } = (await door.rpc('tools/list')).message.result;
    const update = tools.find(({ name }: { name: string }) => name === 'work.update');
    expect(update.inputSchema.required).toContain('_task');
    expect(update.inputSchema.properties._task.required).toEqual(['lease_id']);
    expect(tools.find(({ name }: { name: string }) => name === 'work.free').inputSchema.properties).not.toHaveProperty(
      '_task',
    );
    const { result } = await call('gateway.describe', { domain: 'work' });
    expect(JSON.parse(result.content[0].text).domains[0].tools[2]).toMatchObject({
      name: 'work.update',
      lease: { resource: 'plane:{project}/{work_item}' },
    });
  });

  it('[LE-3][FD-16] runs with a live lease of the caller on that very resource; its reference and fence go along, the id does not', async () => {
    const lease = await acquire('plane:PORT/PORT-1');
    const args = { project: 'PORT', work_item: 'PORT-1', _task: { lease_id: lease.lease_id, task_id: 't-7' } };
    const { envelope, text } = await call('work.update', args);
    expect(envelope).toMatchObject({ ok: true, meta: { lease_ref: leaseRef(lease.lease_id), task_id: 't-7' } });
    expect(calls.at(-1)).toMatchObject({
      tool: 'update',
      args: { project: 'PORT', work_item: 'PORT-1' },
      context: { leaseRef: lease.lease_ref, leaseFence: lease.fence, taskId: 't-7' },
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([text, ...door.lines, JSON.stringify(calls)].join('\n')).not.toContain(lease.lease_id);
  });

  it('[LE-3] renews it to at least the deadline of the call, and never shortens it', async () => {
    const short = await acquire('plane:PORT/short', { ttl_seconds: 2 });
    const asked = Date.now();
    await call('work.update', { project: 'PORT', work_item: 'short', _task: { lease_id: short.lease_id } });
    const long = await acquire('plane:PORT/long', { ttl_seconds: 600 });
    await call('work.update', { project: 'PORT', work_item: 'long', _task: { lease_id: long.lease_id } });
    const until = async (resource: string): Promise<number> => {
      const { result } = await call('task.status', { resource });
      return Date.parse(JSON.parse(result.content[0].text).expires_at);
    };
    // The domain's calls have 20 s: it lasts until after one that began now would end, whatever it was taken for.
    expect(await until('plane:PORT/short')).toBeGreaterThanOrEqual(asked + 20_000);
    expect(await until('plane:PORT/short')).toBeLessThan(Date.now() + 40_000);
    expect(await until('plane:PORT/long')).toBeGreaterThanOrEqual(Date.parse(long.expires_at));
  });

  it.each<[string, string, (lease: string) => Record<string, unknown>]>([
    ['none is given', 'LEASE_REQUIRED', () => ({})],
    ['_task has none', 'LEASE_REQUIRED', () => ({ _task: {} })],
    ['one is only hinted at', 'LEASE_REQUIRED', () => ({ _gateway_context: { lease_ref: 'a1b2c3d4e5f60718' } })],
    [
      'the lease is for another resource',
      'LEASE_EXPIRED',
      (lease) => ({ _task: { lease_id: lease }, work_item: 'other' }),
    ],
    ['it is guessed', 'LEASE_REQUIRED', () => ({ _task: { lease_id: 'A'.repeat(43) } })],
    [
      'it is guessed for a free resource',
      'LEASE_EXPIRED',
      () => ({ _task: { lease_id: 'A'.repeat(43) }, work_item: 'free' }),
    ],
    ['_task is no object', 'INVALID_ARGUMENTS', (lease) => ({ _task: lease })],
    ['the lease is no text', 'INVALID_ARGUMENTS', () => ({ _task: { lease_id: 7 } })],
    ['its task id is none', 'INVALID_ARGUMENTS', (lease) => ({ _task: { lease_id: lease, task_id: 'a b' } })],
    [
      'an argument that names the resource is missing',
      'INVALID_ARGUMENTS',
      (lease) => ({ _task: { lease_id: lease }, work_item: undefined }),
    ],
    [
      'an argument reads like more of the resource',
      'LEASE_EXPIRED',
      (lease) => ({ _task: { lease_id: lease }, project: 'PORT/PORT-2', work_item: 'x' }),
    ],
  ])('[LE-3][LE-4] does not run when %s: %s, nothing executed', async (_name, code, more) => {
    const before = calls.length;
    const { envelope } = await call('work.update', { project: 'PORT', work_item: 'PORT-2', ...more(held) });
    expect(envelope.error).toMatchObject({ code, executed: 'no', retryable: false });
    expect(calls).toHaveLength(before);
  });
  it('[LE-4] takes no header and no _meta for a lease, even of a lease that is live', async () => {
    const { lease_id: id } = await acquire('plane:PORT/PORT-3');
    const args = { project: 'PORT', work_item: 'PORT-3' };
    for (const options of [{ headers: { 'X-Lease-ID': id } }, { meta: { 'portico/lease-id': id } }]) {
      const { envelope } = await call('work.update', args, options);
      expect(envelope.error).toMatchObject({ code: 'LEASE_REQUIRED', executed: 'no' });
    }
  });

  it('[LE-3] does not run once the lease is released, and says that it has ended', async () => {
    const { lease_id: id } = await acquire('plane:PORT/PORT-4');
    await call('task.release', { resource: 'plane:PORT/PORT-4', lease_id: id });
    const { envelope } = await call('work.update', { project: 'PORT', work_item: 'PORT-4', _task: { lease_id: id } });
    expect(envelope.error).toMatchObject({ code: 'LEASE_EXPIRED', executed: 'no' });
  });

  it('[LE-3] keeps what fills one place of the resource out of the others', async () => {
    const lease = await acquire(`plane:${encodeURIComponent('a/b')}/c`);
    const run = async (project: string, item: string) =>
      (await call('work.update', { project, work_item: item, _task: { lease_id: lease.lease_id } })).envelope;
    expect((await run('a', 'b/c')).error).toMatchObject({ executed: 'no' });
    expect((await run('a/b', 'c')).ok).toBe(true);
  });

  it('[LE-2] puts the lease that was acquired into the envelope, in the place of one that was hinted at', async () => {
    const { envelope, result } = await call('task.acquire', {
      resource: 'doc:1',
      _gateway_context: { lease_ref: 'feedfeedfeedfeed' },
    });
    const lease = JSON.parse(result.content[0].text);
    expect(envelope.meta.lease_ref).toBe(lease.lease_ref);
    expect(lease.lease_ref).toBe(leaseRef(lease.lease_id));
    expect(result.structuredContent.meta.lease_ref).toBe(lease.lease_ref);
    expect(result._meta).not.toHaveProperty('portico/lease-ref');
  });

  it('[FD-17][LE-3] of a source that has an argument _task itself is left out, and that is logged', async () => {
    const ruled = await openDoor({}, { policy: { tools: [{ match: 'own.*', lease: { resource: 'own:{x}' } }] } });
    try {
      const own = defineTool({
        name: 'own',
        description: 'Has _task.',
        input: z.strictObject({ _task: z.string(), x: z.string() }),
        effect: 'write',
        handle: () => Promise.resolve('x'),
      });
      await ruled.serve({ name: 'own', description: 'For tests.', version: '1', tools: [own] });
      const { tools } = (await ruled.rpc('tools/list')).message.result;
      expect(tools.map(({ name }: { name: string }) => name)).not.toContain('own.own');
      expect(ruled.lines.join('')).toMatch(/catalogue\.left-out.*_task|_task.*catalogue\.left-out/);
    } finally {
      await ruled.close();
    }
  });

  it('[LE-5] fails closed while nobody can tell of leases, and what needs none goes on', async () => {
    const alone = await openDoor();
    try {
      await alone.serve(domain);
      await alone.rpc('tools/list');
      const { call: ask } = acting(alone);
      const { envelope } = await ask('work.update', { project: 'P', work_item: '1', _task: { lease_id: 'l-1' } });
      expect(envelope.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no', retryable: true });
      expect((await ask('work.look')).envelope.ok).toBe(true);
      expect((await ask('work.free')).envelope.ok).toBe(true);
    } finally {
      await alone.close();
    }
  });
});

describeIfAvailable('redis-server', '[LE-5] Redis lost', () => {
  it('protected mutations fail closed at once, reads go on, and all is well when it is back', async () => {
    const redis = await startRedisServer();
    const door = await openDoor({ REDIS_URL: redis.url }, { tasks: true });
    const { call, acquire } = acting(door);
    try {
      await door.serve(domain);
      await door.rpc('tools/list');
      const lease = await acquire('plane:P/1');
      const args = { project: 'P', work_item: '1', _task: { lease_id: lease.lease_id } };
      expect((await call('work.update', args)).envelope.ok).toBe(true);
      await redis.kill();
      const before = calls.filter(({ tool: name }) => name === 'update').length;
      const { envelope } = await call('work.update', args);
      expect(envelope.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no', retryable: true });
      expect(envelope.error?.message).not.toContain(String(new URL(redis.url).port));
      expect((await call('work.look')).envelope.ok).toBe(true);
      expect(calls.filter(({ tool: name }) => name === 'update')).toHaveLength(before);
      await redis.restart();
      // Without its data nobody holds anything: the old lease opens nothing.
      for (const end = Date.now() + 10_000; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
        const { envelope: later } = await call('work.update', args);
        if (later.error?.code !== 'BACKEND_UNAVAILABLE' || Date.now() > end) {
          expect(later.error).toMatchObject({ code: 'LEASE_EXPIRED', executed: 'no' });
          break;
        }
      }
      const again = await acquire('plane:P/1');
      expect(again.fence).toBeGreaterThan(lease.fence);
    } finally {
      await door.close();
      await redis.stop();
    }
  });
});
