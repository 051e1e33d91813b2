import type { SlackMessage } from '@portico/contracts';
import { cutText } from '@portico/domain-kit';

/** A message as agents see it; its text from one character on, at most so many. */
export const messageView = (message: SlackMessage, from: number) => ({
  ts: message.ts,
  user: message.user,
  bot: message.botName,
  kind: message.subtype,
  text: cutText(
    message.text,
    from,
    MOST_TEXT,
    (next) => `slack.read_thread with this ts as thread_ts, limit 1 and text_from ${next} shows what comes next`,
  ),
  thread_ts: message.threadTs,
  replies: message.replies,
  edited: message.edited || undefined,
  reactions: message.reactions.length > 0 ? message.reactions : undefined,
  files: message.files.length > 0 ? message.files : undefined,
});

/** Of each text so many characters are shown. */
export const MOST_TEXT = 4_000;
