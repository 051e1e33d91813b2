import { cutText, defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { N8nClient } from '../client.js';
import { refuseUntagged } from '../exposure.js';
import { NOW } from '../freshness.js';
import { executionView, failureView, outputOf } from '../views.js';
import { ExecutionId } from './arguments.js';

const MOST_OUTPUT = 50_000;

export const getExecution = (n8n: N8nClient, tag: string, hidden: (text: string) => string) =>
  defineTool({
    name: 'get_execution',
    description:
      'One execution of an exposed workflow: its status, where it failed if it did, and with include_output what its last node put out, as JSON text.',
    input: z.object({
      execution_id: ExecutionId,
      include_output: z.boolean().default(false).describe('whether to show what its last node put out'),
    }),
    effect: 'read',
    ...NOW,
    async handle({ execution_id, include_output }, scope) {
      // Whose it is comes first: nothing that another workflow ran on is even read.
      const { workflowId } = await n8n.execution(execution_id, false, scope);
      await refuseUntagged(n8n, workflowId, tag, scope);
      const execution = await n8n.execution(execution_id, true, scope);
      const output = include_output ? outputOf(execution) : undefined;
      return {
        ...executionView(execution),
        failed: failureView(execution),
        output: output && cutText(hidden(JSON.stringify(output)), 0, MOST_OUTPUT, () => 'n8n has the rest'),
      };
    },
  });
