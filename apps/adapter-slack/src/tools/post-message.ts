import { postSlackMessage } from '@portico/contracts';
import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { BridgeClient } from '../client.js';
import { SAID } from '../freshness.js';
import { saying } from './arguments.js';

export const postMessage = (bridge: BridgeClient) =>
  defineTool({
    name: 'post_message',
    description:
      'Says something in a channel, as a message of its own. Gives its ts, on which slack.reply_in_thread hangs a thread. Said again, it is there twice.',
    input: z.object(saying),
    effect: 'write',
    invalidates: SAID,
    handle: (said, scope) => bridge.ask(postSlackMessage, said, scope),
  });
