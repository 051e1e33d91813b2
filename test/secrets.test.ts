import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import {
  FAKE_SECRET_VALUE,
  KUBECONFIG_TOKEN,
  type NatsWithUsers,
  describeIfAvailable,
  startNatsWithUsers,
} from '@portico/testkit';
import { LEAKS } from '../apps/adapter-n8n/test/n8n-double.js';
import { webhook } from '../apps/adapter-n8n/test/n8n-workflows.js';
import { json } from '../apps/adapter-plane/test/git-double.js';
import { WholePortico, call } from './whole-portico.js';

/** One call of each domain that its credential decides. */
const READS: Readonly<Record<string, readonly [tool: string, args: Record<string, unknown>]>> = {
  dispatcher: ['dagger.get_run', { run_id: 'build-44' }],
  plane: ['plane.list_projects', {}],
  n8n: ['n8n.list_workflows', {}],
  slack: ['slack.list_users', {}],
  github: ['github.get_file', { repository: 'acme/shop', path: 'README.md' }],
};

describeIfAvailable('nats-server', 'the credentials of every domain', () => {
  let nats: NatsWithUsers;
  let portico: WholePortico;
  let agent: Client;
  /** All that any caller was answered. */
  const seen: unknown[] = [];
  const leases: string[] = [];
  let workflow: string;
  let channel: string;
  const does = async (tool: string, args: Record<string, unknown> = {}) => {
    const given = await call(agent, tool, args).catch((error: unknown) => {
      seen.push(String(error), error);
      throw error;
    });
    seen.push(given.whole);
    return given;
  };
  /** Its holder is told the id of a lease by task.*; whatever else says it is a leak. */
  const asHolder = async (tool: string, args: Record<string, unknown>): Promise<string> => {
    const { whole, json } = await call(agent, tool, args);
    leases.push(json.lease_id);
    seen.push(JSON.parse(JSON.stringify(whole).replaceAll(json.lease_id, 'lease')));
    return json.lease_id;
  };
  const codeOf = async (tool: string, args: Record<string, unknown> = {}) => {
    const { isError, json } = await does(tool, args);
    return isError ? json.error.code : 'OK';
  };
  const write = async (state: string) => {
    const resource = 'plane:SHOP/SHOP-1';
    const lease_id = await asHolder('task.acquire', { resource });
    const set = { project: 'SHOP', work_item: 'SHOP-1', state, _task: { lease_id } };
    const code = await codeOf('plane.set_state', set);
    await asHolder('task.release', { resource, lease_id });
    return code;
  };
  const everything = async () => {
    for (const [tool, args] of Object.values(READS)) await codeOf(tool, args);
    for (const [tool, args] of [
      ['cluster.pods_log', { namespace: 'shop', name: 'cart' }],
      ['cluster.configuration_view', {}],
      ['cluster.resources_get', { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'db' }],
      ['plane.add_comment', { project: 'SHOP', work_item: 'SHOP-1', text: 'Hello' }],
      ['slack.post_message', { channel, text: 'Hello' }],
      ['n8n.trigger_workflow', { workflow_id: workflow, body: {} }],
      ['github.list_commits', { repository: 'acme/vault' }],
    ] as const)
      await codeOf(tool, args).catch(() => 'refused');
    await does('gateway.health');
    await does('gateway.describe');
    await does('gateway.receipts');
  };

  beforeAll(async () => {
    nats = await startNatsWithUsers();
    portico = await WholePortico.start(nats.urlOf, { access: [{ subjects: ['agent'], allow: ['*'] }] });
    const { plane, git, n8n, slack } = portico.backends;
    plane.records.create(plane.records.project('SHOP'), { name: 'One' });
    const item = '{\n      "key": "SHOP-1",\n      "state": "Todo"\n    }';
    await git.put('.plane/SHOP.json', `{\n  "work_items": [\n    ${item}\n  ]\n}\n`);
    workflow = n8n.workflow('Orders', [webhook({ path: 'orders' })], { tags: ['mcp'], active: true }).id;
    channel = slack.channels['incidents']!;
    agent = await portico.agent();
  }, 120_000);
  afterAll(async () => {
    await portico.close();
    await nats.stop();
  });

  it('[AD-3] are in files, and each backend is shown its own alone', async () => {
    for (const [tool, args] of Object.values(READS)) expect([tool, await codeOf(tool, args)]).toEqual([tool, 'OK']);
    expect(await write('In Progress')).toBe('OK');
    await everything();
    const { asked, credentials } = portico.backends;
    const own: Record<string, keyof typeof credentials> = {
      dispatcher: 'CI_DISPATCHER_TOKEN_FILE',
      plane: 'PLANE_TOKEN_FILE',
      n8n: 'N8N_API_KEY_FILE',
      slack: 'SLACK_BOT_TOKEN_FILE',
      github: 'GITHUB_TOKEN_FILE',
    };
    for (const [backend, requests] of Object.entries(asked)) {
      const shown = JSON.stringify(requests);
      const others = Object.entries(credentials).filter(([name]) => name !== own[backend] && backend !== 'git');
      for (const [, [secret]] of others) expect([backend, shown.includes(secret!)]).toEqual([backend, false]);
      // In a header, never in an address or a body, which are written down on the way.
      const open = requests.map(({ at, body }) => at + body).join(' ');
      for (const [secret] of Object.values(credentials)) expect(open).not.toContain(secret);
    }
  });

  it('[AD-3][AD-4] are rotated while all runs: the old one is refused, and told to operators alone; the new one is used at once', async () => {
    const { backends } = portico;
    const files = Object.keys(backends.credentials).map((name) => join(portico.folder, name));
    const before = files.map((file) => readFileSync(file, 'utf8'));
    backends.refuseAll();
    for (const [tool, args] of Object.values(READS))
      expect([tool, await codeOf(tool, args)]).toEqual([tool, 'UNAUTHENTICATED']);
    backends.rotate();
    expect(files.map((file) => readFileSync(file, 'utf8'))).not.toEqual(before);
    for (const [tool, args] of Object.values(READS)) expect([tool, await codeOf(tool, args)]).toEqual([tool, 'OK']);
    expect(await write('Done')).toBe('OK');
    await everything();
  });

  describe('[FD-16][FD-25]', () => {
    const FAILURES = [400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504];

    it('are in nothing that a failing backend makes us say', async () => {
      const { dispatcher, plane, git, n8n, slack, github, credentials, places } = portico.backends;
      for (const status of FAILURES) {
        const failing =
          (...own: string[]) =>
          (response: ServerResponse): void => {
            const said = `${own.join(' ')} at http://${places.join(' http://')}`;
            const told = { ...LEAKS, message: said, error: said, detail: '/srv/secret', name: [said] };
            const headers = { 'content-type': 'application/json', 'retry-after': '99' };
            response.writeHead(status, headers).end(JSON.stringify(told));
          };
        const now = (name: keyof typeof credentials) => credentials[name].at(-1)!;
        dispatcher.faults.push(failing(now('CI_DISPATCHER_TOKEN_FILE')));
        n8n.faults.push(failing(now('N8N_API_KEY_FILE')));
        slack.proxy.faults.push(failing(now('SLACK_BOT_TOKEN_FILE')));
        github.proxy.faults.push(failing(now('GITHUB_TOKEN_FILE')));
        plane.fault = (_request, response) => (failing(now('PLANE_TOKEN_FILE'))(response), true);
        for (const [tool, args] of Object.values(READS)) expect(await codeOf(tool, args)).not.toBe('OK');
        plane.fault = () => false;
        const forward = git.fault;
        git.fault = () => Promise.resolve(json(status, { message: `${now('PLANE_GIT_TOKEN_FILE')} at ${places[0]}` }));
        expect(await write('Todo')).not.toBe('OK');
        git.fault = forward;
        n8n.faults.push(undefined, failing());
        await codeOf('n8n.trigger_workflow', { workflow_id: workflow, body: {} });
      }
    }, 60_000);

    it('nor in what a full run logged, answered, kept or counted, and neither is any place inside', async () => {
      const { credentials, places } = portico.backends;
      for (const rotated of Object.values(credentials)) expect(rotated).toHaveLength(2);
      const adminToken = readFileSync(join(portico.folder, 'admin-token'), 'utf8').trim();
      const receipts = await does('gateway.receipts', { limit: 1_000 });
      expect(receipts.json.receipts.length).toBeGreaterThan(50);
      const metrics = await portico.metrics();
      expect(metrics).toContain('portico_');
      const logged = portico.lines.join('\n');
      expect(logged).toContain('backend.credential-refused');
      for (const [where, text] of Object.entries({ logged, answered: JSON.stringify(seen), metrics })) {
        for (const secret of [
          ...Object.values(credentials).flat(),
          ...[portico.agentKey, adminToken, KUBECONFIG_TOKEN, FAKE_SECRET_VALUE, portico.folder, '/srv/secret'],
          ...[LEAKS.hint, '/usr/local/lib/node_modules'],
          ...leases,
          ...places,
        ])
          expect([where, secret, text.includes(secret)]).toEqual([where, secret, false]);
      }
    });
  });
});
