import { Fault } from '@portico/contracts';
import { BackendReader, credentialFrom, path } from '@portico/domain-kit';
import type { BackendRequest, BackendSettings, CallScope } from '@portico/domain-kit';
import type { z } from 'zod';
import type { AdapterPlaneConfig } from './config.js';
import { explainPlane, planeFault } from './faults.js';
import { Comment, Cycle, Found, Label, Member, Module, Project, State, WorkItem, pageOf } from './replies.js';

/** Whose work items `external_id` names, where it is one of ours. */
export const EXTERNAL_SOURCE = 'portico';
/** What Plane's cloud gives at once. */
export const MOST_PER_PAGE = 100;
/** Most pages that one list of ours is made of: what is beyond them is told by `next_cursor`. */
const MOST_PAGES = 10;
/** Most pages in which something is looked up by its name. */
const MOST_SEARCHED = 100;

const PROJECTS_KNOWN_MS = 60_000;

const LISTED = 'id,sequence_id,name,priority,state,labels,assignees,parent,start_date,target_date,updated_at';
const EXPANDED = 'state,labels,assignees';

/** Part of a list, and where it goes on. */
export interface Part<T> {
  readonly results: readonly T[];
  readonly nextCursor: string | undefined;
}
/** Where a list begins; from its beginning unless given. A cursor brings its own number a page. */
export interface From {
  readonly cursor?: string | undefined;
  readonly perPage?: number | undefined;
}

/** How both clients reach Plane. */
export const planeSettings = (config: AdapterPlaneConfig, log: BackendSettings['log']): BackendSettings => ({
  name: 'Plane',
  baseUrl: config.url,
  credential: credentialFrom(config.token ?? {}, log),
  authorize: (secret) => ({ 'x-api-key': secret }),
  explain: explainPlane,
  ...(log && { log }),
});

/** The Plane API v1 of one workspace, to be read: nothing here changes anything there. */
export class PlaneReader {
  private readonly backend: BackendReader;
  private readonly workspace: string;
  private known: { at: number; projects: readonly Project[] } = { at: -Infinity, projects: [] };

  constructor(
    config: AdapterPlaneConfig,
    private readonly log: BackendSettings['log'],
  ) {
    this.backend = new BackendReader(planeSettings(config, log));
    this.workspace = path`/api/v1/workspaces/${config.workspace}`;
  }

  projects = (from: From, scope: CallScope) => this.list(Project, `${this.workspace}/projects/`, from, scope);
  states = (project: string, from: From, scope: CallScope) => this.of(project, 'states', State, from, scope);
  labels = (project: string, from: From, scope: CallScope) => this.of(project, 'labels', Label, from, scope);
  modules = (project: string, from: From, scope: CallScope) => this.of(project, 'modules', Module, from, scope);
  cycles = (project: string, view: string | undefined, from: From, scope: CallScope) =>
    this.of(project, 'cycles', Cycle, from, scope, { cycle_view: view });
  members = (project: string | undefined, scope: CallScope) =>
    project === undefined
      ? this.list(Member, `${this.workspace}/members/`, {}, scope)
      : this.of(project, 'members', Member, {}, scope);

  workItems(project: string, order: string, from: From, scope: CallScope): Promise<Part<WorkItem>> {
    const query = { order_by: order, fields: LISTED, expand: EXPANDED };
    return this.of(project, 'work-items', WorkItem, from, scope, query, 1);
  }

  comments(project: string, item: string, from: From, scope: CallScope): Promise<Part<z.output<typeof Comment>>> {
    const of = `${this.project(project)}${path`/work-items/${item}/comments/`}`;
    return this.list(Comment, of, from, scope, { expand: 'actor' }, 1);
  }

  workItem(project: string, item: string, scope: CallScope): Promise<WorkItem> {
    return this.one(WorkItem, `${this.project(project)}${path`/work-items/${item}/`}`, scope, { expand: EXPANDED });
  }

