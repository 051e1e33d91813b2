import { replyInSlackThread } from '@portico/contracts';
import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { BridgeClient } from '../client.js';
import { SAID } from '../freshness.js';
import { ThreadTs, saying } from './arguments.js';

export const replyInThread = (bridge: BridgeClient) =>
  defineTool({
    name: 'reply_in_thread',
    description: 'Says something in the thread of a message. Said again, it is there twice.',
    input: z.object({
      ...saying,
      thread_ts: ThreadTs,
      broadcast: z.boolean().default(false).describe('true: it is shown in the channel itself, too'),
    }),
    effect: 'write',
    invalidates: SAID,
    handle: ({ thread_ts: threadTs, ...said }, scope) => bridge.ask(replyInSlackThread, { threadTs, ...said }, scope),
  });
