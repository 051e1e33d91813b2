import type { Notice } from '@portico/contracts';
import type { HttpReply } from './http-reply.js';
import type { Era } from './protocol-revisions.js';

const LOG_LEVEL_META_KEY = 'io.modelcontextprotocol/logLevel';

/**
 * How notices of a running call reach its caller: progress under the caller's own token, log lines when it asked for a
 * level. Undefined when it asked for neither, so that nothing is sent for nobody.
 */
export function callerNotices(
  meta: Readonly<Record<string, unknown>>,
  era: Era,
  reply: HttpReply,
): ((notice: Notice) => void) | undefined {
  const token = meta['progressToken'];
  const wantsProgress = typeof token === 'string' || typeof token === 'number';
  const wantsLog = era === 'modern' && typeof meta[LOG_LEVEL_META_KEY] === 'string';
  if (!wantsProgress && !wantsLog) return undefined;
  return ({ method, params }) => {
    if (method === 'notifications/message') {
      if (wantsLog) reply.notice({ method, params });
    } else if (wantsProgress) reply.notice({ method, params: { ...params, progressToken: token } });
  };
}
