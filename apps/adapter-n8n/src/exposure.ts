import { Fault } from '@portico/contracts';
import type { N8nClient } from './client.js';
import type { CallScope } from '@portico/domain-kit';
import type { Workflow } from './replies.js';
import { webhooksOf } from './webhooks.js';

/** Whether a person gave it to agents: by exactly this tag, whether or not it runs. */
export const isTagged = (workflow: Workflow, tag: string): boolean =>
  (workflow.tags ?? []).some(({ name }) => name === tag);

/** Why it can not be triggered; undefined when it can. */
function notTriggerable(workflow: Workflow, tag: string): string | undefined {
  if (!isTagged(workflow, tag)) return 'it does not have the tag by which a person exposes it';
  if (workflow.isArchived) return 'it is archived';
  if (!workflow.active) return 'it is not active';
  if (webhooksOf(workflow).length === 0) return 'its published version has no enabled Webhook node that can be called';
  return undefined;
}

export const isExposed = (workflow: Workflow, tag: string): boolean => notTriggerable(workflow, tag) === undefined;

/** The workflow as it is now. Throws PERMISSION_DENIED when it is not exposed, saying what it lacks. */
export async function exposedWorkflow(n8n: N8nClient, id: string, tag: string, scope: CallScope): Promise<Workflow> {
  const workflow = await n8n.workflow(id, scope);
  const problem = notTriggerable(workflow, tag);
  if (problem === undefined) return workflow;
  throw new Fault('PERMISSION_DENIED', `This workflow is not exposed: ${problem}.`, { executed: 'no' });
}

/** Throws PERMISSION_DENIED for a workflow that does not have the tag: what it ran on is not for agents. */
export async function refuseUntagged(n8n: N8nClient, id: string, tag: string, scope: CallScope): Promise<Workflow> {
  const workflow = await n8n.workflow(id, scope);
  if (isTagged(workflow, tag) && !workflow.isArchived) return workflow;
  throw new Fault('PERMISSION_DENIED', 'Executions are shown of exposed workflows alone, and this is none.', {
    executed: 'no',
  });
}

/** Throws PERMISSION_DENIED for an exposed workflow: when it runs is for the person who exposed it. */
export function refuseTagged(workflow: Workflow, tag: string): void {
  if (!isTagged(workflow, tag)) return;
  throw new Fault(
    'PERMISSION_DENIED',
    'This workflow is exposed: only a person may activate or deactivate it, in n8n.',
    {
      executed: 'no',
    },
  );
}
