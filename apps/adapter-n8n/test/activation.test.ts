import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fault } from './n8n-double.js';
import type { DoubleWorkflow } from './n8n-records.js';
import { closedWebhook, node, webhook } from './n8n-workflows.js';
import { N8nWorld } from './n8n-world.js';

let world: N8nWorld;
beforeEach(async () => (world = await N8nWorld.start()));
afterEach(() => world.close());

const sent = () => world.n8n.requests.filter(({ method }) => method !== 'GET').map(({ url }) => url);
const of = ({ id }: DoubleWorkflow) => ({ workflow_id: id });
const asMade = (name: string, type: string, rest: object = {}) => ({ name, type, typeVersion: 1, ...rest });
const TAG = { id: 'tag-mcp', name: 'mcp' };

describe('[AD-14] a workflow that an agent makes', () => {
  const closed = asMade('In', 'n8n-nodes-base.webhook', {
    parameters: { path: 'agent', httpMethod: 'POST', authentication: 'headerAuth' },
    credentials: { httpHeaderAuth: { id: 'cred1', name: 'Header' } },
  });

  it('is inactive, without a tag, and not triggered by it, active or not', async () => {
    const made = await world.call('create_workflow', {
      name: 'Mine',
      nodes: [closed, asMade('Set', 'n8n-nodes-base.set')],
      connections: { In: { main: [[{ node: 'Set' }]] } },
      timezone: 'Europe/Paris',
      timeout_seconds: 60,
    });
    expect(made).toEqual({ workflow_id: expect.any(String), name: 'Mine', active: false });
    const body = JSON.parse(world.n8n.requests.at(-1)!.body);
    expect(Object.keys(body)).toEqual(['name', 'nodes', 'connections', 'settings']);
    // A Webhook without one is found by n8n at another path than the one that it was given.
    expect(body.nodes[0].webhookId).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.settings).toEqual({ executionOrder: 'v1', timezone: 'Europe/Paris', executionTimeout: 60 });
    expect(body.connections).toEqual({ In: { main: [[{ node: 'Set', type: 'main', index: 0 }]] } });
    const named = { workflow_id: made.workflow_id };
    expect(await world.fault('trigger_workflow', named)).toMatchObject({ code: 'PERMISSION_DENIED', executed: 'no' });
    expect(await world.call('activate_workflow', named)).toMatchObject({ active: true });
    expect(world.n8n.records.workflows[0]?.tags).toEqual([]);
    for (const tool of ['trigger_workflow', 'describe_workflow', 'list_executions'])
      expect(await world.fault(tool, named)).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await world.call('list_workflows')).toEqual({ workflows: [] });
    expect(await world.call('deactivate_workflow', named)).toMatchObject({ active: false });
  });

  it.each([
    ['tags', { tags: ['mcp'] }],
    ['being active', { active: true }],
    ['settings of its own, such as being open to another door', { settings: { availableInMCP: true } }],
    ['the place of another', { nodes: [{ ...closed, webhookId: 'x' }] }],
    ['an id of its own', { id: 'x' }],
    ['static data', { staticData: {} }],
    ['two nodes of one name', { nodes: [closed, closed] }],
  ])('is not made with %s', async (_name, extra) => {
    const fault = await world.fault('create_workflow', { name: 'Mine', nodes: [closed], ...extra });
    expect(fault).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
    expect(world.n8n.requests).toEqual([]);
  });

  it('is never changed: there is no tool for it, nor one that names a tag', async () => {
    for (const tool of ['update_workflow', 'delete_workflow', 'set_tags', 'create_tag', 'retry_execution'])
      expect(await world.fault(tool, { workflow_id: 'x' })).toMatchObject({ code: 'UNKNOWN_TOOL' });
  });
});