  /** By its key, such as SHOP-12. */
  workItemByKey(key: string, scope: CallScope): Promise<WorkItem> {
    return this.one(WorkItem, `${this.workspace}${path`/work-items/${key}/`}`, scope, { expand: EXPANDED });
  }

  /** The item that was declared with this id, once Plane has it. */
  async workItemByExternalId(project: string, externalId: string, scope: CallScope): Promise<WorkItem | undefined> {
    const query = { external_id: externalId, external_source: EXTERNAL_SOURCE };
    try {
      return await this.one(WorkItem, `${this.project(project)}/work-items/`, scope, query);
    } catch (error) {
      if (Fault.from(error).code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }

  async search(words: string, project: string | undefined, limit: number, scope: CallScope) {
    const query = { search: words, limit, workspace_search: project === undefined, project_id: project };
    return (await this.one(Found, `${this.workspace}/work-items/search/`, scope, query)).issues;
  }

  /** The project with this identifier, as of a minute ago at most. Throws NOT_FOUND, naming some that there are. */
  async projectBy(identifier: string, scope: CallScope): Promise<Project> {
    const is = (project: Project): boolean => project.identifier === identifier;
    const { at, projects } = this.known;
    // Plane allows few requests, and nearly every tool needs one of these ids.
    const known = performance.now() - at < PROJECTS_KNOWN_MS ? projects.find(is) : undefined;
    if (known) return known;
    const { results } = await this.list(Project, `${this.workspace}/projects/`, {}, scope, {}, MOST_SEARCHED);
    this.known = { at: performance.now(), projects: results };
    const found = results.find(is);
    if (found) return found;
    const some = results.slice(0, 20).map((project) => project.identifier);
    throw new Fault('NOT_FOUND', `There is no project ${identifier}. There are ${some.join(', ') || 'none'}.`);
  }

  allStates = async (project: string, scope: CallScope) =>
    (await this.of(project, 'states', State, {}, scope, {}, MOST_SEARCHED)).results;
  allLabels = async (project: string, scope: CallScope) =>
    (await this.of(project, 'labels', Label, {}, scope, {}, MOST_SEARCHED)).results;

  /** Throws unless Plane answers and takes our key. */
  async check(scope: CallScope): Promise<void> {
    await this.get({ path: '/api/v1/users/me/', scope });
  }

  close(): Promise<void> {
    return this.backend.close();
  }

  private project = (id: string): string => `${this.workspace}${path`/projects/${id}`}`;

  private of<T extends z.ZodType>(
    project: string,
    what: string,
    item: T,
    from: From,
    scope: CallScope,
    query: BackendRequest['query'] = {},
    pages = MOST_PAGES,
  ): Promise<Part<z.output<T>>> {
    return this.list(item, `${this.project(project)}${path`/${what}/`}`, from, scope, query, pages);
  }

  private async list<T extends z.ZodType>(
    item: T,
    at: string,
    { cursor: given, perPage = MOST_PER_PAGE }: From,
    scope: CallScope,
    query: BackendRequest['query'] = {},
    pages = MOST_PAGES,
  ): Promise<Part<z.output<T>>> {
    const results: z.output<T>[] = [];
    const per_page = given === undefined ? perPage : Number(given.split(':')[0]);
    let cursor = given;
    for (let read = 0; read < pages; read++) {
      const page = await this.one(pageOf(item), at, scope, { ...query, per_page, cursor });
      results.push(...page.results);
      // There is a next cursor after the last page, too, and no end to who follows one that stands still.
      if (!page.next_page_results || !page.next_cursor || page.next_cursor === cursor)
        return { results, nextCursor: undefined };
      cursor = page.next_cursor;
    }
    return { results, nextCursor: cursor };
  }

  private async one<S extends z.ZodType>(
    shape: S,
    at: string,
    scope: CallScope,
    query: BackendRequest['query'],
  ): Promise<z.output<S>> {
    return (await this.get({ path: at, scope, ...(query && { query }) })).json(shape);
  }

  private get = (request: BackendRequest) =>
    this.backend.get(request).catch((error: unknown) => planeFault(error, this.log));
}
