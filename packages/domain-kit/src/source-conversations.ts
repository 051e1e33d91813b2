import {
  callTool,
  complete,
  describeSource,
  getPrompt,
  readResource,
  resourceUpdated,
  rollCall,
  sourceBye,
  sourceChanged,
  sourceHealth,
  sourceHeartbeat,
  sourceHello,
} from '@portico/contracts';
import type { Conversations, SourceAddress } from '@portico/contracts';

/** What whoever serves a source does on the bus; with `*` in the address, of every source that it fits. */
export const sourceConversations = (at: SourceAddress): Conversations => ({
  serves: [callTool(at), readResource(at), getPrompt(at), complete(at), describeSource(at), sourceHealth(at)],
  asks: [],
  tells: [sourceHello, sourceBye, sourceHeartbeat, sourceChanged, resourceUpdated],
  hears: [rollCall],
});
