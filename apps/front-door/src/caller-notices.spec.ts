import { describe, expect, it } from '@jest/globals';
import type { Notice } from '@portico/contracts';
import { callerNotices } from './caller-notices.js';
import type { HttpReply } from './http-reply.js';

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const progress: Notice = { method: 'notifications/progress', params: { progressToken: 'theirs', progress: 1 } };
const line: Notice = { method: 'notifications/message', params: { level: 'info', data: 'x' } };

/** What reaches a caller that sent this `_meta`, of progress and a log line; undefined when nothing is listened for. */
const heard = (meta: Record<string, unknown>, era: 'modern' | 'legacy'): Notice[] | undefined => {
  const sent: Notice[] = [];
  const reply: Pick<HttpReply, 'notice'> = { notice: (notice) => void sent.push(notice) };
  const notify = callerNotices(meta, era, reply as HttpReply);
  if (notify === undefined) return undefined;
  for (const notice of [progress, line]) notify(notice);
  return sent;
};
const under = (progressToken: string | number): Notice => ({
  ...progress,
  params: { ...progress.params, progressToken },
});

describe('[FD-26] notices reach a caller that asked for them, and no other', () => {
  it.each<[string, Record<string, unknown>, 'modern' | 'legacy', Notice[] | undefined]>([
    ['nothing asked for', {}, 'modern', undefined],
    ['nothing asked for in 2025', {}, 'legacy', undefined],
    ['a token', { progressToken: 'mine' }, 'modern', [under('mine')]],
    ['a token in 2025', { progressToken: 'mine' }, 'legacy', [under('mine')]],
    ['the token 0', { progressToken: 0 }, 'modern', [under(0)]],
    ['the empty token', { progressToken: '' }, 'legacy', [under('')]],
    ['a token of another type', { progressToken: { a: 1 } }, 'modern', undefined],
    ['a null token', { progressToken: null }, 'modern', undefined],
    ['a log level', { [LOG_LEVEL]: 'debug' }, 'modern', [line]],
    ['a log level, which 2025 does not have', { [LOG_LEVEL]: 'debug' }, 'legacy', undefined],
    ['a log level of another type', { [LOG_LEVEL]: 7 }, 'modern', undefined],
    ['both', { [LOG_LEVEL]: 'debug', progressToken: 'mine' }, 'modern', [under('mine'), line]],
    ['both in 2025', { [LOG_LEVEL]: 'debug', progressToken: 'mine' }, 'legacy', [under('mine')]],
  ])('%s', (_what, meta, era, expected) => {
    expect(heard(meta, era)).toEqual(expected);
  });
});
