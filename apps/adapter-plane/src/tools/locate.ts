import { Fault } from '@portico/contracts';
import type { CallScope } from '@portico/domain-kit';
import type { PlaneReader } from '../client.js';
import type { WorkItem } from '../replies.js';
import type { Target } from '../writes/work-item-writes.js';

/** The item that a caller names by its key, or by its id and project, for reading. Throws NOT_FOUND, or INVALID_ARGUMENTS. */
export async function readItem(
  plane: PlaneReader,
  { project, work_item }: { project?: string | undefined; work_item: string },
  scope: CallScope,
): Promise<{ item: WorkItem; key: string }> {
  if (isKey(work_item)) {
    if (project !== undefined) checkProject(project, work_item);
    return { item: await plane.workItemByKey(work_item, scope), key: work_item };
  }
  if (project === undefined)
    throw new Fault('INVALID_ARGUMENTS', 'Argument "project" is required where work_item is an id.');
  const { id } = await plane.projectBy(project, scope);
  const item = await plane.workItem(id, work_item, scope);
  return { item: { ...item, project: id }, key: `${project}-${item.sequence_id}` };
}

/**
 * The item that a write is about. One that Plane has has one name, its key: under another, two callers could hold leases
 * on it at once.
 */
export async function writtenItem(
  plane: PlaneReader,
  { project, work_item }: { project: string; work_item: string },
  scope: CallScope,
): Promise<Target> {
  if (isKey(work_item)) {
    checkProject(project, work_item);
    return { project, name: work_item, item: await plane.workItemByKey(work_item, scope) };
  }
  const { id } = await plane.projectBy(project, scope);
  const item = await plane.workItemByExternalId(id, work_item, scope);
  if (!item) return { project, name: work_item, item: undefined };
  throw new Fault(
    'INVALID_ARGUMENTS',
    `Plane has this work item now: call it ${project}-${item.sequence_id}, and take the lease on that.`,
  );
}

const isKey = (name: string): boolean => /^[A-Z0-9_]+-[0-9]+$/.test(name);

function checkProject(project: string, key: string): void {
  if (key.startsWith(`${project}-`)) return;
  throw new Fault('INVALID_ARGUMENTS', `${key} is not of the project ${project}.`);
}
