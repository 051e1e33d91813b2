import { Fault } from '@portico/contracts';
import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { nothingWritten } from '../nothing-written.js';
import type { WorkItemWrites } from '../writes/work-item-writes.js';
import { ProjectIdentifier, WorkItemName, fields } from './arguments.js';
import { writtenItem } from './locate.js';
import { WRITE_TIMEOUT_MS } from './write-timeout.js';

export const updateWorkItem = (plane: PlaneReader, writes: WorkItemWrites) =>
  defineTool({
    name: 'update_work_item',
    description:
      'Changes fields of a work item: those that are given, each to the value given; the others stay. Needs a lease on plane:{project}/{work_item}, such as plane:SHOP/SHOP-12. written_to in the answer says where it was written.',
    input: z.object({
      project: ProjectIdentifier,
      work_item: WorkItemName,
      name: fields.name.optional(),
      state: fields.state.optional(),
      priority: fields.priority.optional(),
      labels: fields.labels.optional(),
      description: fields.description.optional(),
    }),
    effect: 'write',
    annotations: { idempotentHint: true },
    lease: { resource: 'plane:{project}/{work_item}' },
    invalidates: ['plane.get_work_item', 'plane.list_work_items', 'plane.search_work_items'],
    callTimeoutMs: WRITE_TIMEOUT_MS,
    async handle({ project, work_item, ...changes }, scope) {
      if (Object.keys(changes).length === 0)
        throw new Fault('INVALID_ARGUMENTS', 'Give at least one of name, state, priority, labels, description.');
      return writes.update(await nothingWritten(writtenItem(plane, { project, work_item }, scope)), changes, scope);
    },
  });
