import { Fault } from '@portico/contracts';
import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { N8nClient } from '../client.js';
import { isTagged, refuseTagged } from '../exposure.js';
import { madeView } from '../views.js';
import { WorkflowId } from './arguments.js';

export const deactivateWorkflow = (n8n: N8nClient, tag: string) =>
  defineTool({
    name: 'deactivate_workflow',
    description:
      'Deactivates a workflow that is not exposed: nothing starts it any more. Whoever relies on it is cut off, so be sure whose it is.',
    input: z.object({ workflow_id: WorkflowId }),
    effect: 'destructive',
    annotations: { idempotentHint: true },
    async handle({ workflow_id }, scope) {
      const before = await n8n.workflow(workflow_id, scope);
      refuseTagged(before, tag);
      if (!before.active) return madeView(before);
      await n8n.deactivate(workflow_id, scope);
      const after = await n8n.workflow(workflow_id, scope);
      if (!isTagged(after, tag)) return madeView(after);
      // Activating it again is not for us: it is exposed now.
      throw new Fault(
        'CONFLICT',
        'The workflow was exposed while it was being deactivated; a person should look at it.',
        {
          executed: 'yes',
        },
      );
    },
  });
