import { listSlackChannels } from '@portico/contracts';
import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { BridgeClient } from '../client.js';
import { SLOW } from '../freshness.js';
import { cursor } from './arguments.js';

export const listChannels = (bridge: BridgeClient) =>
  defineTool({
    name: 'list_channels',
    description:
      'Channels that are open to agents, up to 200 at a time: id, name, topic, purpose, how many are in it. Those with shared: true are read by people of other organisations too. A page may be short or empty; only where there is no next_cursor are there no more.',
    input: z.object({
      name: z
        .string()
        .regex(/^#?[^\s#]{1,80}$/u)
        .optional()
        .describe('only the channel of this name, such as incidents'),
      cursor,
    }),
    effect: 'read',
    ...SLOW,
    async handle({ name, cursor }, scope) {
      const asked = { cursor, name: name?.replace(/^#/, '') };
      const { channels, nextCursor } = await bridge.ask(listSlackChannels, asked, scope);
      return {
        channels: channels.map(({ isPrivate, isShared, ...channel }) => ({
          ...channel,
          private: isPrivate || undefined,
          shared: isShared || undefined,
        })),
        next_cursor: nextCursor,
      };
    },
  });
