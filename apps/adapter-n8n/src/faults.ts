import { Fault } from '@portico/contracts';

/**
 * What n8n finds wrong, told by its own words and said in ours: what it says may name what is behind it (a stack, a
 * path of its server, a hint). The first that fits counts.
 */
const KNOWN: readonly [said: RegExp, code: 'INVALID_ARGUMENTS' | 'CONFLICT', message: string][] = [
  [
    /conflict with one of the webhooks/i,
    'CONFLICT',
    'Another active workflow has a webhook with the same path and method.',
  ],
  [/has no trigger node|no node to start/i, 'INVALID_ARGUMENTS', 'The workflow has no trigger node.'],
  [
    /configuration issues|missing required credential/i,
    'INVALID_ARGUMENTS',
    'A node of the workflow is not configured, or lacks a credential that it needs.',
  ],
  [/invalid cursor/i, 'INVALID_ARGUMENTS', 'The cursor is not one that n8n gave for this list.'],
];

/** A complaint about what was sent, by its place in it: nothing else of n8n's words is as harmless. */
const SCHEMA = /^request\/(?:body|query)(?:\/[A-Za-z0-9_]{1,40}){0,6} (?:must|is) [a-zA-Z0-9 '"<>=,_-]{1,120}$/;

/** What an error answer of n8n's API means where its status alone does not say it, in our words. */
export function n8nFault(status: number, _headers: unknown, body: string): Fault | undefined {
  if (status !== 400 && status !== 409) return undefined;
  const cause = Object.assign(new Error(`HTTP ${status}`), { status });
  const said = saidBy(body);
  const known = KNOWN.find(([words]) => words.test(said));
  if (known) return new Fault(known[1], known[2], { cause });
  if (status === 400 && SCHEMA.test(said)) return new Fault('INVALID_ARGUMENTS', `n8n says: ${said}.`, { cause });
  return undefined;
}

/** What an error answer of a webhook means: the workflow's own word, or n8n's before it ran. Nothing of its body is said. */
export function webhookFault(status: number, _headers: unknown, body: string): Fault | undefined {
  const cause = Object.assign(new Error(`HTTP ${status}`), { status });
  if (status === 404 && /is not registered/.test(saidBy(body)))
    return new Fault('CONFLICT', 'n8n has this webhook no longer; n8n.describe_workflow shows how it is now.', {
      cause,
      executed: 'no',
    });
  if (status === 429 || status === 502 || status === 503 || status === 504) return undefined;
  if (status === 401 || status === 403)
    return new Fault('PERMISSION_DENIED', 'The webhook of the workflow does not let this caller in.', {
      cause,
      executed: 'unknown',
    });
  const message =
    status >= 500
      ? 'The workflow was started and failed; n8n.list_executions has it.'
      : `The workflow was started and answered with HTTP status ${status}; n8n.list_executions has it.`;
  return new Fault('UNKNOWN_ERROR', message, { cause, executed: status >= 500 ? 'yes' : 'unknown' });
}

function saidBy(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    return typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}
