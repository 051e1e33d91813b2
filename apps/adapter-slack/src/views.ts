import type { SlackMessage } from '@portico/contracts';

/** A message as agents see it; its text from one character on, at most so many. */
export const messageView = (message: SlackMessage, from: number) => ({
  ts: message.ts,
  user: message.user,
  bot: message.botName,
  kind: message.subtype,
  text: cutText(message.text, from),
  thread_ts: message.threadTs,
  replies: message.replies,
  edited: message.edited || undefined,
  reactions: message.reactions.length > 0 ? message.reactions : undefined,
  files: message.files.length > 0 ? message.files : undefined,
});

/** Of each text so many characters are shown. */
export const MOST_TEXT = 4_000;

/** What is cut off is said, and how to get it. */
function cutText(text: string, from: number): string {
  const end = Math.min(from + MOST_TEXT, text.length);
  const shown = text.slice(from, end);
  return end < text.length
    ? `${shown}\n[cut: characters ${from} to ${end} of ${text.length}. slack.read_thread with this ts as thread_ts, limit 1 and text_from ${end} shows what comes next]`
    : shown;
}
