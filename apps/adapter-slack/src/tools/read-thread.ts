import { readSlackThread } from '@portico/contracts';
import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { BridgeClient } from '../client.js';
import { NOW } from '../freshness.js';
import { MOST_TEXT, messageView } from '../views.js';
import { Channel, ThreadTs, cursor, limit } from './arguments.js';

export const readThread = (bridge: BridgeClient) =>
  defineTool({
    name: 'read_thread',
    description:
      'A message and the replies to it, oldest first, a page at a time. next_cursor is there when there is more.',
    input: z.object({
      channel: Channel,
      thread_ts: ThreadTs,
      text_from: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(0)
        .describe(`character that each text is shown from; ${MOST_TEXT} are shown`),
      limit: limit(100, 30),
      cursor,
    }),
    effect: 'read',
    ...NOW,
    async handle({ thread_ts: threadTs, text_from, ...page }, scope) {
      const { messages, nextCursor } = await bridge.ask(readSlackThread, { threadTs, ...page }, scope);
      return { messages: messages.map((message) => messageView(message, text_from)), next_cursor: nextCursor };
    },
  });
