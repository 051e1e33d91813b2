import { randomUUID } from 'node:crypto';
import { Fault } from '@portico/contracts';
import type { CallScope } from '@portico/domain-kit';
import { EXTERNAL_SOURCE } from '../client.js';
import type { PlaneReader } from '../client.js';
import { declaredDocument, declaredItem } from '../declared/declared-document.js';
import type { DeclaredChange, DeclaredFiles } from '../declared/declared-files.js';
import { withFields, withItem } from '../declared/edit-document.js';
import { nothingWritten } from '../nothing-written.js';
import { idOf } from '../replies.js';
import type { Project } from '../replies.js';
import { idsOf } from './ids-of.js';
import type { Target, WorkItemFields, WorkItemWrites, Written } from './work-item-writes.js';

const LATER = 'Plane shows it when what is declared has been reconciled.';

/** Writes to the declared file alone. What Plane has is read, so that nothing is declared that can not come true. */
export class GitWrites implements WorkItemWrites {
  constructor(
    private readonly plane: PlaneReader,
    private readonly files: DeclaredFiles,
  ) {}

  async create(project: Project, fields: WorkItemFields & { name: string }, scope: CallScope): Promise<Written> {
    await nothingWritten(idsOf(this.plane, project.id, fields, scope));
    const { externalId, change } = await this.declareNew(project, fields, scope);
    return { work_item: externalId, external_id: externalId, written_to: ['git'], git: gitOf(change), note: LATER };
  }

  async update(target: Target, fields: WorkItemFields, scope: CallScope): Promise<Written> {
    const project =
      idOf(target.item?.project) ?? (await nothingWritten(this.plane.projectBy(target.project, scope))).id;
    await nothingWritten(idsOf(this.plane, project, fields, scope));
    const change = await this.declare(target, fields, scope);
    const changed = Object.keys(fields).sort();
    return { work_item: target.name, changed, written_to: ['git'], git: gitOf(change), note: LATER };
  }

  async comment(): Promise<Written> {
    throw new Fault('UNSUPPORTED', 'Comments are not declared, and here Plane is written through git alone.');
  }

  /** Declares one more item, by an id of its own. */
  async declareNew(
    { identifier }: Project,
    fields: WorkItemFields & { name: string },
    scope: CallScope,
  ): Promise<{ externalId: string; change: DeclaredChange }> {
    const externalId = `portico-${randomUUID()}`;
    const edit = (text: string): string =>
      declaredItem(declaredDocument(text, identifier), { externalId })
        ? text
        : withItem(text, identifier, { externalId }, fields);
    const change = await this.files.edit(
      identifier,
      `Declare a work item of ${identifier}: ${externalId}`,
      edit,
      scope,
    );
    return { externalId, change };
  }

  /** Declares these fields of an item; one that Plane has and nobody has declared yet is declared by its key. */
  declare({ project, name, item }: Target, fields: WorkItemFields, scope: CallScope): Promise<DeclaredChange> {
    const externalId = item?.external_source === EXTERNAL_SOURCE ? (item.external_id ?? undefined) : undefined;
    const declared = item ? { key: name, externalId } : { externalId: name };
    const edit = (text: string): string => {
      const edited = withFields(text, project, declared, fields);
      if (edited !== undefined) return edited;
      if (item) return withItem(text, project, { key: name }, { name: item.name, ...fields });
      throw new Fault('NOT_FOUND', `${name} is not declared for ${project}, and Plane does not have it.`);
    };
    return this.files.edit(project, `${name}: ${Object.keys(fields).sort().join(', ')}`, edit, scope);
  }

  check(scope: CallScope): Promise<void> {
    return this.files.check(scope);
  }

  close(): Promise<void> {
    return this.files.close();
  }
}

export const gitOf = ({ branch, path, commit, unchanged }: DeclaredChange): Written => ({
  branch,
  path,
  commit,
  unchanged,
});
