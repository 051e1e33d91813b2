import { defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { SLOW } from '../freshness.js';
import { Cursor, ProjectIdentifier } from './arguments.js';

export const listModules = (plane: PlaneReader) =>
  defineTool({
    name: 'list_modules',
    description: 'The modules (themes of work) of a project: name, status, first and last day, id.',
    input: z.object({ project: ProjectIdentifier, cursor: Cursor.optional() }),
    effect: 'read',
    ...SLOW,
    async handle({ project, cursor }, scope) {
      const { id } = await plane.projectBy(project, scope);
      const { results, nextCursor } = await plane.modules(id, { cursor }, scope);
      return {
        modules: results.map((module) => ({
          name: module.name,
          status: given(module.status),
          start_date: given(module.start_date),
          target_date: given(module.target_date),
          id: module.id,
        })),
        next_cursor: nextCursor,
      };
    },
  });
