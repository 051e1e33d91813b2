import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { sourceHealth } from '@portico/contracts';
import { LEAKS, failing } from './n8n-double.js';
import { node, webhook } from './n8n-workflows.js';
import { KEY, N8nWorld } from './n8n-world.js';

const NEW_KEY = 'n8n-key-0002';
const folder = mkdtempSync(join(tmpdir(), 'portico-n8n-'));
const file = join(folder, 'key');

let world: N8nWorld;
let orders: { workflow_id: string };
let broken: { workflow_id: string };
beforeAll(async () => {
  writeFileSync(file, `${KEY}\n`);
  world = await N8nWorld.start({ N8N_API_KEY_FILE: file });
  const exposed = { tags: ['mcp'], active: true };
  orders = { workflow_id: world.n8n.workflow('Orders', [webhook()], exposed).id };
  const nodes = [webhook({ path: 'broken' }), node('Stop', 'n8n-nodes-base.stopAndError')];
  broken = { workflow_id: world.n8n.workflow('Broken', nodes, exposed).id };
});
afterEach(() => void (world.n8n.faults.length = 0));
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
  const everything = JSON.stringify(world.seen) + world.lines.join('');
  expect(everything).toContain('backend.credential-refused');
  for (const secret of [
    KEY,
    NEW_KEY,
    folder,
    world.n8n.url,
    'boom',
    '/usr/local',
    '/home/node',
    'stack',
    'HINT-OF-N8N',
  ])
    expect(everything).not.toContain(secret);
  expect(everything).not.toContain('PARAMETER-SECRET');
});

