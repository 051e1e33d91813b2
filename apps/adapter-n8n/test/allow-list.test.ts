import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scopeOf } from '@portico/domain-kit';
import type { CallScope } from '@portico/domain-kit';
import { N8nClient } from '../src/client.js';
import { readConfig } from '../src/config.js';
import { N8nDouble } from './n8n-double.js';
import { webhook } from './n8n-workflows.js';
import { KEY } from './n8n-world.js';

const ID = 'Wf00000000000001';
/** Every path of n8n's public API 1.1.1, and some that are none. */
const PATHS = [
  ...['/audit', '/credentials', '/credentials/1', '/credentials/schema/httpBasicAuth', '/credentials/1/transfer'],
  ...['/executions', '/executions/1', '/executions/1/retry', '/executions/1/tags', '/executions/stop'],
  ...['/tags', '/tags/tag-mcp', '/workflows', `/workflows/${ID}`, `/workflows/${ID}/Ver-1`],
  ...[`/workflows/${ID}/activate`, `/workflows/${ID}/deactivate`, `/workflows/${ID}/archive`],
  ...[`/workflows/${ID}/transfer`, `/workflows/${ID}/tags`, `/workflows/${ID}/run`],
  ...['/users', '/users/1', '/users/1/role', '/source-control/pull', '/variables', '/variables/1', '/discover'],
  ...['/data-tables', '/data-tables/1', '/data-tables/1/rows', '/data-tables/1/rows/update'],
  ...['/data-tables/1/rows/upsert', '/data-tables/1/rows/delete', '/projects', '/projects/1'],
  ...['/projects/1/users', '/projects/1/users/1', '/community-packages', '/insights/summary', '/docs'],
  ...['', '/', '/workflows/', `//workflows`, `/workflows/${ID}/`, `/workflows/${ID}/activate/`, `/Workflows`],
  ...[`/workflows/../tags`, `/workflows/%2e%2e/tags`, `/workflows/${ID}%2ftags`, `/workflows/${ID}/activate/../tags`],
  ...[
    `/workflows?x`,
    `/workflows#x`,
    `/workflows\n`,
    `/workflows/${ID}\n`,
    '/../../rest/workflows',
    '/tags/1/activate',
  ],
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'post', 'put'];
const LISTED = [
  'GET /api/v1/executions',
  'GET /api/v1/executions/1',
  'GET /api/v1/workflows',
  `GET /api/v1/workflows/${ID}`,
  'POST /api/v1/workflows',
  `POST /api/v1/workflows/${ID}/activate`,
  `POST /api/v1/workflows/${ID}/deactivate`,
];

let n8n: N8nDouble;
let client: N8nClient;
const scope: CallScope = scopeOf({
  signal: new AbortController().signal,
  context: undefined,
  remainingMs: () => 20_000,
  notify: () => {},
} as unknown as Parameters<typeof scopeOf>[0]);
beforeAll(async () => {
  n8n = await N8nDouble.start();
  n8n.keys.add(KEY);
  n8n.workflow('Orders', [webhook()], { tags: ['mcp'] });
  client = new N8nClient(readConfig({ N8N_URL: n8n.url, N8N_API_KEY: KEY })!, undefined);
});
afterAll(async () => {
  await client.close();
  await n8n.close();
});

const tried = async (method: string, path: string, body?: Record<string, unknown>): Promise<string> => {
  try {
    await client.ask({ method: method as 'GET', path, scope, ...(body && { body }) });
    return 'answered';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('[AD-14] the client of n8n', () => {
  it('lets only the allow-list leave the process, of every path and method of n8n’s API', async () => {
    n8n.requests.length = 0;
    for (const path of PATHS) {
      for (const method of METHODS) {
        const answer = await tried(method, path);
        if (!LISTED.includes(`${method} /api/v1${path}`))
          expect([method, path, answer]).toEqual([method, path, 'PERMISSION_DENIED']);
      }
    }
    const left = new Set(n8n.requests.map(({ method, url }) => `${method} ${url}`));
    expect([...left].sort()).toEqual([...LISTED].sort());
  });

  it.each([
    ['/workflows', { name: 'x', nodes: [], connections: {}, settings: {}, tags: [{ id: 'tag-mcp' }] }],
    ['/workflows', { name: 'x', nodes: [], connections: {}, settings: {}, active: true }],
    ['/workflows', { name: 'x', nodes: [], connections: {}, settings: {}, staticData: {} }],
    [`/workflows/${ID}/activate`, { versionId: 'v', tags: [] }],
    [`/workflows/${ID}/activate`, { name: 'x' }],
    [`/workflows/${ID}/deactivate`, { versionId: 'v' }],
  ])('sends to %s nothing but the listed fields: not %j', async (path, body) => {
    n8n.requests.length = 0;
    expect(await tried('POST', path, body)).toBe('PERMISSION_DENIED');
    expect(n8n.requests).toEqual([]);
  });

  it('has no other way out: no other method of it takes a path', () => {
    const own = Object.getOwnPropertyNames(N8nClient.prototype).filter((name) => name !== 'constructor');
    expect(own.sort()).toEqual(
      [
        'activate',
        'ask',
        'check',
        'close',
        'create',
        'deactivate',
        'execution',
        'executions',
        'workflow',
        'workflows',
      ].sort(),
    );
    expect(Object.keys(client)).toEqual([]);
  });
});
