import type { DomainTool } from '@portico/domain-kit';
import type { BridgeClient } from './client.js';
import { addReaction } from './tools/add-reaction.js';
import { listChannels } from './tools/list-channels.js';
import { listUsers } from './tools/list-users.js';
import { postMessage } from './tools/post-message.js';
import { readChannel } from './tools/read-channel.js';
import { readThread } from './tools/read-thread.js';
import { replyInThread } from './tools/reply-in-thread.js';

/** All that `slack.*` publishes. */
export const tools = (bridge: BridgeClient): DomainTool[] => [
  listChannels(bridge),
  readChannel(bridge),
  readThread(bridge),
  listUsers(bridge),
  postMessage(bridge),
  replyInThread(bridge),
  addReaction(bridge),
];
