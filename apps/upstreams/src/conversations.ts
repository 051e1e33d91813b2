import {
  atInstance,
  callTool,
  complete,
  describeSource,
  getPrompt,
  readResource,
  serverCalls,
  serverStatus,
  serversChanged,
  sourceHealth,
  upstreamsAlive,
} from '@portico/contracts';
import type { Conversations } from '@portico/contracts';
import { sourceConversations } from '@portico/domain-kit';

const source = sourceConversations('upstream.*');
/** A server as one instance answers for it: only the instances ask that. */
const held = atInstance('upstream.*', '*');
const passedOn = [
  callTool(held),
  readResource(held),
  getPrompt(held),
  complete(held),
  describeSource(held),
  sourceHealth(held),
  serverStatus('*.*'),
];

/** What this service does on the bus: its permissions there are made of it. */
export const conversations: Conversations = {
  serves: [...source.serves, ...passedOn, serverStatus('*'), ...Object.values(serverCalls)],
  asks: [...passedOn, serverStatus('*')],
  tells: [...source.tells, serversChanged, upstreamsAlive],
  hears: [...source.hears, serversChanged, upstreamsAlive],
};
