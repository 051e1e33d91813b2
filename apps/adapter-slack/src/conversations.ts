import {
  addSlackReaction,
  checkSlack,
  listSlackChannels,
  listSlackUsers,
  postSlackMessage,
  readSlackChannel,
  readSlackThread,
  replyInSlackThread,
} from '@portico/contracts';
import type { Conversations } from '@portico/contracts';
import { sourceConversations } from '@portico/domain-kit';

/** What this service does on the bus: its permissions there are made of it. Nobody else asks the bridge. */
export const conversations: Conversations = {
  ...sourceConversations('domain.slack'),
  asks: [
    listSlackChannels,
    readSlackChannel,
    readSlackThread,
    listSlackUsers,
    postSlackMessage,
    replyInSlackThread,
    addSlackReaction,
    checkSlack,
  ],
};
