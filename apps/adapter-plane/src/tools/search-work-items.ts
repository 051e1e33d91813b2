import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { QUICK } from '../freshness.js';
import { ProjectIdentifier, SearchWords } from './arguments.js';

export const searchWorkItems = (plane: PlaneReader) =>
  defineTool({
    name: 'search_work_items',
    description:
      'Work items whose name or key contains these words as they are written (no synonyms), in one project or in the whole workspace: key, id, name. Fewer words find more. truncated: there may be more than limit.',
    input: z.object({
      query: SearchWords.describe('part of a name, or a number'),
      project: ProjectIdentifier.optional(),
      limit: z.int().min(1).max(100).default(20),
    }),
    effect: 'read',
    // Plane compares letters, so answers to similar words are not similar: only the very same search is answered from memory.
    ...QUICK,
    async handle({ query, project, limit }, scope) {
      const within = project === undefined ? undefined : (await plane.projectBy(project, scope)).id;
      const found = await plane.search(query, within, limit, scope);
      return {
        work_items: found.slice(0, limit).map(({ id, name, sequence_id, project__identifier }) => ({
          key: `${project__identifier}-${sequence_id}`,
          id,
          name,
        })),
        truncated: found.length >= limit,
      };
    },
  });
