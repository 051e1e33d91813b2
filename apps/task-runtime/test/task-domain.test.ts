import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LEASE_REF_META_KEY, callTool, describeSource } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { readConfig, startTaskRuntime } from '@portico/task-runtime';
import { describeDomain, describeIfAvailable, startRedisServer } from '@portico/testkit';
import { startHeldRedis } from './held-redis.js';
import { ALICE, BOB, startRuntimes } from './runtimes.js';
import type { Caller, Granted, Runtimes } from './runtimes.js';

describeIfAvailable('redis-server', 'task.* on Redis', () => {
  describeDomain('task', async () => {
    const server = await startRedisServer();
    const redis = await startHeldRedis(server.port);
    const config = readConfig({ REDIS_URL: redis.url });
    return {
      source: 'domain.task',
      serve: (bus) => startTaskRuntime(bus, config, createLog({ level: 'silent', name: 'test' })),
      context: { correlationId: 'c-1', principal: { tenant: 'acme', subject: 'alice' } },
      backendRequests: redis.requests,
      badArguments: { tool: 'acquire', arguments: { resource: 'plane:shop/1', ttl_seconds: 3_601 } },
      hang() {
        const there = redis.hold();
        return {
          tool: 'acquire',
          arguments: { resource: 'hanging' },
          arrived: () => there,
          release: () => redis.release(),
        };
      },
      async close() {
        await redis.close();
        await server.stop();
      },
    };
  });

  it('[LE-1] gives back what was granted to a call that was cancelled: nobody knows its id', async () => {
    const server = await startRedisServer();
    const redis = await startHeldRedis(server.port);
    const tasks = await startRuntimes({ redisUrl: redis.url });
    const others = await startRuntimes({ redisUrl: server.url });
    const there = redis.hold();
    const ending = new AbortController();
    const asked = tasks.bus.ask(
      callTool('domain.task'),
      { tool: 'acquire', arguments: { resource: 'r' } },
      {
        deadlineMs: 10_000,
        signal: ending.signal,
        context: { correlationId: 'c-1', principal: { tenant: ALICE.tenant, subject: ALICE.subject } },
      },
    );
    const cancelled = expect(asked).rejects.toMatchObject({ code: 'CANCELLED', executed: 'unknown' });
    await there;
    ending.abort();
    await cancelled;
    const before = redis.requests();
    redis.release();
    // The acquire that was kept back is granted, and a release follows it.
    while (redis.requests() === before) await new Promise((resolve) => setTimeout(resolve, 5));
    let granted: Granted | undefined;
    while (!granted) granted = await others.acquire('r', BOB).catch((): undefined => undefined);
    await tasks.close();
    await others.close();
    await redis.close();
    await server.stop();
  });

  describeTools('Redis', async () => {
    const server = await startRedisServer();
    return { redisUrl: server.url, stop: () => server.stop() };
  });
});

describeTools('memory', async () => ({ redisUrl: 'memory:', stop: async () => {} }));

