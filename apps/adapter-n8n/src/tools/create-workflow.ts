import { randomUUID } from 'node:crypto';
import { Fault } from '@portico/contracts';
import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import { activationProblem } from '../activation-rules.js';
import type { N8nClient } from '../client.js';
import { madeView } from '../views.js';
import { WEBHOOK } from '../webhooks.js';
import { words } from './arguments.js';

const Parameters = z.record(z.string(), z.unknown());
/** Neither a webhookId, by which it could take the place of another workflow, nor anything else that is not named here. */
const Node = z
  .object({
    name: words(100).describe('unique in the workflow; connections name it'),
    type: z
      .string()
      .regex(/^[@A-Za-z0-9/._-]{1,150}$/)
      .describe('such as n8n-nodes-base.webhook'),
    typeVersion: z.number().min(0).max(100).describe('version of the type, such as 2'),
    position: z.tuple([z.number(), z.number()]).default([0, 0]),
    parameters: Parameters.default({}).describe('of its type'),
    credentials: z
      .record(z.string(), z.object({ id: z.string().max(64), name: z.string().max(200) }).strict())
      .optional()
      .describe('credentials that are in n8n already, by their type'),
    disabled: z.boolean().optional(),
    notes: z.string().max(2_000).optional(),
  })
  .strict();
const Target = z
  .object({ node: words(100), type: z.string().max(50).default('main'), index: z.int().min(0).max(100).default(0) })
  .strict();

export const createWorkflow = (n8n: N8nClient) =>
  defineTool({
    name: 'create_workflow',
    description:
      'Makes a workflow, inactive and not exposed: only a person can expose it, in n8n. n8n.activate_workflow activates it when all that starts it are Webhook nodes with authentication; activation_refused in the answer says why not.',
    input: z.object({
      name: words(128),
      nodes: z.array(Node).min(1).max(100),
      connections: z
        .record(z.string(), z.record(z.string(), z.array(z.array(Target).max(100)).max(100)))
        .default({})
        .describe('by the name of the node that they leave: {"Webhook": {"main": [[{"node": "Set"}]]}}'),
      timezone: z
        .string()
        .regex(/^[A-Za-z0-9_+/-]{1,50}$/)
        .optional()
        .describe('such as Europe/Paris'),
      timeout_seconds: z.int().min(1).max(3_600).optional().describe('longest that an execution may take'),
    }),
    effect: 'write',
    annotations: { idempotentHint: false },
    async handle({ name, nodes, connections, timezone, timeout_seconds }, scope) {
      if (new Set(nodes.map((node) => node.name)).size !== nodes.length)
        throw new Fault('INVALID_ARGUMENTS', 'Two nodes have the same name.', { executed: 'no' });
      const settings = {
        executionOrder: 'v1',
        ...(timezone !== undefined && { timezone }),
        ...(timeout_seconds !== undefined && { executionTimeout: timeout_seconds }),
      };
      const made = nodes.map((node) => ({
        id: randomUUID(),
        ...node,
        // Of a node without one, n8n makes another path than the one that it is given.
        ...(node.type === WEBHOOK && { webhookId: randomUUID() }),
      }));
      const workflow = await n8n.create({ name, nodes: made, connections, settings }, scope);
      return { ...madeView(workflow), activation_refused: activationProblem(workflow.nodes) };
    },
  });
