import { SlackEmoji, addSlackReaction } from '@portico/contracts';
import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { BridgeClient } from '../client.js';
import { SAID } from '../freshness.js';
import { Channel, MessageTs } from './arguments.js';

export const addReaction = (bridge: BridgeClient) =>
  defineTool({
    name: 'add_reaction',
    description: 'Adds a reaction of the bot to a message. added is false when it was there already.',
    input: z.object({
      channel: Channel,
      ts: MessageTs.describe('ts of the message, such as 1764576000.000100'),
      emoji: SlackEmoji.describe('name of an emoji without colons, such as eyes, +1, white_check_mark'),
    }),
    effect: 'write',
    annotations: { idempotentHint: true },
    invalidates: SAID,
    handle: (reaction, scope) => bridge.ask(addSlackReaction, reaction, scope),
  });
