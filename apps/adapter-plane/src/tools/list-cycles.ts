import { defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { SLOW } from '../freshness.js';
import { Cursor, ProjectIdentifier } from './arguments.js';

export const listCycles = (plane: PlaneReader) =>
  defineTool({
    name: 'list_cycles',
    description: 'The cycles (sprints) of a project: name, first and last day, id. Without view: all of them.',
    input: z.object({
      project: ProjectIdentifier,
      view: z.enum(['current', 'upcoming', 'completed', 'draft', 'incomplete']).optional(),
      cursor: Cursor.optional(),
    }),
    effect: 'read',
    ...SLOW,
    async handle({ project, view, cursor }, scope) {
      const { id } = await plane.projectBy(project, scope);
      const { results, nextCursor } = await plane.cycles(id, view, { cursor }, scope);
      return {
        cycles: results.map((cycle) => ({
          name: cycle.name,
          start_date: given(cycle.start_date),
          end_date: given(cycle.end_date),
          id: cycle.id,
        })),
        next_cursor: nextCursor,
      };
    },
  });
