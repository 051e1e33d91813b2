import type { WorkflowNode } from './replies.js';
import { WEBHOOK } from './webhooks.js';

/** Whose nodes we know: what starts a workflow is told by their names. */
const KNOWN_PACKAGES = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'];
/** Those that start a workflow and are not called a trigger. */
const OTHER_TRIGGERS = ['webhook', 'cron', 'interval', 'start', 'emailreadimap'];
/** As n8n spells them: an expression is none. */
const AUTHENTICATED = ['basicAuth', 'headerAuth', 'jwtAuth'];

/**
 * Why an agent may not activate a workflow of these nodes; undefined when it may. Whatever could start it must be a
 * Webhook that asks for authentication, or it would run by itself or for everybody. Disabled nodes count, too.
 */
export function activationProblem(nodes: readonly WorkflowNode[]): string | undefined {
  const unknown = nodes.find(({ type }) => !KNOWN_PACKAGES.includes(packageOf(type)));
  if (unknown) return `whether its node ${named(unknown)} starts it is not known here`;
  const triggers = nodes.filter(({ type }) => isTrigger(type));
  if (triggers.length === 0) return 'it has no Webhook node';
  const other = triggers.find(({ type }) => type !== WEBHOOK);
  if (other) return `its node ${named(other)} starts it, and is no Webhook`;
  const open = triggers.find(({ parameters }) => !AUTHENTICATED.includes(parameters?.['authentication'] as string));
  return open && `its Webhook ${named(open)} asks for no authentication`;
}

function isTrigger(type: string): boolean {
  const name = type.slice(packageOf(type).length + 1).toLowerCase();
  return name.endsWith('trigger') || OTHER_TRIGGERS.includes(name);
}

const packageOf = (type: string): string => type.slice(0, Math.max(0, type.lastIndexOf('.')));
const named = ({ name }: WorkflowNode): string => JSON.stringify(name.slice(0, 60));
