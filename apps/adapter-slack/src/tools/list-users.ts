import { listSlackUsers } from '@portico/contracts';
import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { BridgeClient } from '../client.js';
import { SLOW } from '../freshness.js';
import { cursor, limit } from './arguments.js';

export const listUsers = (bridge: BridgeClient) =>
  defineTool({
    name: 'list_users',
    description:
      'People and bots of the workspace, a page at a time: id, names, title. Those who left are not among them, so a page may be shorter than its limit; only where there is no next_cursor are there no more.',
    input: z.object({ limit: limit(200, 100), cursor }),
    effect: 'read',
    ...SLOW,
    async handle(page, scope) {
      const { users, nextCursor } = await bridge.ask(listSlackUsers, page, scope);
      return {
        users: users.map(({ id, name, realName, displayName, title, isBot }) => ({
          id,
          name,
          real_name: realName,
          display_name: displayName,
          title,
          bot: isBot || undefined,
        })),
        next_cursor: nextCursor,
      };
    },
  });
