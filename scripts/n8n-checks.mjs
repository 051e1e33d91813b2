import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

const webhook = (parameters = {}, rest = {}) => ({
  id: randomUUID(),
  name: 'Webhook',
  type: 'n8n-nodes-base.webhook',
  typeVersion: 2,
  position: [0, 0],
  webhookId: randomUUID(),
  parameters: { httpMethod: 'POST', responseMode: 'lastNode', options: {}, ...parameters },
  ...rest,
});
const node = (name, type, parameters = {}) => ({
  id: randomUUID(),
  name,
  type,
  typeVersion: 1,
  position: [200, 0],
  parameters,
});
const schedule = () => node('Schedule', 'n8n-nodes-base.scheduleTrigger', { rule: { interval: [{ field: 'days' }] } });

/** What is asked of the adapter before a real n8n, in turn: each a title and what throws when it is not so. */
export function checks({ n8n, adapter, stranger }) {
  const { api, editor } = n8n;
  const { call } = adapter;
  const made = { tag: undefined, orders: undefined };
  const create = async (name, nodes, connections = {}) =>
    (await api('POST', '/workflows', { name, nodes, connections, settings: { executionOrder: 'v1' } })).id;
  const expose = (id) => api('PUT', `/workflows/${id}/tags`, [{ id: made.tag }]);
  const hide = (id) => api('PUT', `/workflows/${id}/tags`, []);
  const exposed = async (name, nodes, connections) => {
    const id = await create(name, nodes, connections);
    await api('POST', `/workflows/${id}/activate`);
    await expose(id);
    return id;
  };
  const trigger = (id, args = {}) => call('trigger_workflow', { workflow_id: id, ...args });
  const ran = async (asked) => {
    const answer = await asked;
    assert.equal(answer.status, 200, JSON.stringify(answer));
  };
  const refused = async (answer, code, executed = 'no') => {
    const { fault } = await answer;
    assert.deepEqual([fault?.code, fault?.executed], [code, executed]);
    return fault;
  };

  return [
    [
      '[AD-13] an exposed workflow is listed, described and triggered',
      async () => {
        made.tag = (await api('POST', '/tags', { name: 'mcp' })).id;
        made.orders = await exposed('Orders', [webhook({ path: 'orders' }, { notes: 'an order' })]);
        const { workflows } = await call('list_workflows');
        assert.deepEqual(
          workflows.map(({ workflow_id }) => workflow_id),
          [made.orders],
        );
        const { webhooks } = await call('describe_workflow', { workflow_id: made.orders });
        assert.deepEqual([webhooks.length, webhooks[0].methods, webhooks[0].notes], [1, ['POST'], 'an order']);
        const answer = await trigger(made.orders, { body: { order: 7 }, query: { dry: true } });
        assert.deepEqual([answer.finished, answer.status], [true, 200]);
        assert.deepEqual([answer.response.body, answer.response.query], [{ order: 7 }, { dry: 'true' }]);
        assert.equal(JSON.stringify(answer.response.headers).includes(n8n.key), false);
      },
    ],
    [
      '[AD-13] without the tag, not active, archived: not triggered, and read again at each trigger',
      async () => {
        const id = await exposed('Switched', [webhook({ path: 'switched' })]);
        await ran(trigger(id));
        await hide(id);
        await refused(trigger(id), 'PERMISSION_DENIED');
        await expose(id);
        await ran(trigger(id));
        await api('POST', `/workflows/${id}/deactivate`);
        await refused(trigger(id), 'PERMISSION_DENIED');
        await editor('POST', `/workflows/${id}/archive`);
        await refused(trigger(id), 'PERMISSION_DENIED');
        const off = await exposed('Off', [schedule(), webhook({ path: 'off' }, { disabled: true })]);
        await refused(trigger(off), 'PERMISSION_DENIED');
        assert.equal(
          (await call('list_workflows')).workflows.some(({ workflow_id }) => workflow_id === off),
          false,
        );
      },
    ],
    [
      '[AD-13] what counts is what is published, not the draft',
      async () => {
        const id = await exposed('Drafted', [webhook({ path: 'published' })]);
        const { versionId } = await api('GET', `/workflows/${id}`);
        await editor('PATCH', `/workflows/${id}`, {
          versionId,
          nodes: [webhook({ path: 'draft', httpMethod: 'GET' })],
        });
        const now = await api('GET', `/workflows/${id}`);
        assert.deepEqual(
          [now.nodes[0].parameters.path, now.activeVersion.nodes[0].parameters.path],
          ['draft', 'published'],
        );
        assert.match((await trigger(id, { body: {} })).response.webhookUrl, /\/webhook\/published$/);
      },
    ],
    [
      '[AD-13] the URL follows the node: parameters, no path, a path of several segments, no webhookId, several methods',
      async () => {
        const user = await exposed('User', [webhook({ path: 'user/:name/x', httpMethod: 'GET' })]);
        assert.deepEqual((await trigger(user, { path_parameters: { name: 'a ü?#%2F' } })).response.params, {
          name: 'a ü?#%2F',
        });
        await refused(trigger(user), 'INVALID_ARGUMENTS');
        const bare = await exposed('Bare', [webhook({ path: '' })]);
        await ran(trigger(bare));
        const deep = await exposed('Deep', [webhook({ path: '/shop/new orders' })]);
        await ran(trigger(deep));
        const without = await exposed('Without', [
          webhook({ path: 'without' }, { webhookId: undefined, name: 'My Hook' }),
        ]);
        await ran(trigger(without));
        const both = await exposed('Both', [
          webhook({ path: 'both', responseMode: 'onReceived', multipleMethods: true, httpMethod: ['GET', 'PUT'] }),
        ]);
        await refused(trigger(both), 'INVALID_ARGUMENTS');
        for (const method of ['GET', 'PUT']) await ran(trigger(both, { method }));
        const head = await exposed('Head', [webhook({ path: 'head', httpMethod: 'HEAD' })]);
        await ran(trigger(head));
      },
    ],
    [
      '[AD-13] a workflow that answers at once is told to have been started, and its execution is found',
      async () => {
        const id = await exposed('Started', [webhook({ path: 'started', responseMode: 'onReceived' })]);
        const answer = await trigger(id, { body: { a: 1 } });
        assert.deepEqual([answer.finished, answer.response], [false, { message: 'Workflow was started' }]);
        const { execution_id } = await eventually(async () => {
          const { executions } = await call('list_executions', { workflow_id: id });
          return executions?.find(({ status }) => status === 'success');
        });
        const shown = await call('get_execution', { execution_id, include_output: true });
        assert.deepEqual(JSON.parse(shown.output)[0].body, { a: 1 });
        const page = await call('list_executions', { workflow_id: made.orders, limit: 1 });
        assert.equal(page.executions.length, 1);
      },
    ],
    [
      '[AD-13] lists go on by n8n’s cursor, and a webhook with authentication is not called',
      async () => {
        const first = await call('list_workflows', { limit: 2 });
        const next = await call('list_workflows', { limit: 2, cursor: first.next_cursor });
        assert.ok(
          next.workflows.length > 0 && !JSON.stringify(first.workflows).includes(next.workflows[0].workflow_id),
        );
        await refused(call('list_workflows', { cursor: 'AAAA' }), 'INVALID_ARGUMENTS');
        const { id: credential } = await api('POST', '/credentials', {
          name: 'Header',
          type: 'httpHeaderAuth',
          data: { name: 'X-Hook', value: 'hook-secret' },
        });
        made.closed = (path) =>
          webhook(
            { path, authentication: 'headerAuth' },
            { credentials: { httpHeaderAuth: { id: credential, name: 'Header' } } },
          );
        await refused(trigger(await exposed('Closed', [made.closed('closed')])), 'UNSUPPORTED');
      },
    ],
    [
      '[AD-14] an agent makes and activates a workflow with authentication, can not trigger it, and can deactivate it',
      async () => {
        const { id: _id, webhookId: _hook, ...closed } = made.closed('agent');
        const { workflow_id, active, activation_refused } = await call('create_workflow', {
          name: 'Agent',
          nodes: [closed],
        });
        assert.deepEqual([active, activation_refused], [false, undefined]);
        assert.equal((await call('activate_workflow', { workflow_id })).active, true);
        assert.deepEqual((await api('GET', `/workflows/${workflow_id}`)).tags, []);
        await refused(trigger(workflow_id), 'PERMISSION_DENIED');
        await refused(call('list_executions', { workflow_id }), 'PERMISSION_DENIED');
        const hook = (headers) => fetch(`${n8n.url}/webhook/agent`, { method: 'POST', headers });
        assert.deepEqual([(await hook({})).status, (await hook({ 'x-hook': 'hook-secret' })).status], [403, 200]);
        assert.equal((await call('deactivate_workflow', { workflow_id })).active, false);
        assert.equal((await hook({ 'x-hook': 'hook-secret' })).status, 404);
      },
    ],
    [
      '[AD-14] nothing that would run by itself or for everybody is activated',
      async () => {
        for (const nodes of [[webhook({ path: 'open' })], [schedule()], [made.closed('also'), schedule()]]) {
          const workflow_id = await create('Refused', nodes);
          const { message } = await refused(call('activate_workflow', { workflow_id }), 'PERMISSION_DENIED');
          assert.match(message, /may not be activated from here/);
          assert.equal((await api('GET', `/workflows/${workflow_id}`)).active, false);
        }
      },
    ],
    [
      '[AD-14] an exposed workflow is neither deactivated nor activated',
      async () => {
        await refused(call('deactivate_workflow', { workflow_id: made.orders }), 'PERMISSION_DENIED');
        assert.equal((await api('GET', `/workflows/${made.orders}`)).active, true);
        const workflow_id = await create('Tagged', [made.closed('tagged')]);
        await expose(workflow_id);
        await refused(call('activate_workflow', { workflow_id }), 'PERMISSION_DENIED');
      },
    ],
    [
      '[AD-15] what n8n says of failures stays inside: conflicts, missing credentials, failing workflows, what is not there',
      async () => {
        const raw = await fetch(`${n8n.url}/webhook/nothing-here`, { method: 'POST' });
        assert.match(await raw.text(), /stacktrace|hint/);
        await api('POST', `/workflows/${await create('First', [made.closed('taken')])}/activate`);
        await refused(
          call('activate_workflow', { workflow_id: await create('Second', [made.closed('taken')]) }),
          'CONFLICT',
        );
        const { credentials: _none, ...lacking } = made.closed('lacking');
        await refused(
          call('activate_workflow', { workflow_id: await create('Lacking', [lacking]) }),
          'INVALID_ARGUMENTS',
        );
        const failing = await exposed(
          'Failing',
          [
            webhook({ path: 'failing' }),
            node('Stop', 'n8n-nodes-base.stopAndError', { errorMessage: 'at /srv/secret/x.js:1' }),
          ],
          { Webhook: { main: [[{ node: 'Stop', type: 'main', index: 0 }]] } },
        );
        await refused(trigger(failing), 'UNKNOWN_ERROR', 'yes');
        const { executions } = await call('list_executions', { workflow_id: failing });
        const { failed } = await call('get_execution', {
          execution_id: executions[0].execution_id,
          include_output: true,
        });
        assert.equal(failed.node, 'Stop');
        await refused(call('describe_workflow', { workflow_id: 'AAAAAAAAAAAAAAAA' }), 'NOT_FOUND');
        await refused(call('get_execution', { execution_id: '99999999' }), 'NOT_FOUND');
        await refused(stranger.call('list_workflows'), 'UNAUTHENTICATED');
        const seen = [...adapter.seen, ...stranger.seen].join('\n');
        for (const secret of [
          'stacktrace',
          'node_modules',
          '/srv/secret',
          '"hint"',
          n8n.folder,
          n8n.key,
          'hook-secret',
        ])
          assert.equal(seen.includes(secret), false, `${secret} has left`);
      },
    ],
  ];
}

async function eventually(look) {
  for (let tries = 0; tries < 60; tries++) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('it did not come');
}
