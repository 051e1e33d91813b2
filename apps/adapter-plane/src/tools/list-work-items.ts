import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { QUICK } from '../freshness.js';
import { workItemView } from '../views.js';
import { Cursor, ProjectIdentifier } from './arguments.js';

export const listWorkItems = (plane: PlaneReader) =>
  defineTool({
    name: 'list_work_items',
    description:
      'The work items of a project, newest first unless told otherwise, a page at a time: key, name, state, priority, labels, assignees, dates. next_cursor is there when there are more. plane.get_work_item has the description.',
    input: z.object({
      project: ProjectIdentifier,
      order_by: z
        .enum(['-created_at', 'created_at', '-updated_at', 'updated_at', 'priority', '-priority'])
        .default('-created_at')
        .describe('"-" in front: descending'),
      limit: z
        .int()
        .min(1)
        .max(100)
        .default(50)
        .describe('most items on the page; a cursor keeps that of its first page'),
      cursor: Cursor.optional(),
    }),
    effect: 'read',
    ...QUICK,
    async handle({ project, order_by, limit, cursor }, scope) {
      const { id } = await plane.projectBy(project, scope);
      const { results, nextCursor } = await plane.workItems(id, order_by, { cursor, perPage: limit }, scope);
      return {
        work_items: results.map((item) => workItemView(item, `${project}-${item.sequence_id}`)),
        next_cursor: nextCursor,
      };
    },
  });
