import { Fault } from '@portico/contracts';
import { cutText, defineTool } from '@portico/domain-kit';
import type { BackendAnswer, JsonValue } from '@portico/domain-kit';
import { z } from 'zod';
import type { N8nClient } from '../client.js';
import { exposedWorkflow } from '../exposure.js';
import { TRIGGER_TIMEOUT_MS } from '../webhook-client.js';
import type { WebhookClient } from '../webhook-client.js';
import { METHODS, chosenWebhook, parametersOf, webhooksOf } from '../webhooks.js';
import type { Webhook, WebhookMethod } from '../webhooks.js';
import { WorkflowId, words } from './arguments.js';

const MOST_RESPONSE = 50_000;

export const triggerWorkflow = (
  n8n: N8nClient,
  webhooks: WebhookClient,
  tag: string,
  hidden: (text: string) => string,
) =>
  defineTool({
    name: 'trigger_workflow',
    description:
      'Runs an exposed workflow by its webhook; n8n.describe_workflow says what it takes. finished: true means that response is what the workflow answered; finished: false, that it was started and n8n.list_executions shows what becomes of it. It is sent once: after TIMEOUT it may have run, so look at n8n.list_executions before calling again.',
    input: z.object({
      workflow_id: WorkflowId,
      webhook: words(200).optional().describe('name of its Webhook node; only needed where there are several'),
      method: z.enum(METHODS).optional().describe('only needed where the webhook takes several'),
      path_parameters: z
        // n8n decodes the path before it divides it: a slash would make another path.
        .record(
          z.string().max(100),
          z
            .string()
            .max(200)
            .regex(/^[^/\p{Cc}]+$/u, 'must have no slash'),
        )
        .default({})
        .describe('a value for each of the path_parameters of the webhook'),
      query: z
        .record(z.string().min(1).max(100), z.union([z.string().max(2_000), z.number(), z.boolean()]))
        .optional()
        .describe('query of the request, by name'),
      body: z.record(z.string(), z.unknown()).optional().describe('JSON body; not with GET and HEAD'),
    }),
    effect: 'write',
    annotations: { idempotentHint: false, openWorldHint: true },
    invalidates: ['n8n.list_executions'],
    callTimeoutMs: TRIGGER_TIMEOUT_MS,
    async handle({ workflow_id, webhook: node, method, path_parameters, query, body }, scope) {
      const workflow = await exposedWorkflow(n8n, workflow_id, tag, scope);
      const webhook = chosenWebhook(webhooksOf(workflow), node);
      refuseAuthenticated(webhook);
      const by = chosenMethod(webhook, method);
      if (body !== undefined && (by === 'GET' || by === 'HEAD'))
        throw invalid(`${by} takes no body; use query instead.`);
      const segments = filledSegments(webhook, path_parameters);
      const answer = await webhooks.call(by, segments, { ...(query && { query }), body }, scope);
      return {
        workflow_id,
        webhook: webhook.node,
        finished: webhook.responds === 'when finished',
        status: answer.status,
        ...responseView(answer, hidden),
      };
    },
  });

function refuseAuthenticated({ authentication }: Webhook): void {
  if (authentication === 'none') return;
  throw new Fault(
    'UNSUPPORTED',
    'This webhook asks for authentication, and the gateway has no credential for it; its author may expose one without.',
    { executed: 'no' },
  );
}

function chosenMethod({ methods }: Webhook, method: WebhookMethod | undefined): WebhookMethod {
  const found = method === undefined ? methods : methods.filter((each) => each === method);
  if (found.length === 1) return found[0]!;
  throw invalid(`method must be one of: ${methods.join(', ')}.`);
}

function filledSegments(webhook: Webhook, values: Readonly<Record<string, string>>): string[] {
  const names = parametersOf(webhook);
  if (names.length !== Object.keys(values).length || !names.every((name) => Object.hasOwn(values, name)))
    throw invalid(`path_parameters must be exactly these: ${names.join(', ') || 'none'}.`);
  return webhook.segments.map((segment) => (segment.startsWith(':') ? values[segment.slice(1)]! : segment));
}

function responseView(
  answer: BackendAnswer,
  hidden: (text: string) => string,
): {
  response?: JsonValue;
  response_type?: string;
  response_bytes?: number;
} {
  const type = (answer.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  if (answer.body.length === 0) return {};
  if (!/^(|text\/.*|application\/(.*\+)?(json|xml|x-ndjson|json-lines))$/.test(type))
    return { response_type: type.slice(0, 100), response_bytes: answer.body.length };
  const text = hidden(answer.text());
  const value = text.length <= MOST_RESPONSE && type.endsWith('json') ? jsonOf(text) : undefined;
  return value === undefined
    ? { response: cutText(text, 0, MOST_RESPONSE, () => 'n8n.get_execution has what the workflow put out') }
    : { response: value };
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const invalid = (message: string): Fault => new Fault('INVALID_ARGUMENTS', message, { executed: 'no' });
