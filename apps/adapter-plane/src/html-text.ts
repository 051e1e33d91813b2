/** Text as the HTML that Plane keeps: paragraphs and line breaks, everything else in it shown as it is. */
export const htmlOf = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('');

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one]!);

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'",
  nbsp: ' ',
};

/** What a reader of the HTML reads: paragraphs, lines and list items on lines of their own, no other markup. */
export const textOf = (html: string | null | undefined): string =>
  (html ?? '')
    .replace(/<li\b[^<>]*>/gi, '- ')
    .replace(/<br\b[^<>]*>|<\/(?:li|tr|h[1-6]|div|pre|blockquote)>/gi, '\n')
    .replace(/<\/p>/gi, '\n\n')
    .replace(/<\/t[dh]>/gi, '\t')
    .replace(/<[^<>]*>/g, '')
    .replace(/&([a-z]{2,4}|#39|#x27);/gi, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
