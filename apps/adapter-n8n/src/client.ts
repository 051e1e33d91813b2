import { BackendClient, credentialFrom, path } from '@portico/domain-kit';
import type { BackendAnswer, BackendRequest, BackendSettings, CallScope } from '@portico/domain-kit';
import type { z } from 'zod';
import { refuseUnlessAllowed } from './allowed.js';
import type { Method } from './allowed.js';
import type { AdapterN8nConfig } from './config.js';
import { n8nFault } from './faults.js';
import { Execution, Workflow, pageOf } from './replies.js';

/** Part of a list, and where it goes on. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}
export interface Asked {
  readonly method: Method;
  /** Behind `/api/v1`, without a query. */
  readonly path: string;
  readonly query?: BackendRequest['query'];
  readonly body?: Readonly<Record<string, unknown>>;
  readonly scope: CallScope;
}
/** What a workflow is made of; n8n takes tags with none of it. */
export interface Definition {
  readonly name: string;
  readonly nodes: readonly unknown[];
  readonly connections: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** n8n's public API: of it, what `allowed.ts` lists. */
export class N8nClient {
  readonly #backend: BackendClient;

  constructor(config: AdapterN8nConfig, log: BackendSettings['log']) {
    this.#backend = new BackendClient({
      name: 'n8n',
      baseUrl: config.url,
      credential: credentialFrom(config.apiKey ?? {}, log),
      authorize: (key) => ({ 'x-n8n-api-key': key }),
      faultOf: n8nFault,
      ...(log && { log }),
    });
  }

  /** The one way out. Throws PERMISSION_DENIED for a method and path that are not on the list, before anything is sent. */
  async ask({ method, path: asked, query, body, scope }: Asked): Promise<BackendAnswer> {
    refuseUnlessAllowed(method, asked, body);
    const request = { path: `/api/v1${asked}`, scope, ...(query && { query }) };
    return method === 'GET'
      ? this.#backend.get(request)
      : this.#backend.send({ ...request, method, ...(body && { json: body }) });
  }

  /** Active ones with this tag, `limit` (1 to 250) at a time; what is asked for and what n8n has may differ soon after. */
  workflows(tag: string, limit: number, cursor: string | undefined, scope: CallScope): Promise<Page<Workflow>> {
    const query = { active: true, tags: tag, excludePinnedData: true, limit, cursor };
    return this.#list(Workflow, '/workflows', query, scope);
  }

  async workflow(id: string, scope: CallScope): Promise<Workflow> {
    const query = { excludePinnedData: true };
    return (await this.ask({ method: 'GET', path: path`/workflows/${id}`, query, scope })).json(Workflow);
  }

  /** Makes it, inactive and without a tag. */
  async create({ name, nodes, connections, settings }: Definition, scope: CallScope): Promise<Workflow> {
    const body = { name, nodes, connections, settings };
    return (await this.ask({ method: 'POST', path: '/workflows', body, scope })).json(Workflow);
  }

  /** Publishes this version of it, not whatever the draft may have become. */
  async activate(id: string, versionId: string | undefined, scope: CallScope): Promise<void> {
    const body = versionId === undefined ? {} : { versionId };
    await this.ask({ method: 'POST', path: path`/workflows/${id}/activate`, body, scope });
  }

  async deactivate(id: string, scope: CallScope): Promise<void> {
    await this.ask({ method: 'POST', path: path`/workflows/${id}/deactivate`, body: {}, scope });
  }

  executions(query: NonNullable<BackendRequest['query']>, scope: CallScope): Promise<Page<Execution>> {
    return this.#list(Execution, '/executions', { ...query, includeData: false }, scope);
  }

  async execution(id: string, includeData: boolean, scope: CallScope): Promise<Execution> {
    const query = { includeData };
    return (await this.ask({ method: 'GET', path: path`/executions/${id}`, query, scope })).json(Execution);
  }

  /** Throws unless n8n answers and takes our key. */
  async check(scope: CallScope): Promise<void> {
    await this.ask({ method: 'GET', path: '/workflows', query: { limit: 1 }, scope });
  }

  close(): Promise<void> {
    return this.#backend.close();
  }

  async #list<T extends z.ZodType>(
    item: T,
    at: string,
    query: BackendRequest['query'],
    scope: CallScope,
  ): Promise<Page<z.output<T>>> {
    const answer = await this.ask({ method: 'GET', path: at, scope, ...(query && { query }) });
    const { data, nextCursor } = answer.json(pageOf(item));
    return { items: data, nextCursor: nextCursor ?? undefined };
  }
}
