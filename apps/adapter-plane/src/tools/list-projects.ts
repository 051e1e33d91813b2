import { cutText, defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { SLOW } from '../freshness.js';
import { textOf } from '../html-text.js';
import { Cursor } from './arguments.js';

export const listProjects = (plane: PlaneReader) =>
  defineTool({
    name: 'list_projects',
    description:
      'The projects of the workspace: identifier (what other tools call project), name, description. Up to 1,000 at once; next_cursor is there when there are more.',
    input: z.object({ cursor: Cursor.optional() }),
    effect: 'read',
    ...SLOW,
    async handle({ cursor }, scope) {
      const { results, nextCursor } = await plane.projects({ cursor }, scope);
      return {
        projects: results.map(({ identifier, name, description, id }) => ({
          identifier,
          name,
          description: cutText(textOf(description), 0, 300, () => 'Plane has the rest') || undefined,
          id,
        })),
        next_cursor: nextCursor,
      };
    },
  });