describe('[AD-14] activation', () => {
  it.each<[string, Parameters<N8nWorld['n8n']['workflow']>[1]]>([
    ['an open webhook', [webhook()]],
    ['an open webhook beside one that is not', [closedWebhook('a'), webhook({ path: 'b' }, { name: 'Open' })]],
    ['an open webhook that is disabled', [closedWebhook('a'), webhook({ path: 'b' }, { disabled: true })]],
    ['an authentication that is an expression', [webhook({ authentication: '={{ "headerAuth" }}' })]],
    ['a schedule', [closedWebhook('a'), node('S', 'n8n-nodes-base.scheduleTrigger')]],
    ['cron', [closedWebhook('a'), node('S', 'n8n-nodes-base.cron')]],
    ['an interval', [node('S', 'n8n-nodes-base.interval')]],
    ['a poll', [closedWebhook('a'), node('S', 'n8n-nodes-base.rssFeedReadTrigger')]],
    ['a mailbox', [closedWebhook('a'), node('S', 'n8n-nodes-base.emailReadImap')]],
    ['a form', [closedWebhook('a'), node('S', 'n8n-nodes-base.formTrigger', { authentication: 'basicAuth' })]],
    ['a chat', [closedWebhook('a'), node('S', '@n8n/n8n-nodes-langchain.chatTrigger')]],
    ['an MCP server', [closedWebhook('a'), node('S', '@n8n/n8n-nodes-langchain.mcpTrigger')]],
    ['the failure of another', [closedWebhook('a'), node('S', 'n8n-nodes-base.errorTrigger')]],
    ['another workflow', [closedWebhook('a'), node('S', 'n8n-nodes-base.executeWorkflowTrigger')]],
    ['a node that is not known', [closedWebhook('a'), node('S', 'n8n-nodes-other.thing')]],
    ['a Webhook that is not n8n’s', [node('S', 'n8n-nodes-other.webhook', { authentication: 'headerAuth' })]],
    ['nothing', [node('S', 'n8n-nodes-base.set')]],
  ])('is refused where it is started by %s', async (_name, nodes) => {
    const workflow = world.n8n.workflow('Some', nodes);
    const fault = await world.fault('activate_workflow', of(workflow));
    expect(fault).toMatchObject({ code: 'PERMISSION_DENIED', executed: 'no' });
    expect(fault.message).toMatch(/^This workflow may not be activated from here: /);
    expect(sent()).toEqual([]);
  });

  it('publishes the version that was looked at, not what the draft has become', async () => {
    const workflow = world.n8n.workflow('Some', [closedWebhook('a')]);
    const { versionId } = workflow;
    expect(await world.call('activate_workflow', of(workflow))).toMatchObject({ active: true });
    expect(JSON.parse(world.n8n.requests.find(({ method }) => method === 'POST')!.body)).toEqual({ versionId });
    world.n8n.records.edit(workflow, [webhook()]);
    expect(await world.call('activate_workflow', of(workflow))).toMatchObject({ active: true });
    expect(sent()).toHaveLength(1);
    expect(workflow.activeVersion?.versionId).toBe(versionId);
  });

  it('is taken back when the workflow is exposed meanwhile', async () => {
    const workflow = world.n8n.workflow('Some', [closedWebhook('a')]);
    world.n8n.meanwhile.set(2, () => workflow.tags.push(TAG));
    const fault = await world.fault('activate_workflow', of(workflow));
    expect(fault).toMatchObject({ code: 'CONFLICT', executed: 'yes' });
    expect(fault.message).toContain('was exposed');
    expect(workflow.active).toBe(false);
  });

  it('is taken back when what runs is not what was looked at', async () => {
    const workflow = world.n8n.workflow('Some', [closedWebhook('a')]);
    world.n8n.meanwhile.set(3, () => {
      world.n8n.records.edit(workflow, [webhook()]);
      world.n8n.records.publish(workflow);
    });
    expect(await world.fault('activate_workflow', of(workflow))).toMatchObject({ code: 'CONFLICT', executed: 'yes' });
    expect(workflow.active).toBe(false);
  });

  it.each<[string, Fault]>([
    ['fails', (response) => response.writeHead(500).end()],
    ['is gone', (response) => response.destroy()],
    ['is being started again', (response) => response.writeHead(503, { 'retry-after': '0' }).end()],
  ])('that can not be looked at afterwards, as n8n %s, says that it was done', async (_name, fault) => {
    const workflow = world.n8n.workflow('Some', [closedWebhook('a')]);
    world.n8n.faults.push(undefined, undefined, fault, fault);
    expect(await world.fault('activate_workflow', of(workflow))).toMatchObject({
      code: 'PARTIALLY_APPLIED',
      executed: 'yes',
    });
    expect(workflow.active).toBe(true);
    expect(sent()).toHaveLength(1);
  });

  it('of an archived one, one whose path is taken, and one without its credential is refused', async () => {
    world.n8n.workflow('First', [closedWebhook('a')], { active: true });
    const taken = world.n8n.workflow('Second', [closedWebhook('a')]);
    expect(await world.fault('activate_workflow', of(taken))).toMatchObject({ code: 'CONFLICT' });
    const lacking = world.n8n.workflow('Third', [closedWebhook('b', { credentials: undefined })]);
    expect(await world.fault('activate_workflow', of(lacking))).toMatchObject({ code: 'INVALID_ARGUMENTS' });
    lacking.isArchived = true;
    expect(await world.fault('activate_workflow', of(lacking))).toMatchObject({ code: 'CONFLICT', executed: 'no' });
  });
});

