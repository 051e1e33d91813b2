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

/** What this service does on the bus: its permissions there are made of it. */
export const conversations: Conversations = {
  serves: [
    listSlackChannels,
    readSlackChannel,
    readSlackThread,
    listSlackUsers,
    postSlackMessage,
    replyInSlackThread,
    addSlackReaction,
    checkSlack,
  ],
  asks: [],
  tells: [],
  hears: [],
};
