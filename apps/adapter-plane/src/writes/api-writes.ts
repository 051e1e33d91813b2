import { Fault } from '@portico/contracts';
import type { CallScope } from '@portico/domain-kit';
import { EXTERNAL_SOURCE } from '../client.js';
import type { PlaneReader } from '../client.js';
import { htmlOf } from '../html-text.js';
import { nothingWritten } from '../nothing-written.js';
import { projectOf } from '../replies.js';
import type { Project, WorkItem } from '../replies.js';
import type { PlaneWriter, WorkItemBody } from '../writer.js';
import { idsOf } from './ids-of.js';
import type { Target, WorkItemFields, WorkItemWrites, Written } from './work-item-writes.js';

/** Writes through the Plane API, in two steps: what can be found wrong is found before anything is written. */
export class ApiWrites implements WorkItemWrites {
  constructor(
    private readonly plane: PlaneReader,
    private readonly writer: PlaneWriter,
  ) {}

  async create(project: Project, fields: WorkItemFields & { name: string }, scope: CallScope): Promise<Written> {
    return (await this.prepareCreate(project, fields, scope))(undefined);
  }

  async update(target: Target, fields: WorkItemFields, scope: CallScope): Promise<Written> {
    return (await this.prepareUpdate(target, fields, scope))();
  }

  async comment(target: () => Promise<Target>, text: string, scope: CallScope): Promise<Written> {
    const { name, item } = await nothingWritten(target());
    const { id: of, project } = known(name, item);
    const { id } = await this.writer.addComment(project, of, htmlOf(text), scope);
    return { work_item: name, comment_id: id, written_to: ['plane'] };
  }

  /** Gives what makes the item; one that was declared with `externalId` and is there already is taken as made. */
  async prepareCreate(project: Project, fields: WorkItemFields, scope: CallScope) {
    const body = await nothingWritten(this.body(project.id, fields, scope));
    return async (externalId: string | undefined): Promise<Written> => {
      const made = await this.createOrFind(
        project.id,
        externalId === undefined ? body : { ...body, external_id: externalId, external_source: EXTERNAL_SOURCE },
        scope,
      );
      return { work_item: `${project.identifier}-${made.sequence_id}`, id: made.id, written_to: ['plane'] };
    };
  }

  async prepareUpdate({ name, item }: Target, fields: WorkItemFields, scope: CallScope) {
    const { id, project } = known(name, item);
    const body = await nothingWritten(this.body(project, fields, scope));
    return async (): Promise<Written> => {
      await this.writer.updateWorkItem(project, id, body, scope);
      return { work_item: name, changed: Object.keys(fields).sort(), written_to: ['plane'] };
    };
  }

  async check(): Promise<void> {}

  close(): Promise<void> {
    return this.writer.close();
  }

  private async createOrFind(project: string, body: WorkItemBody, scope: CallScope): Promise<WorkItem> {
    try {
      return await this.writer.createWorkItem(project, body, scope);
    } catch (error) {
      // A reconciler may have been faster: with our external id there is one item, and it is ours.
      if (Fault.from(error).code !== 'CONFLICT' || body.external_id === undefined) throw error;
      const found = await this.plane.workItemByExternalId(project, body.external_id, scope);
      if (!found) throw error;
      return found;
    }
  }

  private async body(project: string, fields: WorkItemFields, scope: CallScope): Promise<WorkItemBody> {
    const { name, priority, description } = fields;
    return {
      ...(name !== undefined && { name }),
      ...(priority !== undefined && { priority }),
      ...(description !== undefined && { description_html: htmlOf(description) }),
      ...(await idsOf(this.plane, project, fields, scope)),
    };
  }
}

function known(name: string, item: WorkItem | undefined): { id: string; project: string } {
  if (item) return { id: item.id, project: projectOf(item) };
  throw new Fault('NOT_FOUND', `Plane does not have ${name} yet. It will, when what is declared is reconciled.`);
}
