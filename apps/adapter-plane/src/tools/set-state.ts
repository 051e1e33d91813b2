import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { nothingWritten } from '../nothing-written.js';
import type { WorkItemWrites } from '../writes/work-item-writes.js';
import { ProjectIdentifier, WorkItemName, fields } from './arguments.js';
import { writtenItem } from './locate.js';
import { WRITE_TIMEOUT_MS } from './write-timeout.js';

export const setState = (plane: PlaneReader, writes: WorkItemWrites) =>
  defineTool({
    name: 'set_state',
    description:
      'Puts a work item into a state of its project, such as In Progress. Needs a lease on plane:{project}/{work_item}, such as plane:SHOP/SHOP-12. written_to in the answer says where it was written.',
    input: z.object({ project: ProjectIdentifier, work_item: WorkItemName, state: fields.state }),
    effect: 'write',
    annotations: { idempotentHint: true },
    lease: { resource: 'plane:{project}/{work_item}' },
    invalidates: ['plane.get_work_item', 'plane.list_work_items'],
    callTimeoutMs: WRITE_TIMEOUT_MS,
    handle: async ({ state, ...named }, scope) =>
      writes.update(await nothingWritten(writtenItem(plane, named, scope)), { state }, scope),
  });
