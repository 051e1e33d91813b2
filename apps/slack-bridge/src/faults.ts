import { Fault } from '@portico/contracts';
import type { FaultCode } from '@portico/contracts';
import { z } from 'zod';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What is waited where Slack does not say how long. */
const UNTOLD_WAIT_MS = 60_000;

const UNREADABLE = 'Slack answered in a form that is not understood.';

/** An `ok: false` of Slack's: the error, and of a missing scope which one. */
const Refusal = z.looseObject({ data: z.looseObject({ error: z.string(), needed: z.unknown().optional() }) });
const Original = z.looseObject({ original: z.instanceof(Fault) });

const NO_CHANNEL = 'Slack has no such channel, or the bot is not in it.';
const NOT_HERE = "The channel's own rules do not let the bot do this.";
const NO_SUCH_MESSAGE = 'The channel has no such message.';
const TOKEN_REFUSED = "Slack did not accept the gateway's own token.";
const NOT_GRANTED = 'The app that the gateway is at Slack was not granted what this takes.';
const NOT_TAKEN = 'Slack did not accept the arguments.';
const TROUBLED = 'Slack is in trouble, and may have done this or not.';

/** Each refused before anything was done, but for the troubled ones. */
const BY_ERROR: Readonly<Record<string, readonly [FaultCode, string]>> = {
  channel_not_found: ['NOT_FOUND', NO_CHANNEL],
  message_not_found: ['NOT_FOUND', NO_SUCH_MESSAGE],
  thread_not_found: ['NOT_FOUND', NO_SUCH_MESSAGE],
  not_in_channel: ['PERMISSION_DENIED', 'The bot is not in this channel: somebody there has to invite it.'],
  restricted_action: ['PERMISSION_DENIED', NOT_HERE],
  restricted_action_read_only_channel: ['PERMISSION_DENIED', NOT_HERE],
  restricted_action_thread_only_channel: ['PERMISSION_DENIED', NOT_HERE],
  restricted_action_non_threadable_channel: ['PERMISSION_DENIED', NOT_HERE],
  restricted_action_thread_locked: ['PERMISSION_DENIED', NOT_HERE],
  is_archived: ['CONFLICT', 'The channel is archived.'],
  too_many_reactions: ['CONFLICT', 'The message has as many reactions as it can have.'],
  too_many_emoji: ['CONFLICT', 'The message has as many reactions as it can have.'],
  msg_too_long: ['INVALID_ARGUMENTS', 'The text is too long for Slack.'],
  no_text: ['INVALID_ARGUMENTS', 'The text is empty for Slack.'],
  invalid_name: ['INVALID_ARGUMENTS', 'Slack has no emoji of this name.'],
  bad_timestamp: ['INVALID_ARGUMENTS', NOT_TAKEN],
  cannot_reply_to_message: ['INVALID_ARGUMENTS', 'This message takes no replies.'],
  invalid_cursor: ['INVALID_ARGUMENTS', 'Slack does not know this cursor (any more): begin anew without one.'],
  invalid_ts_latest: ['INVALID_ARGUMENTS', NOT_TAKEN],
  invalid_ts_oldest: ['INVALID_ARGUMENTS', NOT_TAKEN],
  invalid_arguments: ['INVALID_ARGUMENTS', NOT_TAKEN],
  not_authed: ['UNAUTHENTICATED', TOKEN_REFUSED],
  invalid_auth: ['UNAUTHENTICATED', TOKEN_REFUSED],
  account_inactive: ['UNAUTHENTICATED', TOKEN_REFUSED],
  token_revoked: ['UNAUTHENTICATED', TOKEN_REFUSED],
  token_expired: ['UNAUTHENTICATED', TOKEN_REFUSED],
  missing_scope: ['PERMISSION_DENIED', NOT_GRANTED],
  not_allowed_token_type: ['PERMISSION_DENIED', NOT_GRANTED],
  no_permission: ['PERMISSION_DENIED', NOT_GRANTED],
  access_denied: ['PERMISSION_DENIED', NOT_GRANTED],
  ekm_access_denied: ['PERMISSION_DENIED', NOT_GRANTED],
  team_access_not_granted: ['PERMISSION_DENIED', NOT_GRANTED],
  org_login_required: ['PERMISSION_DENIED', NOT_GRANTED],
  ratelimited: ['RATE_LIMITED', 'Slack asks to wait before the next request.'],
  rate_limited: ['RATE_LIMITED', 'Slack asks to wait before the next request.'],
  message_limit_exceeded: ['RATE_LIMITED', 'Slack takes no more messages for now.'],
  service_unavailable: ['BACKEND_UNAVAILABLE', TROUBLED],
  internal_error: ['BACKEND_UNAVAILABLE', TROUBLED],
  fatal_error: ['BACKEND_UNAVAILABLE', TROUBLED],
};

/** What a status of Slack's means where the general meaning of it does not do. */
export function httpFault(status: number, headers: Headers): Fault | undefined {
  if (status !== 429 || /^\d{1,9}$/.test(String(headers['retry-after']))) return undefined;
  return new Fault('RATE_LIMITED', 'Slack asks to wait before the next request.', { retryAfterMs: UNTOLD_WAIT_MS });
}

/** What is thrown when Slack was asked, as a fault, and what Slack itself called it. */
export function slackFault(thrown: unknown): { fault: Fault; error?: string; needed?: string } {
  const original = Original.safeParse(thrown);
  if (original.success) return { fault: original.data.original };
  const refusal = Refusal.safeParse(thrown);
  // An answer that is no JSON is one whole "error" of Slack's client.
  const error = refusal.data?.data.error ?? '';
  if (!/^[a-z][a-z0-9_]{0,80}$/.test(error))
    return { fault: new Fault('UNKNOWN_ERROR', UNREADABLE, { cause: new Error('no answer of Slack') }) };
  const cause = new Error(`Slack: ${error}`);
  const known = Object.hasOwn(BY_ERROR, error) ? BY_ERROR[error] : undefined;
  if (!known)
    return { fault: new Fault('UNKNOWN_ERROR', 'Slack refused this for a reason of its own.', { cause }), error };
  const [code, message] = known;
  const retryAfterMs = code === 'RATE_LIMITED' ? UNTOLD_WAIT_MS : undefined;
  const needed = String(refusal.data?.data.needed ?? '');
  return {
    fault: new Fault(code, message, { cause, retryAfterMs }),
    error,
    ...(/^[a-z0-9:._,|]{1,200}$/.test(needed) && { needed }),
  };
}

/** Whether it is for who runs the gateway to mend: its token, or what its app may do. */
export const isOperators = ({ code, message }: Fault): boolean => code === 'UNAUTHENTICATED' || message === NOT_GRANTED;
