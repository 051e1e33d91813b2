import { SlackChannelId, SlackCursor, SlackMessageTs, SlackText, SlackUserId } from '@portico/contracts';
import { z } from 'zod';

/** Whether it is open to agents is the bridge's to say. */
export const Channel = SlackChannelId.describe('id of a channel as slack.list_channels has it, such as C0123456789');
export const MessageTs = SlackMessageTs;
export const ThreadTs = SlackMessageTs.describe(
  'ts of the message that the thread hangs on, which its replies have as thread_ts, such as 1764576000.000100',
);

/** Which part of a list. */
export const cursor = SlackCursor.optional().describe('next_cursor of the answer before, for what comes next');
export const limit = (most: number, unlessGiven: number) =>
  z.int().min(1).max(most).default(unlessGiven).describe('most items on the page');

/** What is said. */
export const saying = {
  channel: Channel,
  text: SlackText.describe(
    'what is said. *bold*, _italic_, `code`, lists and plain addresses work; < > and & are shown as they are, so nothing in it calls a person, a group or the channel',
  ),
  mention: z
    .array(SlackUserId)
    .max(10)
    .default([])
    .describe('ids of people who are called by name before the text, such as U0123456789; slack.list_users has them'),
};
