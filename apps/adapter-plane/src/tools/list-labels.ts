import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { SLOW } from '../freshness.js';
import { Cursor, ProjectIdentifier } from './arguments.js';

export const listLabels = (plane: PlaneReader) =>
  defineTool({
    name: 'list_labels',
    description: 'The labels of a project: name (what plane.create_work_item and plane.update_work_item take), and id.',
    input: z.object({ project: ProjectIdentifier, cursor: Cursor.optional() }),
    effect: 'read',
    ...SLOW,
    async handle({ project, cursor }, scope) {
      const { id } = await plane.projectBy(project, scope);
      const { results, nextCursor } = await plane.labels(id, { cursor }, scope);
      return { labels: results.map((label) => ({ name: label.name, id: label.id })), next_cursor: nextCursor };
    },
  });
