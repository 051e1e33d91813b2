import { defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { SLOW } from '../freshness.js';
import { Cursor, ProjectIdentifier } from './arguments.js';

export const listStates = (plane: PlaneReader) =>
  defineTool({
    name: 'list_states',
    description:
      'The states that work items of a project can be in: name (what plane.set_state takes), group (backlog, unstarted, started, completed, cancelled), and which is the default.',
    input: z.object({ project: ProjectIdentifier, cursor: Cursor.optional() }),
    effect: 'read',
    ...SLOW,
    async handle({ project, cursor }, scope) {
      const { id } = await plane.projectBy(project, scope);
      const { results, nextCursor } = await plane.states(id, { cursor }, scope);
      return {
        states: results.map((state) => ({
          name: state.name,
          group: given(state.group),
          default: state.default === true || undefined,
          id: state.id,
        })),
        next_cursor: nextCursor,
      };
    },
  });
