import { Fault } from '@portico/contracts';
import type { Workflow, WorkflowNode } from './replies.js';

export const WEBHOOK = 'n8n-nodes-base.webhook';
export const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const;
export type WebhookMethod = (typeof METHODS)[number];

/** How to reach a workflow, by one enabled Webhook node of its published version. */
export interface Webhook {
  readonly node: string;
  readonly notes: string | undefined;
  readonly methods: readonly WebhookMethod[];
  /** What stands behind `/webhook/`; a segment that begins with a colon is a parameter. */
  readonly segments: readonly string[];
  readonly authentication: string;
  readonly responds: 'at once' | 'when finished';
}

/** Of what runs, never of the draft. A node that is not told apart from an expression can not be called, and is left out. */
export const webhooksOf = (workflow: Workflow): Webhook[] =>
  (workflow.activeVersion?.nodes ?? []).flatMap((node) => webhookOf(workflow.id, node) ?? []);

export const parametersOf = ({ segments }: Webhook): string[] =>
  segments.filter((segment) => segment.startsWith(':')).map((segment) => segment.slice(1));

function webhookOf(workflow: string, node: WorkflowNode): Webhook | undefined {
  if (node.type !== WEBHOOK || node.disabled === true) return undefined;
  const { httpMethod = 'GET', path = '', authentication = 'none', responseMode = 'onReceived' } = node.parameters ?? {};
  const methods = (Array.isArray(httpMethod) ? httpMethod : [httpMethod]) as unknown[];
  if (!methods.every(isMethod) || methods.length === 0) return undefined;
  const segments = segmentsOf(workflow, node, path);
  if (segments === undefined) return undefined;
  return {
    node: node.name,
    notes: node.notes ?? undefined,
    methods,
    segments,
    authentication: typeof authentication === 'string' ? authentication : 'unknown',
    responds: responseMode === 'onReceived' ? 'at once' : 'when finished',
  };
}

/** As n8n builds it; undefined when it can not be known or is no path that may be asked. */
function segmentsOf(workflow: string, { name, webhookId }: WorkflowNode, path: unknown): string[] | undefined {
  if (typeof path !== 'string' || path.startsWith('=')) return undefined;
  const own = path.replace(/^\/|\/$/g, '').split('/');
  const isBare = own.length === 1 && own[0] === '';
  const isDynamic = own.some((segment) => segment.startsWith(':'));
  // n8n registers it and never finds it.
  if (isDynamic && !webhookId) return undefined;
  const segments = webhookId
    ? isBare
      ? [webhookId]
      : [...(isDynamic ? [webhookId] : []), ...own]
    : [workflow, encodeURIComponent(name.toLowerCase()), ...own];
  return segments.some((segment) => ['', '.', '..', ':'].includes(segment)) ? undefined : segments;
}

const isMethod = (method: unknown): method is WebhookMethod => METHODS.includes(method as WebhookMethod);

/** The one that is meant: by the name of its node where there are several. Throws INVALID_ARGUMENTS, naming them. */
export function chosenWebhook(webhooks: readonly Webhook[], node: string | undefined): Webhook {
  const found = node === undefined ? webhooks : webhooks.filter((webhook) => webhook.node === node);
  if (found.length === 1) return found[0]!;
  const names = webhooks.map((webhook) => JSON.stringify(webhook.node.slice(0, 60)));
  throw new Fault('INVALID_ARGUMENTS', `webhook must be one of: ${names.slice(0, 6).join(', ')}.`);
}
