import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { nothingWritten } from '../nothing-written.js';
import type { WorkItemWrites } from '../writes/work-item-writes.js';
import { ProjectIdentifier, fields } from './arguments.js';
import { WRITE_TIMEOUT_MS } from './write-timeout.js';

export const createWorkItem = (plane: PlaneReader, writes: WorkItemWrites) =>
  defineTool({
    name: 'create_work_item',
    description:
      'Makes a work item. work_item in the answer is what other tools call it: its key, or an external_id until Plane has it; written_to says where it was written (git: declared in a file; plane: in Plane). After PARTIALLY_APPLIED do not call again.',
    input: z.object({
      project: ProjectIdentifier,
      name: fields.name,
      state: fields.state.optional(),
      priority: fields.priority.optional(),
      labels: fields.labels.optional(),
      description: fields.description.optional(),
    }),
    effect: 'write',
    annotations: { idempotentHint: false },
    invalidates: ['plane.list_work_items', 'plane.search_work_items'],
    callTimeoutMs: WRITE_TIMEOUT_MS,
    handle: async ({ project, ...item }, scope) =>
      writes.create(await nothingWritten(plane.projectBy(project, scope)), item, scope),
  });