function describeTools(name: string, start: () => Promise<{ redisUrl: string; stop(): Promise<void> }>): void {
  describe(`task.*: ${name}`, () => {
    let store: Awaited<ReturnType<typeof start>>;
    let tasks: Runtimes;
    let resources = 0;
    const fresh = (): string => `plane:shop/${(resources += 1)}`;
    const renew = (resource: string, lease_id: string, caller = ALICE) =>
      tasks.told<Granted>('renew', { resource, lease_id }, caller);
    const release = (resource: string, lease_id: string, caller = ALICE) =>
      tasks.told<Granted>('release', { resource, lease_id }, caller);
    const status = (resource: string, caller = ALICE) =>
      tasks.told<Record<string, unknown>>('status', { resource }, caller);

    beforeAll(async () => {
      store = await start();
      tasks = await startRuntimes({ redisUrl: store.redisUrl });
    }, 60_000);
    afterAll(async () => {
      await tasks?.close();
      await store?.stop();
    });

    it('[LE-1] publishes the four, without output schemas, and says what each does', async () => {
      const { tools } = await tasks.bus.ask(describeSource('domain.task'), {});
      expect(tools.map(({ definition, policy }) => [definition.name, policy])).toEqual([
        ['acquire', { effect: 'write' }],
        ['release', { effect: 'write' }],
        ['renew', { effect: 'write' }],
        ['status', { effect: 'read' }],
      ]);
      for (const { definition } of tools) expect(definition).not.toHaveProperty('outputSchema');
      expect(
        tools.map(({ definition }) => (definition['annotations'] as Record<string, unknown>)['readOnlyHint']),
      ).toEqual([false, false, false, true]);
      const argumentsOf = (index: number) => tools[index]!.definition.inputSchema;
      expect(Object.keys(argumentsOf(0)['properties'] as object)).toEqual([
        'resource',
        'ttl_seconds',
        'task_id',
        'agent',
        'lease_ref',
      ]);
      expect(argumentsOf(0)).toMatchObject({
        required: ['resource'],
        properties: { ttl_seconds: { type: 'integer', minimum: 1, maximum: 3_600, default: 300 } },
      });
      for (const index of [1, 2]) expect(argumentsOf(index)).toMatchObject({ required: ['resource', 'lease_id'] });
      expect(argumentsOf(3)).toMatchObject({ required: ['resource'] });
    });

    it('[LE-1][LE-2] grants: the id once, its reference beside it and in _meta, whatever hint was sent', async () => {
      const resource = fresh();
      const before = Date.now();
      const result = await tasks.call('acquire', { resource, lease_ref: 'a-hint' }, { ...ALICE, agent: 'builder' });
      const granted = JSON.parse(result.content?.[0]?.['text'] as string) as Granted;
      expect(Object.keys(granted)).toEqual(['lease_id', 'lease_ref', 'resource', 'fence', 'expires_at']);
      expect(Object.keys(result).sort()).toEqual(['_meta', 'content']);
      expect(granted.lease_id).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(granted.lease_ref).toBe(createHash('sha256').update(granted.lease_id).digest('hex').slice(0, 16));
      expect(result._meta).toEqual({ [LEASE_REF_META_KEY]: granted.lease_ref });
      expect(granted.resource).toBe(resource);
      expect(Number.isSafeInteger(granted.fence)).toBe(true);
      // The store may be on another clock than this test's, but not here.
      const lasts = Date.parse(granted.expires_at) - before;
      expect(lasts).toBeGreaterThan(295_000);
      expect(lasts).toBeLessThan(330_000);
      const again = await status(resource);
      expect(again).toEqual({
        lease_ref: granted.lease_ref,
        resource,
        fence: granted.fence,
        expires_at: granted.expires_at,
        held: true,
        agent: 'builder',
      });
      for (const told of [await renew(resource, granted.lease_id), await release(resource, granted.lease_id)]) {
        expect(Object.keys(told)).toEqual(['lease_id', 'lease_ref', 'resource', 'fence', 'expires_at']);
        expect(told.lease_id).toBe(granted.lease_id);
      }
      expect(await status(resource)).toEqual({ resource, held: false });
    });

    it('[LE-1] lasts as long as it is asked to, from 1 to 3,600 seconds, and each renewal gives that anew', async () => {
      const [short, long] = [fresh(), fresh()];
      const one = await tasks.acquire(short, ALICE, { ttl_seconds: 1 });
      const hour = await tasks.acquire(long, ALICE, { ttl_seconds: 3_600 });
      const hourMs = Date.parse(hour.expires_at) - Date.parse(one.expires_at) + 1_000;
      expect(hourMs).toBeGreaterThanOrEqual(3_600_000 - 1);
      expect(hourMs).toBeLessThan(3_660_000);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      await expect(renew(short, one.lease_id)).rejects.toMatchObject({ code: 'LEASE_EXPIRED', executed: 'no' });
      await expect(release(short, one.lease_id)).rejects.toMatchObject({ code: 'LEASE_EXPIRED', executed: 'no' });
      const renewed = await renew(long, hour.lease_id);
      expect(renewed).toMatchObject({ lease_ref: hour.lease_ref, fence: hour.fence });
      expect(Date.parse(renewed.expires_at) - Date.parse(hour.expires_at)).toBeGreaterThanOrEqual(1_000);
      expect((await tasks.acquire(short, BOB)).fence).toBeGreaterThan(hour.fence);
      for (const ttl_seconds of [0, 3_601, 1.5, -1, '60', null])
        await expect(tasks.acquire(fresh(), ALICE, { ttl_seconds })).rejects.toMatchObject({
          code: 'INVALID_ARGUMENTS',
          executed: 'no',
        });
    });

    it('[LE-1] answers CONFLICT for what is held, naming agent, lease_ref and expiry, and never the id', async () => {
      const resource = fresh();
      const held = await tasks.acquire(resource, ALICE, { agent: 'builder:7' });
      const named = {
        code: 'CONFLICT',
        executed: 'no',
        message: `The resource is held by agent builder:7, lease_ref ${held.lease_ref}, until ${held.expires_at}.`,
      };
      // The same subject has no more claim to it than another.
      for (const caller of [ALICE, BOB]) await expect(tasks.acquire(resource, caller)).rejects.toMatchObject(named);
      await expect(renew(resource, 'x'.repeat(43))).rejects.toMatchObject(named);
      await expect(release(resource, 'x'.repeat(43))).rejects.toMatchObject(named);
      expect(JSON.stringify(named)).not.toContain(held.lease_id);
      await release(resource, held.lease_id);
      const nameless = await tasks.acquire(resource, BOB);
      await expect(tasks.acquire(resource, ALICE)).rejects.toThrow(
        `by agent (not named), lease_ref ${nameless.lease_ref}`,
      );
      // A former holder hears who has it now.
      await expect(renew(resource, held.lease_id)).rejects.toMatchObject({ code: 'CONFLICT' });
    });

    it('[LE-1] belongs to its tenant and subject: its id in other hands is a wrong one', async () => {
      const resource = fresh();
      const held = await tasks.acquire(resource, ALICE);
      for (const tool of ['renew', 'release'] as const) {
        const args = { resource, lease_id: held.lease_id };
        await expect(tasks.call(tool, args, BOB)).rejects.toMatchObject({ code: 'CONFLICT' });
        const elsewhere = tasks.call(tool, args, { ...ALICE, tenant: 'other' });
        await expect(elsewhere).rejects.toMatchObject({ code: 'LEASE_EXPIRED' });
        const another = tasks.call(tool, { ...args, resource: fresh() }, ALICE);
        await expect(another).rejects.toMatchObject({ code: 'LEASE_EXPIRED' });
      }
      expect(await status(resource, BOB)).toMatchObject({ held: true, lease_ref: held.lease_ref });
    });

    it('[LE-1] tells resources of two tenants apart, whatever their names are made of', async () => {
      const callers: [Caller, string][] = [
        [{ tenant: 'a', subject: 's' }, 'b:c'],
        [{ tenant: 'a:b', subject: 's' }, 'c'],
        [{ tenant: 'a","b', subject: 's' }, 'c'],
        [{ tenant: 'a', subject: 's' }, 'b","c'],
        [{ tenant: 'A', subject: 's' }, 'b:c'],
        [{ tenant: 'a', subject: 's' }, 'b:c '],
        [{ tenant: '', subject: 's' }, 'ab:c'],
        [{ tenant: '', subject: 's' }, '{lease}:fence'],
        [{ tenant: '__proto__', subject: 's' }, '__proto__'],
        [{ tenant: 'a', subject: 's' }, '\u00e9'],
        [{ tenant: 'a', subject: 's' }, 'e\u0301'],
        [{ tenant: 'a', subject: 's' }, 'x'.repeat(512)],
        [{ tenant: 'a', subject: 's' }, 'x'.repeat(511)],
      ];
      const granted = [];
      for (const [caller, resource] of callers) granted.push(await tasks.acquire(resource, caller));
      expect(new Set(granted.map(({ lease_id }) => lease_id)).size).toBe(callers.length);
      for (const [index, [caller, resource]] of callers.entries()) {
        expect(await status(resource, caller)).toMatchObject({ lease_ref: granted[index]!.lease_ref });
        await release(resource, granted[index]!.lease_id, caller);
      }
      expect(await status('b:c', { tenant: 'b', subject: 's' })).toEqual({ resource: 'b:c', held: false });
    });

    it('[LE-1] does nothing for a call that does not say who asks: there is no tenant by default', async () => {
      for (const tool of ['acquire', 'renew', 'release', 'status']) {
        const args = { resource: fresh(), ...(/^re/.test(tool) && { lease_id: 'x' }) };
        const asked = tasks.bus.ask(callTool('domain.task'), { tool, arguments: args }, { deadlineMs: 10_000 });
        await expect(asked).rejects.toMatchObject({ code: 'UNAUTHENTICATED', executed: 'no' });
      }
    });

    it.each([
      ['an empty resource', 'resource', ''],
      ['a long resource', 'resource', 'x'.repeat(513)],
      ['a resource of lines', 'resource', 'a\nb'],
      ['a resource with a zero', 'resource', 'a\u0000'],
      ['a resource with a control character', 'resource', '\u0085'],
      ['a resource that is no text', 'resource', 7],
      ['no resource', 'resource', undefined],
      ['an agent with a space', 'agent', 'a b'],
      ['an empty agent', 'agent', ''],
      ['a long task_id', 'task_id', 'x'.repeat(129)],
      ['a task_id with an accent', 'task_id', 'é'],
      ['a lease_ref of lines', 'lease_ref', 'a\r\nb'],
      ['a tenant', 'tenant', 'other'],
      ['a subject', 'subject', 'bob'],
    ])('[LE-1] refuses %s, naming it', async (_what, field, value) => {
      const asked = tasks.acquire(fresh(), ALICE, { [field]: value });
      await expect(asked).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
        executed: 'no',
        message: expect.stringContaining(`"${field}"`),
      });
    });

    it('[LE-1] takes the agent and task of the call where the arguments name none', async () => {
      const [own, given] = [fresh(), fresh()];
      const caller = { ...ALICE, agent: 'from-context', taskId: 'T-1' };
      await tasks.acquire(own, caller);
      await tasks.acquire(given, caller, { agent: 'from-arguments', task_id: 'T-2' });
      expect(await status(own)).toMatchObject({ agent: 'from-context', task_id: 'T-1' });
      expect(await status(given)).toMatchObject({ agent: 'from-arguments', task_id: 'T-2' });
    });

    it('[LE-2] writes no lease id anywhere but, once, into the result that grants it, and to who shows it there', async () => {
      const ids: string[] = [];
      const said: string[] = [];
      const note = async (work: Promise<unknown>): Promise<void> => {
        const outcome = await work.catch((error: unknown) => [String(error), error, (error as Error).stack]);
        said.push(JSON.stringify(outcome));
      };
      for (let n = 0; n < 20; n += 1) {
        const resource = fresh();
        const granted = await tasks.acquire(resource, ALICE);
        const { lease_id, lease_ref } = granted;
        expect(JSON.stringify(granted).split(lease_id)).toHaveLength(2);
        ids.push(lease_id);
        await renew(resource, lease_id);
        await note(renew(resource, lease_id, BOB));
        await note(renew(resource, `${lease_id} `.repeat(9)));
        await note(tasks.call('release', { resource, lease_id, more: 1 }, ALICE));
        await note(tasks.call('acquire', { resource, lease_ref: `${lease_id} ` }, ALICE));
        await note(tasks.acquire(resource, BOB));
        await note(tasks.guard(resource, lease_id, ALICE));
        await note(tasks.guard(resource, lease_id, BOB));
        await note(status(resource));
        await release(resource, lease_id);
        await note(renew(resource, lease_id));
        await note(release(resource, lease_id));
        expect(said.join('\n')).toContain(lease_ref);
      }
      const everything = [...said, ...tasks.lines].join('\n');
      for (const id of ids) expect(everything).not.toContain(id);
    });
  });
}
