import type { SlackChannel, SlackMessage, SlackUser } from '@portico/contracts';
import { z } from 'zod';

/** What is used of Slack's replies; everything else of them is let be. */
const optionalText = z.string().nullish();
const flag = z.boolean().nullish();
const count = z.number().nullish();
const Topic = z.looseObject({ value: optionalText }).nullish();
const page = { response_metadata: z.looseObject({ next_cursor: optionalText }).nullish() };

export const Channel = z.looseObject({
  id: z.string(),
  name: optionalText,
  is_private: flag,
  is_im: flag,
  is_mpim: flag,
  is_member: flag,
  is_ext_shared: flag,
  topic: Topic,
  purpose: Topic,
  num_members: count,
});
export type Channel = z.infer<typeof Channel>;

export const Message = z.looseObject({
  ts: z.string(),
  user: optionalText,
  username: optionalText,
  bot_profile: z.looseObject({ name: optionalText }).nullish(),
  subtype: optionalText,
  text: optionalText,
  attachments: z.array(z.looseObject({ text: optionalText, fallback: optionalText })).nullish(),
  thread_ts: optionalText,
  reply_count: count,
  edited: z.unknown().optional(),
  reactions: z.array(z.looseObject({ name: z.string(), count: z.number() })).nullish(),
  files: z.array(z.looseObject({ name: optionalText, title: optionalText })).nullish(),
});
export type Message = z.infer<typeof Message>;

export const User = z.looseObject({
  id: z.string(),
  name: optionalText,
  deleted: flag,
  is_bot: flag,
  profile: z.looseObject({ real_name: optionalText, display_name: optionalText, title: optionalText }).nullish(),
});
export type User = z.infer<typeof User>;

export const Channels = z.looseObject({ channels: z.array(Channel), ...page });
export const OneChannel = z.looseObject({ channel: Channel });
export const Messages = z.looseObject({ messages: z.array(Message), ...page });
export const Users = z.looseObject({ members: z.array(User), ...page });
export const Posted = z.looseObject({ ts: z.string() });
export const Anything = z.looseObject({});

/** Where a list goes on; Slack says "" at its end. */
export const cursorOf = ({ response_metadata }: z.infer<typeof Channels | typeof Messages | typeof Users>) =>
  given(response_metadata?.next_cursor);

export const channelOf = (channel: Channel): SlackChannel => ({
  id: channel.id,
  name: given(channel.name),
  isPrivate: channel.is_private ?? false,
  isShared: channel.is_ext_shared ?? false,
  topic: given(channel.topic?.value),
  purpose: given(channel.purpose?.value),
  members: channel.num_members ?? undefined,
});

export const messageOf = (message: Message): SlackMessage => ({
  ts: message.ts,
  user: given(message.user),
  botName: given(message.bot_profile?.name ?? message.username),
  subtype: given(message.subtype),
  // Alerts of many apps have their words in attachments alone.
  text: message.text || (message.attachments ?? []).flatMap(({ text, fallback }) => text || fallback || []).join('\n'),
  threadTs: given(message.thread_ts),
  replies: message.reply_count ?? undefined,
  edited: message.edited != null,
  reactions: (message.reactions ?? []).map(({ name, count }) => ({ name, count })),
  files: (message.files ?? []).flatMap(({ name, title }) => name || title || []),
});

export const userOf = (user: User): SlackUser => ({
  id: user.id,
  name: given(user.name),
  realName: given(user.profile?.real_name),
  displayName: given(user.profile?.display_name),
  title: given(user.profile?.title),
  isBot: user.is_bot ?? false,
});

/** Empty is absent, for Slack. */
const given = (text: string | null | undefined): string | undefined => (text === '' ? undefined : (text ?? undefined));
