import type { DomainTool } from '@portico/domain-kit';
import type { N8nClient } from './client.js';
import type { AdapterN8nConfig } from './config.js';
import { activateWorkflow } from './tools/activate-workflow.js';
import { createWorkflow } from './tools/create-workflow.js';
import { deactivateWorkflow } from './tools/deactivate-workflow.js';
import { describeWorkflow } from './tools/describe-workflow.js';
import { getExecution } from './tools/get-execution.js';
import { listExecutions } from './tools/list-executions.js';
import { listWorkflows } from './tools/list-workflows.js';
import { triggerWorkflow } from './tools/trigger-workflow.js';
import { hostsHidden } from './views.js';
import type { WebhookClient } from './webhook-client.js';

/** All that `n8n.*` publishes. None of it writes a tag or changes a workflow, so none of it opens a door of its own. */
export const tools = (
  n8n: N8nClient,
  webhooks: WebhookClient,
  { exposureTag: tag, url, webhookUrl }: AdapterN8nConfig,
  hidden = hostsHidden([url, webhookUrl]),
): DomainTool[] => [
  listWorkflows(n8n, tag),
  describeWorkflow(n8n, tag),
  triggerWorkflow(n8n, webhooks, tag, hidden),
  listExecutions(n8n, tag),
  getExecution(n8n, tag, hidden),
  createWorkflow(n8n),
  activateWorkflow(n8n, tag),
  deactivateWorkflow(n8n, tag),
];
