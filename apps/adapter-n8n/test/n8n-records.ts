import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { executionOf } from './n8n-executions.js';
import type { DoubleExecution } from './n8n-executions.js';

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly type?: string;
}
export interface DoubleNode {
  name: string;
  type: string;
  disabled?: boolean;
  webhookId?: string;
  parameters: Record<string, unknown>;
  credentials?: Record<string, unknown>;
}
export interface DoubleWorkflow {
  id: string;
  name: string;
  active: boolean;
  isArchived: boolean;
  nodes: DoubleNode[];
  connections: unknown;
  settings: unknown;
  versionId: string;
  activeVersionId: string | null;
  activeVersion: { versionId: string; nodes: DoubleNode[] } | null;
  tags: { id: string; name: string }[];
  updatedAt: string;
}

const CREATED_FIELDS = ['name', 'nodes', 'connections', 'settings'];
const CREDENTIAL: Record<string, string> = {
  headerAuth: 'httpHeaderAuth',
  basicAuth: 'httpBasicAuth',
  jwtAuth: 'jwtAuth',
};

/** What an n8n keeps, and what it answers about it. */
export class N8nRecords {
  readonly workflows: DoubleWorkflow[] = [];
  readonly executions: DoubleExecution[] = [];
  private ids = 0;

  made(name: string, nodes: DoubleNode[], { tags = [], active = false }: { tags?: string[]; active?: boolean }) {
    const workflow: DoubleWorkflow = {
      id: `Wf${String(++this.ids).padStart(14, '0')}`,
      name,
      active: false,
      isArchived: false,
      nodes: structuredClone(nodes),
      connections: {},
      settings: { executionOrder: 'v1' },
      versionId: randomUUID(),
      activeVersionId: null,
      activeVersion: null,
      tags: tags.map((tag) => ({ id: `tag-${tag}`, name: tag })),
      updatedAt: '2026-11-30T08:00:00.000Z',
    };
    this.workflows.push(workflow);
    if (active) this.publish(workflow);
    return workflow;
  }

  publish(workflow: DoubleWorkflow): void {
    workflow.active = true;
    workflow.activeVersionId = workflow.versionId;
    workflow.activeVersion = { versionId: workflow.versionId, nodes: structuredClone(workflow.nodes) };
  }

  /** A change that is not published. */
  edit(workflow: DoubleWorkflow, nodes: DoubleNode[]): void {
    Object.assign(workflow, { nodes: structuredClone(nodes), versionId: randomUUID() });
  }

  api(method: string, path: string, query: URLSearchParams, body: string): Answer {
    const [, resource, id, action] = path.split('/');
    if (resource === 'executions' && method === 'GET') return this.readExecutions(id, query);
    if (resource !== 'workflows') return said(404, 'not found');
    if (id === undefined) return method === 'GET' ? this.list(query) : this.create(body);
    const workflow = this.workflows.find((each) => each.id === id);
    if (!workflow) return said(404, 'Not Found');
    if (method === 'GET') return { status: 200, body: workflow };
    return action === 'activate' ? this.activate(workflow, body) : this.deactivate(workflow);
  }

  private list(query: URLSearchParams): Answer {
    const limit = Number(query.get('limit') ?? 100);
    if (limit > 250) return said(400, 'request/query/limit must be <= 250');
    const at = cursorOf(query, 'offset');
    if (at === undefined) return said(400, 'An invalid cursor was provided');
    const from = Number(at);
    const found = this.workflows.filter(
      (each) =>
        (query.get('active') === null || String(each.active) === query.get('active')) &&
        (query.get('tags') ?? '').split(',').every((tag) => tag === '' || each.tags.some(({ name }) => name === tag)),
    );
    const nextCursor = from + limit < found.length ? cursor({ limit, offset: from + limit }) : null;
    return { status: 200, body: { data: found.slice(from, from + limit), nextCursor } };
  }

  private create(body: string): Answer {
    const asked = JSON.parse(body || '{}') as Record<string, unknown>;
    for (const field of ['tags', 'active', 'id'])
      if (field in asked) return said(400, `request/body/${field} is read-only`);
    for (const field of CREATED_FIELDS)
      if (!(field in asked)) return said(400, `request/body must have required property '${field}'`);
    if (Object.keys(asked).some((field) => !CREATED_FIELDS.includes(field)))
      return said(400, 'request/body must NOT have additional properties');
    const made = this.made(String(asked['name']), asked['nodes'] as DoubleNode[], {});
    const { tags: _none, ...shown } = made;
    return { status: 200, body: shown };
  }

  private activate(workflow: DoubleWorkflow, body: string): Answer {
    const { versionId = workflow.versionId } = JSON.parse(body || '{}') as { versionId?: string };
    if (versionId !== workflow.versionId) return said(404, 'Version not found');
    const hooks = workflow.nodes.filter((node) => !node.disabled && node.type === 'n8n-nodes-base.webhook');
    if (!workflow.nodes.some(({ type, disabled }) => !disabled && /webhook$|trigger$/i.test(type)))
      return said(
        400,
        'Workflow cannot be activated because it has no trigger node. At least one trigger is required.',
      );
    const lacking = hooks.find(({ parameters, credentials }) => {
      const needed = CREDENTIAL[String(parameters['authentication'])];
      return needed !== undefined && !credentials?.[needed];
    });
    if (lacking)
      return said(
        400,
        `Cannot publish workflow: 1 node have configuration issues: Node "${lacking.name}": - Missing required credential: httpHeaderAuth`,
      );
    const taken = this.workflows.some(
      (other) =>
        other !== workflow && other.active && hooks.some((hook) => live(other).some((each) => samePath(each, hook))),
    );
    if (taken) return said(400, 'There is a conflict with one of the webhooks.');
    this.publish(workflow);
    return { status: 200, body: workflow };
  }

