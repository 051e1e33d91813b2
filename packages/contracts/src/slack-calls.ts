import { z } from 'zod';
import type { Call } from './call.js';

/** Of a public or private channel, a group or a direct conversation. */
export const SlackChannelId = z.string().regex(/^[CGD][A-Z0-9]{2,30}$/);
export const SlackUserId = z.string().regex(/^[UW][A-Z0-9]{2,30}$/);
/** Slack's name of a message within its channel. */
export const SlackMessageTs = z.string().regex(/^\d{1,12}\.\d{1,9}$/);
/** Without colons: `eyes`, `+1`, `wave::skin-tone-3`. */
export const SlackEmoji = z.string().regex(/^[a-z0-9_+'-]{1,100}(::skin-tone-[2-6])?$/);

/** `nextCursor` of the page before. */
export const SlackCursor = z.string().regex(/^[\x21-\x7e]{1,500}$/);

const Page = z.object({
  /** Most items of the page. */
  limit: z.int().min(1).max(200),
  cursor: SlackCursor.optional(),
});

export const SlackChannel = z.object({
  id: z.string(),
  name: z.string().optional(),
  isPrivate: z.boolean(),
  /** People of other organisations read it too. */
  isShared: z.boolean(),
  topic: z.string().optional(),
  purpose: z.string().optional(),
  members: z.number().optional(),
});
export type SlackChannel = z.infer<typeof SlackChannel>;

export const SlackMessage = z.object({
  ts: z.string(),
  user: z.string().optional(),
  /** Of what was posted by an app or an integration. */
  botName: z.string().optional(),
  subtype: z.string().optional(),
  /** As Slack writes it: `<@U…>` is a mention, `&lt;` a `<`. */
  text: z.string(),
  threadTs: z.string().optional(),
  replies: z.number().optional(),
  edited: z.boolean(),
  reactions: z.array(z.object({ name: z.string(), count: z.number() })),
  /** Their names. */
  files: z.array(z.string()),
});
export type SlackMessage = z.infer<typeof SlackMessage>;

export const SlackUser = z.object({
  id: z.string(),
  name: z.string().optional(),
  realName: z.string().optional(),
  displayName: z.string().optional(),
  title: z.string().optional(),
  isBot: z.boolean(),
});
export type SlackUser = z.infer<typeof SlackUser>;

const nextCursor = z.string().optional();
const MessagePage = z.object({ messages: z.array(SlackMessage), nextCursor });

/** Text that Slack can show: something to be seen, and no half of a character, which no request can carry. */
export const SlackText = z
  .string()
  .min(1)
  .max(4_000)
  .regex(/^(?=[\s\S]*\S)\P{Cs}*$/u, 'must have something in it that can be seen, and whole characters alone');

/** What an agent says: all of it is shown as it is, so that nothing in it calls or links anybody. */
const Saying = z.object({
  channel: SlackChannelId,
  text: SlackText,
  /** People who are called by name before the text. */
  mention: z.array(SlackUserId).max(10).optional(),
});
const Said = z.object({ channel: SlackChannelId, ts: z.string() });

/**
 * The channels that are open to agents. This and what follows is all that slack-bridge does at Slack; each takes its
 * deadline from whoever asks. NOT_FOUND, PERMISSION_DENIED and CONFLICT say what Slack, or the list of channels, has
 * against it; RATE_LIMITED says how long to wait; nothing is sent twice.
 */
export const listSlackChannels = {
  subject: 'slack-bridge.list-channels',
  /** `name`: only the channel that is called so. */
  request: z.object({ cursor: SlackCursor.optional(), name: z.string().min(1).max(80).optional() }),
  reply: z.object({ channels: z.array(SlackChannel), nextCursor }),
  effect: 'read',
} satisfies Call;

/** Newest first; `after` and `before` are times of messages, neither included. */
export const readSlackChannel = {
  subject: 'slack-bridge.read-channel',
  request: Page.extend({
    channel: SlackChannelId,
    after: SlackMessageTs.optional(),
    before: SlackMessageTs.optional(),
  }),
  reply: MessagePage,
  effect: 'read',
} satisfies Call;

/** Oldest first, the message that the thread hangs on among them. */
export const readSlackThread = {
  subject: 'slack-bridge.read-thread',
  request: Page.extend({ channel: SlackChannelId, threadTs: SlackMessageTs }),
  reply: MessagePage,
  effect: 'read',
} satisfies Call;

export const listSlackUsers = {
  subject: 'slack-bridge.list-users',
  request: Page,
  reply: z.object({ users: z.array(SlackUser), nextCursor }),
  effect: 'read',
} satisfies Call;

export const postSlackMessage = {
  subject: 'slack-bridge.post-message',
  request: Saying,
  reply: Said,
  effect: 'write',
} satisfies Call;

export const replyInSlackThread = {
  subject: 'slack-bridge.reply-in-thread',
  request: Saying.extend({ threadTs: SlackMessageTs, broadcast: z.boolean().optional() }),
  reply: Said,
  effect: 'write',
} satisfies Call;

/** `added` is false when it was there already. */
export const addSlackReaction = {
  subject: 'slack-bridge.add-reaction',
  request: z.object({ channel: SlackChannelId, ts: SlackMessageTs, emoji: SlackEmoji }),
  reply: z.object({ added: z.boolean() }),
  effect: 'write',
} satisfies Call;

/** Answers when Slack does, and takes the token. */
export const checkSlack = {
  subject: 'slack-bridge.check',
  request: z.object({}),
  reply: z.object({}),
  effect: 'read',
} satisfies Call;
