import { afterAll, beforeEach, afterEach, describe, expect, it } from '@jest/globals';
import type { DoubleWorkflow } from './n8n-records.js';
import { node, webhook } from './n8n-workflows.js';
import { KEY, N8nWorld } from './n8n-world.js';

let world: N8nWorld;
const seen: unknown[] = [];
beforeEach(async () => (world = await N8nWorld.start()));
afterEach(async () => {
  seen.push(...world.seen, ...world.lines);
  await world.close();
});
afterAll(() => expect(JSON.stringify(seen)).not.toMatch(/HINT-OF-N8N|stacktrace|\/usr\/local|n8n-key-0001/));

const exposed = (nodes = [webhook()]) => world.n8n.workflow('Orders', nodes, { tags: ['mcp'], active: true });
const triggers = () => world.n8n.requests.filter(({ url }) => url.startsWith('/webhook'));
const trigger = (workflow: DoubleWorkflow, args: Record<string, unknown> = {}) =>
  world.call('trigger_workflow', { workflow_id: workflow.id, ...args });
const refusal = (workflow: DoubleWorkflow, args: Record<string, unknown> = {}) =>
  world.fault('trigger_workflow', { workflow_id: workflow.id, ...args });

describe('[AD-13] an exposed workflow', () => {
  it('is listed, described and triggered; the key of the API stays away from its webhook', async () => {
    const workflow = exposed([webhook({}, { notes: 'body: {"order": number}' })]);
    expect(await world.call('list_workflows')).toMatchObject({
      workflows: [{ workflow_id: workflow.id, name: 'Orders', webhooks: ['Webhook'] }],
    });
    expect(await world.call('describe_workflow', { workflow_id: workflow.id })).toMatchObject({
      webhooks: [
        {
          webhook: 'Webhook',
          notes: 'body: {"order": number}',
          methods: ['POST'],
          path_parameters: [],
          takes_body: true,
          responds: 'when finished',
          callable: true,
        },
      ],
    });
    const answer = await trigger(workflow, { body: { order: 7 }, query: { dry: true } });
    expect(answer).toMatchObject({
      finished: true,
      status: 200,
      response: { body: { order: 7 }, query: { dry: 'true' } },
    });
    expect(triggers()).toHaveLength(1);
    expect(triggers()[0]).toMatchObject({ method: 'POST', url: '/webhook/orders?dry=true' });
    expect(JSON.stringify(triggers()[0]?.headers)).not.toContain(KEY);
  });

  it.each<[string, (workflow: DoubleWorkflow) => unknown]>([
    ['without the tag', (workflow) => (workflow.tags = [])],
    [
      'with another tag that is nearly it',
      (workflow) => (workflow.tags = ['MCP', 'mcp2', ' mcp'].map((name) => ({ id: name, name }))),
    ],
    ['that is not active', (workflow) => (workflow.active = false)],
    ['that is archived', (workflow) => (workflow.isArchived = true)],
    ['that is not published', (workflow) => (workflow.activeVersion = null)],
    ['whose Webhook is disabled', (workflow) => (workflow.activeVersion!.nodes[0]!.disabled = true)],
    [
      'whose Webhook is only in its draft',
      (workflow) => (workflow.activeVersion!.nodes = [node('S', 'n8n-nodes-base.scheduleTrigger')]),
    ],
    [
      'whose Webhook is of another package',
      (workflow) => (workflow.activeVersion!.nodes[0]!.type = 'n8n-nodes-evil.webhook'),
    ],
    [
      'whose path is an expression',
      (workflow) => (workflow.activeVersion!.nodes[0]!.parameters['path'] = '={{ $env.X }}'),
    ],
    [
      'whose path has a parameter without a name',
      (workflow) => (workflow.activeVersion!.nodes[0]!.parameters['path'] = 'orders/:'),
    ],
    [
      'whose path leads elsewhere',
      (workflow) => (workflow.activeVersion!.nodes[0]!.parameters['path'] = '../api/v1/tags'),
    ],
  ])('is not one %s: read again at each trigger', async (_name, change) => {
    const workflow = exposed();
    await trigger(workflow);
    change(workflow);
    expect(await refusal(workflow)).toMatchObject({ code: 'PERMISSION_DENIED', executed: 'no' });
    expect(await world.fault('describe_workflow', { workflow_id: workflow.id })).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect(await world.call('list_workflows')).toMatchObject({ workflows: [] });
    expect(triggers()).toHaveLength(1);
  });

  it('is called as it is published, not as its draft is', async () => {
    const workflow = exposed();
    world.n8n.records.edit(workflow, [webhook({ path: 'draft', httpMethod: 'GET' })]);
    await trigger(workflow);
    expect(triggers()[0]).toMatchObject({ method: 'POST', url: '/webhook/orders' });
  });

  it('is called at the path of its node: bare, encoded, with parameters, or with none of its own', async () => {
    const webhookId = '11111111-2222-4333-8444-555555555555';
    const at = async (parameters: object, rest: object, args: Record<string, unknown> = {}) => {
      const workflow = exposed([webhook({ ...parameters }, { webhookId, ...rest })]);
      await trigger(workflow, args);
      workflow.active = false;
      return triggers().at(-1)?.url.replace(workflow.id, '<id>');
    };
    expect(await at({ path: '/shop/new orders/' }, {})).toBe('/webhook/shop/new%20orders');
    expect(await at({ path: 'user/:name/x' }, {}, { path_parameters: { name: 'a ü?#%2F' } })).toBe(
      `/webhook/${webhookId}/user/a%20%C3%BC%3F%23%252F/x`,
    );
    expect(await at({ path: '' }, {})).toBe(`/webhook/${webhookId}`);
    expect(await at({ path: 'orders' }, { webhookId: undefined, name: 'My Hook' })).toBe(
      '/webhook/<id>/my%2520hook/orders',
    );
  });

  it('needs a value for each parameter of its path, and no other', async () => {
    const workflow = exposed([webhook({ path: 'user/:id' })]);
    for (const path_parameters of [{}, { id: '1', more: '2' }, { other: '1' }, { id: '..' }, { id: 'a/b' }, { id: '' }])
      expect(await refusal(workflow, { path_parameters })).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
    expect(triggers()).toEqual([]);
    expect(await trigger(workflow, { path_parameters: { id: '7' } })).toMatchObject({
      response: { params: { id: '7' } },
    });
  });

  it('is called by the method of its node; of several, an argument picks one', async () => {
    const workflow = exposed([
      webhook({ httpMethod: ['GET', 'PUT'], multipleMethods: true, responseMode: 'onReceived' }),
    ]);
    expect(await refusal(workflow)).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: 'method must be one of: GET, PUT.',
    });
    expect(await refusal(workflow, { method: 'POST' })).toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(await refusal(workflow, { method: 'GET', body: {} })).toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await trigger(workflow, { method: 'PUT', body: {} });
    await trigger(workflow, { method: 'GET', query: { a: 'b' } });
    expect(triggers().map(({ method }) => method)).toEqual(['PUT', 'GET']);
    const plain = exposed([webhook({ httpMethod: undefined, path: 'plain' })]);
    await trigger(plain);
    expect(triggers().at(-1)).toMatchObject({ method: 'GET', url: '/webhook/plain' });
  });

  it('with several webhooks is called by the one that is named', async () => {
    const workflow = exposed([webhook({}, { name: 'One' }), webhook({ path: 'two' }, { name: 'Two' })]);
    expect(await refusal(workflow)).toMatchObject({ message: 'webhook must be one of: "One", "Two".' });
    await trigger(workflow, { webhook: 'Two' });
    expect(triggers().map(({ url }) => url)).toEqual(['/webhook/two']);
  });

  it('that answers at once is told to have been started, and found among its executions', async () => {
    const workflow = exposed([webhook({ responseMode: undefined })]);
    expect(await trigger(workflow, { body: { a: 1 } })).toMatchObject({
      finished: false,
      response: { message: 'Workflow was started' },
    });
    const { executions } = await world.call('list_executions', { workflow_id: workflow.id });
    expect(executions).toMatchObject([{ execution_id: '1', status: 'success' }]);
    const shown = await world.call('get_execution', { execution_id: '1', include_output: true });
    expect(JSON.parse(shown.output)).toMatchObject([{ body: { a: 1 } }]);
  });

  it('that asks for authentication is described as not callable, and not called', async () => {
    const workflow = exposed([webhook({ authentication: 'headerAuth' })]);
    const described = await world.call('describe_workflow', { workflow_id: workflow.id });
    expect(described.webhooks).toMatchObject([{ callable: false, asks_for_authentication: true }]);
    expect(await refusal(workflow)).toMatchObject({ code: 'UNSUPPORTED', executed: 'no' });
    expect(triggers()).toEqual([]);
  });

  it('answers within bounds', async () => {
    const workflow = exposed();
    const respond = (type: string, body: string | Buffer) =>
      world.n8n.faults.push(undefined, (response) => response.writeHead(200, { 'content-type': type }).end(body));
    respond('application/json', JSON.stringify({ long: 'x'.repeat(100_000) }));
    const { response } = await trigger(workflow);
    expect(response).toHaveLength(
      50_000 + '\n[cut: characters 0 to 50000 of 100011. n8n.get_execution has what the workflow put out]'.length,
    );
    respond('image/png', Buffer.alloc(2_000));
    expect(await trigger(workflow)).toMatchObject({ response_type: 'image/png', response_bytes: 2_000 });
    respond('text/html', '<p>done</p>');
    expect(await trigger(workflow)).toMatchObject({ response: '<p>done</p>' });
    respond('application/json', Buffer.alloc(9 * 1024 * 1024, ' '));
    expect(await refusal(workflow)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('does not tell where n8n is, in what a Webhook node puts out of its request', async () => {
    const workflow = exposed();
    const { response } = await trigger(workflow, { body: { at: world.n8n.url } });
    expect(response).toMatchObject({ headers: { host: '[n8n]' }, body: { at: 'http://[n8n]' } });
    const { output } = await world.call('get_execution', { execution_id: '1', include_output: true });
    expect(JSON.parse(output)).toMatchObject([{ headers: { host: '[n8n]' } }]);
    expect(JSON.stringify(world.seen)).not.toContain(new URL(world.n8n.url).host);
  });

  it('lists go on by n8n’s own cursor', async () => {
    for (let made = 0; made < 3; made++) exposed([webhook({ path: `p${made}` })]);
    world.n8n.workflow('Secret', [webhook()], { active: true });
    const first = await world.call('list_workflows', { limit: 2 });
    expect(first.workflows).toHaveLength(2);
    const rest = await world.call('list_workflows', { limit: 2, cursor: first.next_cursor });
    expect(rest.workflows).toHaveLength(1);
    expect(rest.next_cursor).toBeUndefined();
    const cursor = Buffer.from('{"limit":').toString('base64');
    expect(await world.fault('list_workflows', { cursor })).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });
});

describe('[AD-13] a trigger is sent once', () => {
  it.each(['POST', 'GET', 'HEAD'])('by %s, whatever becomes of it', async (httpMethod) => {
    const workflow = exposed([webhook({ httpMethod })]);
    world.n8n.faults.push(undefined, (response) => response.destroy());
    expect(await refusal(workflow)).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    world.n8n.faults.push(undefined, (response) => response.writeHead(503, { 'retry-after': '0' }).end());
    expect(await refusal(workflow)).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    world.n8n.faults.push(undefined, () => {});
    expect(await world.fault('trigger_workflow', { workflow_id: workflow.id }, { deadlineMs: 500 })).toMatchObject({
      code: 'TIMEOUT',
      executed: 'unknown',
    });
    expect(triggers()).toHaveLength(3);
  });

  it('and follows no redirect', async () => {
    const workflow = exposed();
    world.n8n.faults.push(undefined, (response) => response.writeHead(302, { location: '/webhook/orders' }).end());
    expect(await refusal(workflow)).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'unknown' });
    expect(triggers()).toHaveLength(1);
  });
});
