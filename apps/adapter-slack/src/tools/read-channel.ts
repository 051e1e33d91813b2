import { readSlackChannel } from '@portico/contracts';
import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { BridgeClient } from '../client.js';
import { NOW } from '../freshness.js';
import { MOST_TEXT, messageView } from '../views.js';
import { Channel, MessageTs, cursor, limit } from './arguments.js';

export const readChannel = (bridge: BridgeClient) =>
  defineTool({
    name: 'read_channel',
    description: `What was said in a channel, newest first, a page at a time, without the replies in threads: slack.read_thread has those of a message with replies. <@U…> in a text is a person, whose name slack.list_users has; of each text ${MOST_TEXT} characters are shown. next_cursor is there when there is more.`,
    input: z.object({
      channel: Channel,
      after: MessageTs.optional().describe(
        'only what was said after this ts; seconds since 1970 as 1764576000.000000 do',
      ),
      before: MessageTs.optional().describe('only what was said before this ts'),
      limit: limit(100, 30),
      cursor,
    }),
    effect: 'read',
    ...NOW,
    async handle(asked, scope) {
      const { messages, nextCursor } = await bridge.ask(readSlackChannel, asked, scope);
      return { messages: messages.map((message) => messageView(message, 0)), next_cursor: nextCursor };
    },
  });
