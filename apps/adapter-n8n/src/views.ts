import { given } from '@portico/domain-kit';
import type { Execution, Workflow } from './replies.js';
import { parametersOf, webhooksOf } from './webhooks.js';
import type { Webhook } from './webhooks.js';

export const workflowView = (workflow: Workflow) => ({
  workflow_id: workflow.id,
  name: workflow.name,
  description: given(workflow.description)?.slice(0, 1_000),
  updated_at: given(workflow.updatedAt),
  webhooks: webhooksOf(workflow).map(({ node }) => node),
});

/** A workflow of which only its author should need to know: what an agent made. */
export const madeView = (workflow: Workflow) => ({
  workflow_id: workflow.id,
  name: workflow.name,
  active: workflow.active,
});

/** How one is called. */
export const webhookView = (webhook: Webhook) => ({
  webhook: webhook.node,
  notes: webhook.notes?.slice(0, 2_000),
  methods: [...webhook.methods],
  path_parameters: parametersOf(webhook),
  takes_body: webhook.methods.some((method) => method !== 'GET' && method !== 'HEAD'),
  responds: webhook.responds,
  callable: webhook.authentication === 'none',
  asks_for_authentication: webhook.authentication !== 'none' || undefined,
});

export const executionView = (execution: Execution) => ({
  execution_id: execution.id,
  workflow_id: execution.workflowId,
  status: execution.status ?? (execution.finished ? 'success' : undefined),
  mode: given(execution.mode),
  started_at: given(execution.startedAt),
  stopped_at: given(execution.stoppedAt),
  waits_until: given(execution.waitTill),
});

/** Where one failed. The words of the failure stay in n8n: they may have a stack or a path of its server in them. */
export function failureView({ data }: Execution) {
  const error = data?.resultData.error;
  return error ? { error: given(error.name)?.slice(0, 100), node: given(error.node?.name)?.slice(0, 200) } : undefined;
}

/** What its last node put out, as JSON. */
export function outputOf({ data }: Execution): unknown[] | undefined {
  const { lastNodeExecuted, runData } = data?.resultData ?? {};
  const runs = typeof lastNodeExecuted === 'string' ? runData?.[lastNodeExecuted] : undefined;
  return runs?.at(-1)?.data?.main?.flatMap((items) => (items ?? []).map(({ json }) => json));
}

/**
 * Takes out of a text by which host inside n8n was asked: its Webhook node puts out every header of the request. Only what
 * is asked without TLS is inside; a public address may well be what a workflow answers with.
 */
export function hostsHidden(urls: readonly string[]): (text: string) => string {
  const inside = urls
    .map((url) => new URL(url))
    .filter(({ protocol, host }) => protocol === 'http:' && /[.:]/.test(host));
  return (text) => inside.reduce((shown, { host }) => shown.replaceAll(host, '[n8n]'), text);
}
