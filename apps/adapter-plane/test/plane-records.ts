import { randomUUID } from 'node:crypto';

export const WORKSPACE = 'acme';

interface Named {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly [key: string]: unknown;
}
export interface Item {
  readonly id: string;
  readonly project: string;
  readonly sequence_id: number;
  readonly created_at: string;
  updated_at: string;
  name: string;
  description_html: string;
  priority: string;
  state: string;
  labels: string[];
  assignees: string[];
  external_id: string | null;
  external_source: string | null;
  [key: string]: unknown;
}
type Answer = readonly [status: number, body: unknown];
const PRIORITIES = ['urgent', 'high', 'medium', 'low', 'none'];

/** What the double keeps, and the rules by which Plane takes changes of it. */
export class PlaneRecords {
  readonly projects: { id: string; identifier: string; name: string; description: string }[] = [];
  readonly states: Named[] = [];
  readonly labels: Named[] = [];
  readonly cycles: Named[] = [];
  readonly modules: Named[] = [];
  readonly items: Item[] = [];
  readonly comments: { id: string; issue: string; comment_html: string; [key: string]: unknown }[] = [];
  readonly members = ['Ada', 'Grace'].map((name) => ({
    id: randomUUID(),
    first_name: name,
    last_name: 'L.',
    display_name: name.toLowerCase(),
    email: `${name.toLowerCase()}@acme.example`,
  }));
  private clock = Date.UTC(2026, 0, 1);

  /** A project with three states, two labels, a cycle and a module. */
  project(identifier: string): string {
    const id = randomUUID();
    this.projects.push({ id, identifier, name: `The ${identifier}`, description: `About ${identifier}` });
    for (const [name, group] of [
      ['Todo', 'unstarted'],
      ['In Progress', 'started'],
      ['Done', 'completed'],
    ])
      this.add('states', id, { name, group, color: '#000', default: name === 'Todo' });
    for (const name of ['bug', 'big "one"']) this.add('labels', id, { name, color: '#f00' });
    this.add('cycles', id, { name: 'Sprint 1', start_date: '2026-01-01', end_date: '2026-01-14' });
    this.add('cycles', id, { name: 'Sprint 2', start_date: '2026-01-15', end_date: '2026-01-28' });
    this.add('modules', id, { name: 'Checkout', status: 'in-progress', start_date: null, target_date: null });
    return id;
  }

  collection(what: string, project: string): Named[] | undefined {
    const all = this.all(what);
    return all?.filter((one) => one.project === project);
  }

  add(what: string, project: string, body: Record<string, unknown>): Named {
    const made = { ...body, id: randomUUID(), name: String(body['name']), project };
    this.all(what)?.push(made);
    return made;
  }

  create(project: string, body: Record<string, unknown>): Answer {
    const refused = this.refused(project, body, true);
    if (refused) return refused;
    const { external_id, external_source } = body;
    const twin = this.byExternalId(project, external_id as string, external_source as string);
    if (external_id != null && twin) {
      const error = 'Issue with the same external id and external source already exists';
      return [409, { error, id: twin.id }];
    }
    const now = this.now();
    const item: Item = {
      id: randomUUID(),
      project,
      sequence_id: this.items.filter((one) => one.project === project).length + 1,
      created_at: now,
      updated_at: now,
      name: '',
      description_html: '<p></p>',
      priority: 'none',
      state: this.states.find((state) => state.project === project && state['default'] === true)!.id,
      labels: [],
      assignees: [],
      external_id: null,
      external_source: null,
      parent: null,
      start_date: null,
      target_date: null,
      completed_at: null,
      is_draft: false,
      workspace: WORKSPACE,
    };
    this.assign(item, body);
    this.items.push(item);
    return [201, item];
  }

  update(item: Item, body: Record<string, unknown>): Answer {
    const refused = this.refused(item.project, body, false);
    if (refused) return refused;
    this.assign(item, body);
    item.updated_at = this.now();
    return [200, item];
  }

