import { cutText, defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { PlaneReader } from '../client.js';
import { NOW } from '../freshness.js';
import { textOf } from '../html-text.js';
import { workItemView } from '../views.js';
import { ProjectIdentifier, WorkItemKeyOrId } from './arguments.js';
import { readItem } from './locate.js';

const MOST_DESCRIPTION = 20_000;

export const getWorkItem = (plane: PlaneReader) =>
  defineTool({
    name: 'get_work_item',
    description:
      'One work item as it is now, by its key such as SHOP-12, or by project and id: name, state, priority, labels, assignees, dates, and its description as plain text.',
    input: z.object({
      work_item: WorkItemKeyOrId,
      project: ProjectIdentifier.optional(),
      description_from: z
        .int()
        .min(0)
        .default(0)
        .describe(`character that the description is shown from; ${MOST_DESCRIPTION} are shown`),
    }),
    effect: 'read',
    ...NOW,
    async handle({ work_item, project, description_from }, scope) {
      const { item, key } = await readItem(plane, { project, work_item }, scope);
      return {
        ...workItemView(item, key),
        created_at: given(item.created_at),
        completed_at: given(item.completed_at),
        external_id: given(item.external_id),
        description: cutText(
          textOf(item.description_html),
          description_from,
          MOST_DESCRIPTION,
          (next) => `description_from: ${next} shows what comes next`,
        ),
      };
    },
  });
