import { Fault } from '@portico/contracts';
import { defineTool } from '@portico/domain-kit';
import type { CallScope } from '@portico/domain-kit';
import { z } from 'zod';
import { activationProblem } from '../activation-rules.js';
import type { N8nClient } from '../client.js';
import { isTagged, refuseTagged } from '../exposure.js';
import type { Workflow } from '../replies.js';
import { madeView } from '../views.js';
import { WorkflowId } from './arguments.js';

export const activateWorkflow = (n8n: N8nClient, tag: string) =>
  defineTool({
    name: 'activate_workflow',
    description:
      'Activates a workflow that is not exposed, so that its webhooks can be called by whoever has their credentials. Refused unless all that starts it are Webhook nodes that ask for authentication: no schedule, no poll, no open webhook. It is not exposed by this: n8n.trigger_workflow does not take it.',
    input: z.object({ workflow_id: WorkflowId }),
    effect: 'write',
    annotations: { idempotentHint: true },
    async handle({ workflow_id }, scope) {
      const before = await n8n.workflow(workflow_id, scope);
      refuseTagged(before, tag);
      if (before.isArchived) throw new Fault('CONFLICT', 'This workflow is archived.', { executed: 'no' });
      // To activate it once more would publish a draft that somebody is at work on.
      if (before.active) return madeView(before);
      const problem = activationProblem(before.nodes);
      if (problem !== undefined) throw refused(problem);
      await n8n.activate(workflow_id, before.versionId ?? undefined, scope);
      return madeView(await checked(n8n, workflow_id, tag, scope));
    },
  });

/** The workflow as it is after its activation, which is taken back when it is not what was looked at before. */
async function checked(n8n: N8nClient, id: string, tag: string, scope: CallScope): Promise<Workflow> {
  let after: Workflow | undefined;
  try {
    after = await n8n.workflow(id, scope);
    if (!isTagged(after, tag) && activationProblem(after.activeVersion?.nodes ?? after.nodes) === undefined)
      return after;
    await n8n.deactivate(id, scope);
  } catch (cause) {
    const message =
      'The workflow was activated and could not be checked afterwards: a person should look at it in n8n.';
    throw new Fault('PARTIALLY_APPLIED', message, { cause });
  }
  const happened = isTagged(after, tag) ? 'was exposed' : 'was changed';
  throw new Fault('CONFLICT', `The workflow ${happened} while it was being activated; it is inactive again.`, {
    executed: 'yes',
  });
}

const refused = (problem: string): Fault =>
  new Fault('PERMISSION_DENIED', `This workflow may not be activated from here: ${problem}.`, { executed: 'no' });