  comment(issue: string, body: Record<string, unknown>) {
    const now = this.now();
    const actor = this.members[0]!.id;
    const made = {
      id: randomUUID(),
      issue,
      actor,
      access: 'INTERNAL',
      created_at: now,
      edited_at: null,
      is_member: true,
    };
    const comment = { ...made, comment_html: String(body['comment_html']) };
    this.comments.push(comment);
    return comment;
  }

  byKey(key: string): Item | undefined {
    const [, identifier, number] = /^(.+)-(\d+)$/.exec(key) ?? [];
    const project = this.projects.find((one) => one.identifier === identifier);
    return this.items.find((item) => item.project === project?.id && item.sequence_id === Number(number));
  }

  byExternalId(project: string, id: string | null, source: string | null): Item | undefined {
    return this.items.find(
      (item) => item.project === project && item.external_id === id && item.external_source === source,
    );
  }

  search(query: URLSearchParams) {
    const words = (query.get('search') ?? '').toLowerCase();
    const project = query.get('workspace_search') === 'false' ? query.get('project_id') : null;
    if (words === '') return [];
    return this.items
      .filter((item) => project === null || item.project === project)
      .filter((item) => item.name.toLowerCase().includes(words) || String(item.sequence_id) === words)
      .slice(0, Number(query.get('limit') ?? 10))
      .map((item) => ({
        name: item.name,
        id: item.id,
        sequence_id: item.sequence_id,
        project__identifier: this.projects.find(({ id }) => id === item.project)!.identifier,
        project_id: item.project,
        workspace__slug: WORKSPACE,
      }));
  }

  /** An item as `fields` and `expand` ask for it. */
  shown(item: Item, query: URLSearchParams): Record<string, unknown> {
    const expand = (query.get('expand') ?? '').split(',');
    const all: Record<string, unknown> = {
      ...item,
      ...(expand.includes('state') && { state: this.states.find(({ id }) => id === item.state) }),
      ...(expand.includes('labels') && { labels: this.labels.filter(({ id }) => item.labels.includes(id)) }),
      ...(expand.includes('assignees') && { assignees: this.members.filter(({ id }) => item.assignees.includes(id)) }),
    };
    const fields = query.get('fields')?.split(',');
    return fields ? Object.fromEntries(Object.entries(all).filter(([name]) => fields.includes(name))) : all;
  }

  private refused(project: string, body: Record<string, unknown>, isNew: boolean): Answer | undefined {
    const { name, priority, state, start_date, target_date } = body;
    if (isNew && name === undefined) return [400, { name: ['This field is required.'] }];
    if (typeof name === 'string' && name.length > 255)
      return [400, { name: ['Ensure this field has no more than 255 characters.'] }];
    if (priority !== undefined && !PRIORITIES.includes(String(priority)))
      return [400, { priority: [`"${String(priority)}" is not a valid choice.`] }];
    if (typeof start_date === 'string' && typeof target_date === 'string' && start_date > target_date)
      return [400, { non_field_errors: ['Start date cannot exceed target date'] }];
    if (state !== undefined && !this.states.some((one) => one.id === state && one.project === project))
      return [400, { non_field_errors: ['State is not valid please pass a valid state_id'] }];
    return undefined;
  }

  /** Labels and assignees that are not known are dropped, and nothing is said of it. */
  private assign(item: Item, body: Record<string, unknown>): void {
    Object.assign(item, body);
    item.labels = item.labels.filter((label) =>
      this.labels.some(({ id, project }) => id === label && project === item.project),
    );
    item.assignees = item.assignees.filter((assignee) => this.members.some(({ id }) => id === assignee));
  }

  private all(what: string): Named[] | undefined {
    const { states, labels, cycles, modules } = this;
    return { states, labels, cycles, modules }[what];
  }

  private now(): string {
    return new Date((this.clock += 1_000)).toISOString();
  }
}
