import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { N8nClient } from '../client.js';
import { exposedWorkflow } from '../exposure.js';
import { NOW } from '../freshness.js';
import { webhookView, workflowView } from '../views.js';
import { webhooksOf } from '../webhooks.js';
import { WorkflowId } from './arguments.js';

export const describeWorkflow = (n8n: N8nClient, tag: string) =>
  defineTool({
    name: 'describe_workflow',
    description:
      'How an exposed workflow is triggered: for each of its webhooks the methods, the parameters of its path, whether it takes a body, the notes of its author, and whether it answers when it is finished or at once. callable is false where it asks for authentication, which n8n.trigger_workflow does not have.',
    input: z.object({ workflow_id: WorkflowId }),
    effect: 'read',
    ...NOW,
    async handle({ workflow_id }, scope) {
      const workflow = await exposedWorkflow(n8n, workflow_id, tag, scope);
      return { ...workflowView(workflow), webhooks: webhooksOf(workflow).map(webhookView) };
    },
  });
