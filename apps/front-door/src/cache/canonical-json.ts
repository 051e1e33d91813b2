/**
 * JSON by RFC 8785: keys in the order of their UTF-16 units, numbers and texts as ECMAScript writes them. `text` is applied
 * to every key and text first. Only for what JSON can hold.
 */
export function canonicalJson(value: unknown, text: (given: string) => string = asItIs): string {
  if (typeof value === 'string') return JSON.stringify(text(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null, text)).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]): [string, string] => [text(key), canonicalJson(member, text)])
    .sort(([a, one], [b, other]) => (a < b ? -1 : a > b ? 1 : one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${member}`).join(',')}}`;
}

const asItIs = (given: string): string => given;

/** One spelling for a text that Unicode can spell in several ways. */
export const inNfc = (given: string): string => given.normalize('NFC');
