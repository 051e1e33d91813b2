const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * A text as Slack takes it, so that all of it is shown: in Slack `<…>` alone calls channels, groups and people, and gives a
 * link another name. Only the people in `mention`, by id, are called, before the text.
 */
export const writtenText = (text: string, mention: readonly string[] = []): string =>
  [...mention.map((user) => `<@${user}>`), text.replace(/[&<>]/g, (sign) => ESCAPED[sign] ?? '')].join(' ');
