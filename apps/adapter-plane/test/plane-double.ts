import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PlaneRecords, WORKSPACE } from './plane-records.js';
import { pageOf } from './plane-pages.js';

export interface PlaneRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}
type Answer = readonly [status: number, body: unknown, headers?: Record<string, string>];
/** Instead of the double's own answer; undefined lets it answer by itself. */
export type Fault = (request: PlaneRequest, response: ServerResponse) => boolean;

const NOT_FOUND: Answer = [404, { error: 'The requested resource does not exist.' }];

/** A Plane that keeps its records in memory and answers as the API v1 does, with the quirks that it is known for. */
export class PlaneDouble {
  readonly records = new PlaneRecords();
  readonly requests: PlaneRequest[] = [];
  /** Keys that it takes. */
  readonly keys = new Set(['plane_api_00000000000000000000000000000001']);
  /** Asked before each answer: true when it has answered by itself. */
  fault: Fault = () => false;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<PlaneDouble> {
    const server = createServer((request, response) => void double.receive(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const double: PlaneDouble = new PlaneDouble(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return double;
  }

  /** What was asked that is not a GET. */
  writes(): string[] {
    return this.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const url = new URL(incoming.url ?? '', this.url);
    const text = Buffer.concat(chunks).toString();
    const request: PlaneRequest = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
    this.requests.push(request);
    if (this.fault(request, response)) return;
    const [status, body, headers = {}] = this.answer(request);
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(body === undefined ? '' : JSON.stringify(body));
  }

  private answer(request: PlaneRequest): Answer {
    const { method, path, headers } = request;
    const key = headers['x-api-key'];
    if (key === undefined) return [401, { detail: 'Authentication credentials were not provided.' }];
    // Only a missing key is 401: the framework makes 403 of a wrong one.
    if (!this.keys.has(String(key))) return [403, { detail: 'Given API token is not valid' }];
    if (!path.endsWith('/')) return [method === 'GET' ? 301 : 500, undefined, { location: `${path}/` }];
    if (path === '/api/v1/users/me/') return [200, { id: randomUUID(), display_name: 'gateway' }];
    const [workspace, ...rest] = path
      .replace('/api/v1/workspaces/', '')
      .split('/')
      .slice(0, -1)
      .map(decodeURIComponent);
    if (!path.startsWith('/api/v1/workspaces/') || workspace !== WORKSPACE) return NOT_FOUND;
    if (rest[0] === 'projects' && rest[1] !== undefined) {
      const project = this.records.projects.find(({ id }) => id === rest[1]);
      return project ? this.inProject(project.id, rest.slice(2), request) : NOT_FOUND;
    }
    return this.inWorkspace(rest, request);
  }

  private inWorkspace([what = '', name = '']: string[], request: PlaneRequest): Answer {
    const { records } = this;
    if (what === 'projects') return pageOf(records.projects, request.query);
    if (what === 'members') return [200, records.members.map((member) => ({ ...member, role: 15 }))];
    if (what !== 'work-items') return NOT_FOUND;
    if (name === 'search') return [200, { issues: records.search(request.query) }];
    const item = records.byKey(name);
    return item ? [200, records.shown(item, request.query)] : NOT_FOUND;
  }

  private inProject(project: string, [what = '', id, more, ...none]: string[], request: PlaneRequest): Answer {
    const { records } = this;
    const { query, method, body } = request;
    if (none.length > 0) return NOT_FOUND;
    if (id === undefined) {
      if (what === 'members' || what === 'project-members') return [200, records.members];
      if (what === 'work-items') return method === 'POST' ? records.create(project, body) : this.items(project, query);
      const kept = records.collection(what, project);
      if (!kept) return NOT_FOUND;
      if (method === 'POST') return [what === 'states' ? 200 : 201, records.add(what, project, body)];
      // One of the views is a bare array, the others come in pages.
      if (what === 'cycles' && query.get('cycle_view') === 'current') return [200, kept.slice(0, 1)];
      return pageOf(kept, query);
    }
    const item =
      what === 'work-items' ? records.items.find((one) => one.id === id && one.project === project) : undefined;
    if (!item) return NOT_FOUND;
    if (more === 'comments') {
      if (method === 'POST') return [201, records.comment(item.id, body)];
      return pageOf(
        records.comments.filter(({ issue }) => issue === id),
        query,
      );
    }
    if (more !== undefined) return NOT_FOUND;
    if (method === 'PATCH') return records.update(item, body);
    if (method === 'DELETE') return [204, undefined];
    return [200, records.shown(item, query)];
  }

  private items(project: string, query: URLSearchParams): Answer {
    const { records } = this;
    const external = query.get('external_id');
    if (external !== null && query.get('external_source') !== null) {
      const found = records.byExternalId(project, external, query.get('external_source'));
      // One object, where a list is asked for.
      return found ? [200, records.shown(found, query)] : NOT_FOUND;
    }
    const order = query.get('order_by') ?? '-created_at';
    const field = order.replace('-', '') as 'created_at';
    const sorted = records.items
      .filter((item) => item.project === project)
      .toSorted((a, b) => (a[field] < b[field] ? -1 : a[field] > b[field] ? 1 : 0) * (order.startsWith('-') ? -1 : 1));
    return pageOf(
      sorted.map((item) => records.shown(item, query)),
      query,
    );
  }
}