describe('[AD-15] what goes wrong at n8n', () => {
  it.each([
    [400, 'INVALID_ARGUMENTS'],
    [401, 'UNAUTHENTICATED'],
    [403, 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND'],
    [409, 'CONFLICT'],
    [422, 'INVALID_ARGUMENTS'],
    [500, 'UNKNOWN_ERROR'],
    [502, 'BACKEND_UNAVAILABLE'],
    [504, 'BACKEND_UNAVAILABLE'],
  ])('%i is %s, in a sentence of ours', async (status, code) => {
    world.n8n.faults.push(failing(status));
    const fault = await world.fault('describe_workflow', orders);
    expect(fault.code).toBe(code);
    expect(fault.message).toMatch(/^n8n .*\.$/);
  });

  it.each([
    ['There is a conflict with one of the webhooks.', 'CONFLICT', /same path and method/],
    [
      'Cannot publish workflow: 1 node: /usr/local/x Missing required credential: httpHeaderAuth',
      'INVALID_ARGUMENTS',
      /lacks a credential/,
    ],
    ['Workflow cannot be activated because it has no trigger node. boom', 'INVALID_ARGUMENTS', /no trigger node/],
    ["request/body must have required property 'name'", 'INVALID_ARGUMENTS', /must have required property 'name'/],
    ['request/query/limit must be <= 250', 'INVALID_ARGUMENTS', /must be <= 250/],
    ['request/body must be x\n    at /usr/local/lib/x.js:1', 'INVALID_ARGUMENTS', /^n8n did not accept/],
    ['request/body must be /usr/local/lib/x.js', 'INVALID_ARGUMENTS', /^n8n did not accept/],
    ['ENOENT: no such file /home/node/.n8n', 'INVALID_ARGUMENTS', /^n8n did not accept/],
  ])('400 with %j is told as what it means', async (said, code, words) => {
    world.n8n.faults.push(failing(400, { message: said, ...LEAKS }));
    const fault = await world.fault('describe_workflow', orders);
    expect(fault).toMatchObject({ code, message: expect.stringMatching(words) });
  });

  it('429 is RATE_LIMITED with the wait, of the API and of a webhook', async () => {
    world.n8n.faults.push(failing(429, LEAKS, 7));
    expect(await world.fault('list_workflows')).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 7_000 });
    world.n8n.faults.push(undefined, failing(429, LEAKS, 7));
    expect(await world.fault('trigger_workflow', orders)).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 7_000 });
  });

  it.each([
    [400, 'UNKNOWN_ERROR', 'unknown'],
    [401, 'PERMISSION_DENIED', 'unknown'],
    [403, 'PERMISSION_DENIED', 'unknown'],
    [404, 'UNKNOWN_ERROR', 'unknown'],
    [500, 'UNKNOWN_ERROR', 'yes'],
    [502, 'BACKEND_UNAVAILABLE', 'unknown'],
  ])('a webhook that answers %i is %s, executed: %s', async (status, code, executed) => {
    world.n8n.faults.push(undefined, failing(status));
    expect(await world.fault('trigger_workflow', orders)).toMatchObject({ code, executed });
  });

  it('a webhook that is registered no longer was not run', async () => {
    const body = { code: 404, message: 'The requested webhook "POST orders" is not registered.', ...LEAKS };
    world.n8n.faults.push(undefined, failing(404, body));
    expect(await world.fault('trigger_workflow', orders)).toMatchObject({ code: 'CONFLICT', executed: 'no' });
  });

  it('a workflow that fails was run, and its execution says where and not why', async () => {
    expect(await world.fault('trigger_workflow', broken)).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'yes' });
    const { executions } = await world.call('list_executions', broken);
    const { execution_id } = executions[0];
    const shown = await world.call('get_execution', { execution_id, include_output: true });
    expect(shown).toMatchObject({ status: 'error', failed: { error: 'NodeOperationError', node: 'Stop' } });
  });

  it('503 of a read is asked once more; a write never is', async () => {
    world.n8n.faults.push((response) => response.writeHead(503, { 'retry-after': '0' }).end());
    expect(await world.call('describe_workflow', orders)).toMatchObject(orders);
    const before = world.n8n.requests.length;
    world.n8n.faults.push((response) => response.writeHead(503, { 'retry-after': '0' }).end());
    const nodes = [{ name: 'Set', type: 'n8n-nodes-base.set', typeVersion: 1 }];
    expect(await world.fault('create_workflow', { name: 'x', nodes })).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(world.n8n.requests).toHaveLength(before + 1);
  });

  it('an answer that is cut off is BACKEND_UNAVAILABLE, none at all TIMEOUT', async () => {
    const cut = (response: Parameters<ReturnType<typeof failing>>[0]) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"id":');
      setImmediate(() => response.destroy());
    };
    world.n8n.faults.push(cut, cut);
    expect(await world.fault('describe_workflow', orders)).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    world.n8n.faults.push(() => {});
    expect(await world.fault('describe_workflow', orders, { deadlineMs: 300 })).toMatchObject({ code: 'TIMEOUT' });
  });

  it.each(['', 'null', '[]', '{"id":44}', '<html>'])('an answer like %j is UNKNOWN_ERROR', async (body) => {
    world.n8n.faults.push((response) => response.end(body));
    expect(await world.fault('describe_workflow', orders)).toMatchObject({ code: 'UNKNOWN_ERROR' });
  });

  it('a redirect is not followed, and nobody else is shown the key', async () => {
    let asked = 0;
    const other = createServer((_request, response) => (asked++, void response.end('{}')));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const location = `http://localhost:${(other.address() as AddressInfo).port}/api/v1/workflows/x`;
    world.n8n.faults.push((response) => response.writeHead(302, { location }).end());
    expect(await world.fault('describe_workflow', orders)).toMatchObject({ code: 'UNKNOWN_ERROR' });
    expect(asked).toBe(0);
    await new Promise((resolve) => other.close(resolve));
  });

  it('its health is down while it is away', async () => {
    world.n8n.faults.push(failing(502));
    const health = () => world.bus.ask(sourceHealth('domain.n8n'), {});
    expect(await health()).toEqual({ state: 'down', detail: 'BACKEND_UNAVAILABLE' });
    expect(await health()).toEqual({ state: 'up' });
  });

  it('its key is read again when its file changes', async () => {
    await world.call('describe_workflow', orders);
    world.n8n.keys.clear();
    world.n8n.keys.add(NEW_KEY);
    expect(await world.fault('describe_workflow', orders)).toMatchObject({ code: 'UNAUTHENTICATED' });
    writeFileSync(file, ` ${NEW_KEY}\n`);
    expect(await world.call('describe_workflow', orders)).toMatchObject(orders);
  });
});
