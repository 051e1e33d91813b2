import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { Envelope, type Receipt, leaseRef } from '@portico/contracts';
import { type NatsWithUsers, describeIfAvailable, startNatsWithUsers } from '@portico/testkit';
import { webhook } from '../apps/adapter-n8n/test/n8n-workflows.js';
import { WholePortico, call } from './whole-portico.js';
import type { Given } from './whole-portico.js';

const DAY = 'incident-4711';
const TASK = 'cart-fails';
const PLANE_FILE = '.plane/SHOP.json';
const POLICY = {
  tools: [{ match: 'plane.create_work_item', lease: { resource: 'plane:{project}' } }],
  access: [
    {
      subjects: ['agent'],
      allow: ['cluster.pods_*', 'dagger.*', 'plane.*', 'slack.*', 'n8n.*', 'task.*', 'gateway.*'],
    },
  ],
};

const errorOf = ({ whole }: Given) =>
  Envelope.parse((whole as { _meta: Record<string, unknown> })._meta['portico/envelope']).error;
const fine = (given: Given): Given => {
  expect([given.isError, given.isError && given.text]).toEqual([false, false]);
  return given;
};

/** Those of the day, oldest first, as soon as there are so many: they are written behind the answers. */
const receiptsOf = async (agent: Client, count: number): Promise<Receipt[]> => {
  for (const end = Date.now() + 5_000; ; await sleep(20)) {
    const { receipts } = (await call(agent, 'gateway.receipts', { correlation_id: DAY })).json as {
      receipts: Receipt[];
    };
    const ofTheDay = receipts.filter(({ tool }) => tool !== 'receipts');
    if (ofTheDay.length >= count || Date.now() > end) return ofTheDay.toReversed();
  }
};