describe('[AD-14] an exposed workflow', () => {
  it.each(['activate_workflow', 'deactivate_workflow'])('is not for %s, whether it is active or not', async (tool) => {
    for (const active of [true, false]) {
      const workflow = world.n8n.workflow('Orders', [closedWebhook('a')], { tags: ['other', 'mcp'], active });
      expect(await world.fault(tool, of(workflow))).toMatchObject({ code: 'PERMISSION_DENIED', executed: 'no' });
      expect(workflow.active).toBe(active);
      workflow.active = false;
    }
    expect(sent()).toEqual([]);
  });

  it('that is inactive already is not deactivated once more', async () => {
    const workflow = world.n8n.workflow('Some', [webhook()]);
    expect(await world.call('deactivate_workflow', of(workflow))).toMatchObject({ active: false });
    expect(sent()).toEqual([]);
  });

  it('that became one while it was deactivated is told', async () => {
    const workflow = world.n8n.workflow('Some', [webhook()], { active: true });
    world.n8n.meanwhile.set(2, () => workflow.tags.push(TAG));
    expect(await world.fault('deactivate_workflow', of(workflow))).toMatchObject({ code: 'CONFLICT', executed: 'yes' });
  });

  it('has executions that are shown; those of others are not even read', async () => {
    const secret = world.n8n.workflow('Secret', [webhook({ path: 'secret' })], { active: true });
    const orders = world.n8n.workflow('Orders', [webhook()], { active: true, tags: ['mcp'] });
    for (let runs = 0; runs < 3; runs++) await world.call('trigger_workflow', { ...of(orders), body: { runs } });
    await fetch(`${world.n8n.url}/webhook/secret`, { method: 'POST' });
    const first = await world.call('list_executions', { ...of(orders), limit: 2 });
    expect(first.executions.map((each: { execution_id: string }) => each.execution_id)).toEqual(['3', '2']);
    const rest = await world.call('list_executions', { ...of(orders), limit: 2, cursor: first.next_cursor });
    expect(rest).toMatchObject({ executions: [{ execution_id: '1', workflow_id: orders.id }] });
    expect(rest.next_cursor).toBeUndefined();
    expect(await world.call('list_executions', { ...of(orders), status: 'error' })).toEqual({ executions: [] });
    expect(await world.fault('list_executions', of(secret))).toMatchObject({ code: 'PERMISSION_DENIED' });
    // Whatever n8n makes of a cursor: nothing of another workflow is shown.
    const [foreign] = world.n8n.records.executions.filter(({ workflowId }) => workflowId === secret.id);
    world.n8n.faults.push(undefined, (response) => response.end(JSON.stringify({ data: [foreign], nextCursor: null })));
    expect(await world.call('list_executions', of(orders))).toEqual({ executions: [] });
    world.n8n.requests.length = 0;
    expect(await world.fault('get_execution', { execution_id: '4', include_output: true })).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect(world.n8n.requests.filter(({ url }) => url.includes('includeData=true'))).toEqual([]);
    orders.isArchived = true;
    for (const [tool, args] of [
      ['list_executions', of(orders)],
      ['get_execution', { execution_id: '1' }],
    ] as const)
      expect(await world.fault(tool, args)).toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('has of a node that ran more than once the last output shown', async () => {
    const orders = world.n8n.workflow('Orders', [webhook()], { active: true, tags: ['mcp'] });
    await world.call('trigger_workflow', { ...of(orders), body: {} });
    const run = (json: object) => ({ data: { main: [[{ json }]] } });
    const runData = { Webhook: [run({ turn: 1 }), run({ turn: 2 })] };
    world.n8n.records.executions[0]!.data = { resultData: { lastNodeExecuted: 'Webhook', runData } };
    const { output } = await world.call('get_execution', { execution_id: '1', include_output: true });
    expect(JSON.parse(output)).toEqual([{ turn: 2 }]);
  });
});
