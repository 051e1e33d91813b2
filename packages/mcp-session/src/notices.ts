import type { Notice } from '@portico/contracts';
import type { Ask, SessionParts } from './connection.js';
import { isObject } from './json-rpc.js';
import type { JsonObject } from './json-rpc.js';

const SEVERITY = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Hands one notification of a call's own stream to whoever waits for that call, if it is theirs to see. */
export function deliverNotice(message: JsonObject, ask: Ask, token: number | undefined, parts: SessionParts): void {
  const { method } = message;
  const params = isObject(message.params) ? message.params : {};
  if (method === 'notifications/progress') {
    const { progressToken, ...progress } = params;
    if (token !== undefined && progressToken === token) give({ method, params: progress }, ask, parts);
  } else if (method === 'notifications/message') {
    // A server may say more than the caller asked for: a session's log level is not a call's.
    const wanted = SEVERITY.indexOf(ask.client?.logLevel ?? '');
    if (wanted !== -1 && SEVERITY.indexOf(String(params.level)) >= wanted) give({ method, params }, ask, parts);
  }
}

/** Acts on what a server says outside any call; false when it is nothing of the kind. */
export function takeAnnouncement(message: JsonObject, parts: SessionParts): boolean {
  switch (message.method) {
    case 'notifications/tools/list_changed':
    case 'notifications/resources/list_changed':
    case 'notifications/prompts/list_changed':
      parts.changed();
      return true;
    case 'notifications/resources/updated':
      if (isObject(message.params) && typeof message.params.uri === 'string') parts.resourceUpdated(message.params.uri);
      return true;
    default:
      return false;
  }
}

function give(notice: Notice, ask: Ask, parts: SessionParts): void {
  try {
    ask.onNotice?.(notice);
  } catch (error) {
    // The call goes on: who listens badly harms nobody else.
    parts.log.warn('session.notice-listener-failed', { server: parts.name, error });
  }
}
