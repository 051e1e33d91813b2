import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { N8nClient } from '../client.js';
import { refuseUntagged } from '../exposure.js';
import { NOW } from '../freshness.js';
import { executionView } from '../views.js';
import { Cursor, Limit, WorkflowId } from './arguments.js';

export const listExecutions = (n8n: N8nClient, tag: string) =>
  defineTool({
    name: 'list_executions',
    description:
      'The executions of an exposed workflow, newest first, a page at a time: status, when each began and ended. next_cursor is there when there are more. n8n.get_execution shows one.',
    input: z.object({
      workflow_id: WorkflowId,
      status: z.enum(['canceled', 'error', 'running', 'success', 'waiting']).optional(),
      limit: Limit,
      cursor: Cursor.optional(),
    }),
    effect: 'read',
    ...NOW,
    async handle({ workflow_id, status, limit, cursor }, scope) {
      await refuseUntagged(n8n, workflow_id, tag, scope);
      const query = { workflowId: workflow_id, status, limit, cursor };
      const { items, nextCursor } = await n8n.executions(query, scope);
      // A cursor is n8n's own text: what it leads to is looked at again.
      const own = items.filter((item) => item.workflowId === workflow_id);
      return { executions: own.map(executionView), next_cursor: nextCursor };
    },
  });