  private deactivate(workflow: DoubleWorkflow): Answer {
    Object.assign(workflow, { active: false, activeVersionId: null, activeVersion: null });
    return { status: 200, body: workflow };
  }

  private readExecutions(id: string | undefined, query: URLSearchParams): Answer {
    const shown = (each: DoubleExecution) => {
      const { data, ...rest } = each;
      return query.get('includeData') === 'true' ? { ...rest, data } : rest;
    };
    if (id !== undefined) {
      const found = this.executions.find((each) => each.id === id);
      return found ? { status: 200, body: shown(found) } : said(404, 'Not Found');
    }
    const last = cursorOf(query, 'lastId');
    if (last === undefined) return said(400, 'An invalid cursor was provided');
    const limit = Number(query.get('limit') ?? 100);
    const found = this.executions
      .filter(
        (each) =>
          (query.get('workflowId') ?? each.workflowId) === each.workflowId &&
          (query.get('status') ?? each.status) === each.status &&
          (last === '0' || Number(each.id) < Number(last)),
      )
      .sort((one, other) => Number(other.id) - Number(one.id));
    const page = found.slice(0, limit);
    const nextCursor = found.length > limit ? cursor({ lastId: page.at(-1)!.id, limit }) : null;
    return { status: 200, body: { data: page.map(shown), nextCursor } };
  }

  /** One call of a production webhook. What it runs answers what it was given. */
  webhook(method: string, path: string, query: URLSearchParams, headers: IncomingHttpHeaders, body: string): Answer {
    const asked = decodeURIComponent(path).split('/');
    for (const workflow of this.workflows.filter(({ active }) => active)) {
      for (const node of live(workflow)) {
        const params = matched(segmentsOf(workflow, node), asked);
        if (!params || !methodsOf(node).includes(method)) continue;
        if ((node.parameters['authentication'] ?? 'none') !== 'none')
          return { status: 403, body: 'Authorization data is wrong!', type: 'text/html' };
        const input = {
          headers,
          params,
          query: Object.fromEntries(query),
          body: body === '' ? {} : (JSON.parse(body) as unknown),
        };
        const fails = workflow.nodes.some(({ type }) => type === 'n8n-nodes-base.stopAndError');
        this.executions.push(executionOf(String(this.executions.length + 1), workflow.id, input, fails));
        if ((node.parameters['responseMode'] ?? 'onReceived') === 'onReceived')
          return said(200, 'Workflow was started');
        // Each method has an output of its own, and the answer is looked for at the first.
        if (methodsOf(node).indexOf(method) > 0) return said(500, 'No item to return was found');
        return fails ? said(500, 'Error in workflow') : { status: 200, body: input };
      }
    }
    return {
      status: 404,
      body: {
        code: 404,
        message: `The requested webhook "${method} ${path}" is not registered.`,
        hint: 'HINT-OF-N8N',
        stacktrace: 'at /usr/local/lib/node_modules/n8n/x.js',
      },
    };
  }
}

const live = (workflow: DoubleWorkflow): DoubleNode[] =>
  (workflow.activeVersion?.nodes ?? []).filter((node) => node.type === 'n8n-nodes-base.webhook' && !node.disabled);

const methodsOf = ({ parameters }: DoubleNode): string[] => [parameters['httpMethod'] ?? 'GET'].flat() as string[];

const samePath = (one: DoubleNode, other: DoubleNode): boolean =>
  one.parameters['path'] === other.parameters['path'] &&
  methodsOf(one).some((method) => methodsOf(other).includes(method));

function segmentsOf(workflow: DoubleWorkflow, { name, webhookId, parameters }: DoubleNode): string[] {
  const path = String(parameters['path'] ?? '').replace(/^\/|\/$/g, '');
  if (webhookId === undefined && path.includes(':')) return [];
  if (webhookId === undefined) return [workflow.id, encodeURIComponent(name.toLowerCase()), ...path.split('/')];
  if (path.includes(':')) return [webhookId, ...path.split('/')];
  return path === '' ? [webhookId] : path.split('/');
}

function matched(registered: string[], asked: string[]): Record<string, string> | undefined {
  if (registered.length !== asked.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of registered.entries()) {
    if (segment.startsWith(':')) params[segment.slice(1)] = asked[index]!;
    else if (segment !== asked[index]) return undefined;
  }
  return params;
}

const cursor = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');
function cursorOf(query: URLSearchParams, field: string): string | undefined {
  const given = query.get('cursor');
  if (given === null) return '0';
  try {
    return String((JSON.parse(Buffer.from(given, 'base64').toString()) as Record<string, unknown>)[field] ?? '0');
  } catch {
    return undefined;
  }
}

/** As n8n says it without NODE_ENV=production: with more than it should. */
const said = (status: number, message: string): Answer => ({
  status,
  body: {
    message,
    ...(status >= 400 && {
      stacktrace: 'Error\n    at /usr/local/lib/node_modules/n8n/dist/x.js:1:1',
      hint: 'HINT-OF-N8N',
    }),
  },
});
