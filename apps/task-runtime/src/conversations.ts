import { guardLease, rollCall, sourceHeartbeat, sourceHello } from '@portico/contracts';
import type { Conversations } from '@portico/contracts';
import { sourceConversations } from '@portico/domain-kit';

const source = sourceConversations('domain.task');

/** What this service does on the bus: its permissions there are made of it. */
export const conversations: Conversations = {
  serves: [...source.serves, guardLease],
  asks: source.asks,
  tells: [...source.tells, rollCall],
  hears: [...source.hears, sourceHello, sourceHeartbeat],
};