describeIfAvailable('nats-server', 'an agent’s day, through the front door', () => {
  let nats: NatsWithUsers;
  let portico: WholePortico;
  let agent: Client;
  beforeAll(async () => {
    nats = await startNatsWithUsers();
    portico = await WholePortico.start(nats.urlOf, POLICY);
    const { plane, git, n8n } = portico.backends;
    const shop = plane.records.project('SHOP');
    plane.records.create(shop, { name: 'Older' });
    await git.put(PLANE_FILE, '{\n  "project": "SHOP",\n  "work_items": [\n  ]\n}\n');
    n8n.workflow('Page on-call', [webhook({ path: 'page' })], { tags: ['mcp'], active: true });
    n8n.workflow('Private', [webhook({ path: 'private' })], { active: true });
    agent = await portico.agent({ 'X-Correlation-ID': DAY, 'X-Task-ID': TASK });
  }, 120_000);
  afterAll(async () => {
    await portico.close();
    const refused = nats.refused();
    await nats.stop();
    // Each service came with its own credential, and did nothing that it may not.
    expect(refused).toEqual([]);
  });

  it('[AD-1][FD-16][FD-18][FD-19][LE-3] finds what failed, opens an item under a lease, tells the channel and triggers a workflow, under one correlation id', async () => {
    const names = (await agent.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['cluster.pods_log', 'dagger.get_logs', 'plane.create_work_item', 'slack.post_message']),
    );
    expect(names).not.toContain('cluster.configuration_view');
    const steps: [tool: string, lease?: string, code?: string][] = [];
    const does = async (tool: string, args: Record<string, unknown> = {}, lease?: string) => {
      steps.push(lease === undefined ? [tool] : [tool, leaseRef(lease)]);
      return fine(await call(agent, tool, { ...args, ...(lease !== undefined && { _task: { lease_id: lease } }) }));
    };
    const refused = async (code: string, tool: string, args: Record<string, unknown>) => {
      steps.push([tool, undefined, code]);
      expect(errorOf(await call(agent, tool, args))).toMatchObject({ code, executed: 'no' });
    };

    // What burns.
    expect((await does('cluster.pods_list_in_namespace', { namespace: 'shop' })).text).toContain('cart');
    expect((await does('cluster.pods_log', { namespace: 'shop', name: 'cart' })).text).toContain('cart took an order');
    const { runs } = (await does('dagger.list_runs', { limit: 10 })).json;
    const failing = runs.find(({ conclusion }: { conclusion?: string }) => conclusion === 'failure').run_id;
    expect(failing).toBe('build-44');
    expect((await does('dagger.get_run', { run_id: failing })).json).toMatchObject({ conclusion: 'failure' });
    const log = (await does('dagger.get_logs', { run_id: failing, step: 'test' })).text;
    expect(log).toContain('expected 1, got 2');

    // An item, by whoever has the lease.
    const item = { project: 'SHOP', name: 'Cart fails: expected 1, got 2', priority: 'urgent' };
    await refused('LEASE_REQUIRED', 'plane.create_work_item', item);
    const project = (await does('task.acquire', { resource: 'plane:SHOP' })).json;
    const made = (await does('plane.create_work_item', item, project.lease_id)).json;
    expect(made).toMatchObject({ work_item: 'SHOP-2', written_to: ['git', 'plane'] });
    const change = { project: 'SHOP', work_item: made.work_item, state: 'In Progress' };
    await refused('LEASE_REQUIRED', 'plane.update_work_item', change);
    // The lease on the project is not one on the item.
    await refused('LEASE_EXPIRED', 'plane.update_work_item', { ...change, _task: { lease_id: project.lease_id } });
    const one = (await does('task.acquire', { resource: `plane:SHOP/${made.work_item}` })).json;
    await does('plane.update_work_item', change, one.lease_id);
    expect((await does('plane.get_work_item', { work_item: made.work_item })).json).toMatchObject({
      name: item.name,
      state: 'In Progress',
      priority: 'urgent',
    });
    const declared = JSON.parse((await portico.backends.git.read(PLANE_FILE))!).work_items[0];
    expect(declared).toMatchObject({ name: item.name, state: 'In Progress', external_id: made.external_id });
    for (const { resource, lease_id } of [one, project]) await does('task.release', { resource, lease_id });

    // Who has to know.
    const { channels } = (await does('slack.list_channels', { name: 'incidents' })).json;
    const text = `${made.work_item}: the cart fails since ${failing}`;
    await does('slack.post_message', { channel: channels[0].id, text });
    expect((await portico.backends.slack.texts('incidents'))[0]).toContain(text);
    const { workflows } = (await does('n8n.list_workflows')).json;
    expect(workflows.map(({ name }: { name: string }) => name)).toEqual(['Page on-call']);
    const body = { work_item: made.work_item };
    const paged = await does('n8n.trigger_workflow', { workflow_id: workflows[0].workflow_id, body });
    expect(paged.json).toMatchObject({ finished: true, status: 200, response: { body } });

    // What is left of it: receipts, in order, and the id at every backend.
    const receipts = await receiptsOf(agent, steps.length);
    expect(receipts.map(({ domain, tool, code }) => [`${domain}.${tool}`, code])).toEqual(
      steps.map(([tool, , code]) => [tool, code ?? 'OK']),
    );
    for (const [index, [, lease, code]] of steps.entries()) {
      const receipt = receipts[index]!;
      expect(receipt).toMatchObject({ correlation_id: DAY, task_id: TASK, tenant: 'acme', subject: 'agent' });
      expect(receipt.executed).toBe(code === undefined ? 'yes' : 'no');
      if (lease !== undefined) expect(receipt.lease_ref).toBe(lease);
    }
    expect(receipts.map(({ seq }) => seq)).toEqual(receipts.map((_none, index) => receipts[0]!.seq + index));
    const { github, ...asked } = portico.backends.asked;
    expect(github).toEqual([]);
    for (const [backend, requests] of Object.entries(asked)) {
      expect([backend, requests.length > 0]).toEqual([backend, true]);
      for (const { at, headers } of requests)
        expect([backend, at, headers['x-correlation-id'], headers['x-task-id']]).toEqual([backend, at, DAY, TASK]);
    }
    const written = asked['plane']!.filter(({ method }) => method !== 'GET');
    expect(written.map(({ headers }) => headers['x-lease-ref'])).toEqual(
      [project, one].map(({ lease_id }) => leaseRef(lease_id)),
    );
    const everywhere = JSON.stringify([receipts, portico.backends.asked]) + portico.lines.join('');
    for (const { lease_id } of [project, one]) expect(everywhere).not.toContain(lease_id);
  }, 60_000);
});
