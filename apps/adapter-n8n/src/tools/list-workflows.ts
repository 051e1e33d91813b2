import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { N8nClient } from '../client.js';
import { isExposed } from '../exposure.js';
import { NOW } from '../freshness.js';
import { workflowView } from '../views.js';
import { Cursor, Limit } from './arguments.js';

export const listWorkflows = (n8n: N8nClient, tag: string) =>
  defineTool({
    name: 'list_workflows',
    description:
      'The workflows that a person exposed, a page at a time: those that n8n.trigger_workflow takes. A page may be shorter than its limit; only where there is no next_cursor is there no more. n8n.describe_workflow says how one is triggered.',
    input: z.object({ limit: Limit, cursor: Cursor.optional() }),
    effect: 'read',
    ...NOW,
    async handle({ limit, cursor }, scope) {
      const { items, nextCursor } = await n8n.workflows(tag, limit, cursor, scope);
      return { workflows: items.filter((item) => isExposed(item, tag)).map(workflowView), next_cursor: nextCursor };
    },
  });
