import { CALENDAR, NUMBER_WORDS, ORDINALS, UNITS } from './lexicon.js';
import { fold } from './words.js';

/** Numbers, dates, versions, quoted and identifier-like tokens of a text, in one spelling each: what must be the same in both. */
export interface Literals {
  readonly exact: readonly string[];
  /** Units, days and months: one instead of another is refused; one more is left to the score. */
  readonly measures: readonly string[];
}

/** Digits with their separators, and what is written to them: 30,000 · 1.4.2 · 14:05 · 10th · i3 · M605x · 50% · -5. */
const WITH_DIGITS =
  /[\p{L}_]*(?:(?<![\p{L}\p{N}])[-−+])?\d[\p{L}\p{N}_]*(?:[.,:/_@#%°$€£+=-]+[\p{L}\p{N}_]+)*(?:\s?[%°$€£])?/gu;
const GROUPED = /^[-+]?\d{1,3}(?:[,'’]\d{3})+(?:\.\d+)?$|^[-+]?\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?$/;
const QUOTED =
  /"([^"]{1,200})"|“([^”]{1,200})”|«\s*([^»]{1,200}?)\s*»|`([^`]{1,200})`|(?<![\p{L}\p{N}])'([^'\s]{1,200})'(?![\p{L}\p{N}])/gu;
/** Words joined as no language joins them: foo_bar, a.b, kube-system/x, user@host, #tag, --flag, team-a, getUser, vitamin C. */
const JOINED = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${[
    String.raw`(?:--?|[#@/$~])?[\p{L}\p{N}]+(?:[_./\\:@#=]+[\p{L}\p{N}]+)+`,
    String.raw`[#@$~][\p{L}\p{N}][\p{L}\p{N}_-]*`,
    String.raw`--\p{L}[\p{L}\p{N}-]*`,
    String.raw`\p{Ll}{2,}\p{Lu}[\p{L}\p{N}]*`,
    String.raw`\p{L}+[+#]+(?![\p{L}\p{N}])`,
    String.raw`\p{L}{2,}-\p{L}(?![\p{L}\p{N}'’-])`,
    String.raw`(?<!['’.&])[B-HJ-Z](?![\p{L}\p{N}'’.&])`,
  ].join('|')})`,
  'gu',
);

export function literalsOf(text: string): Literals {
  const read = text
    .normalize('NFKC')
    .replace(/^\P{Ll}*$/u, (shouted) => shouted.toLowerCase())
    .replace(/\b(?:pour|per) ?cent\b/giu, '%')
    .replace(/(\d)\s+%/g, '$1%')
    .replace(/(?<=\d ?)([KMGT])o(?!\p{L})/gu, '$1b')
    .replace(/(?<=(?<![\p{L}\d])\d{1,3}(?: \d{3})*)[\u0020\u00a0\u202f](?=\d{3}(?!\d))/gu, '');
  const exact: string[] = [];
  const rest = read
    .replace(WITH_DIGITS, (token) => {
      // "15-year-old" is a number and words.
      const [, number = token, words = ''] = /^(\d+)((?:-\p{L}{2,})+)$/u.exec(token) ?? [];
      exact.push(numberOf(number));
      return ` ${words} `;
    })
    .replace(JOINED, (token) => {
      if (!isPlainJoin(token)) exact.push(caseOf(token));
      return token;
    });
  const measures: string[] = [];
  for (const match of rest.matchAll(/\p{L}+/gu)) {
    const word = fold(match[0]);
    const number = NUMBER_WORDS.get(word);
    if (number !== undefined) exact.push(number);
    const measure = UNITS.get(word) ?? CALENDAR.get(word) ?? ORDINALS.get(word);
    if (measure !== undefined) measures.push(measure);
  }
  // A unit that is written to its number is taken off it, so that "10 ms" and "10ms" are one.
  return {
    exact: exact.flatMap((token) => splitUnit(token, measures)).sort(),
    measures: [...new Set(measures)].sort(),
  };
}

/** What is quoted, sorted: compared only when both texts quote something. */
export function quotesOf(text: string): string[] {
  return [...text.matchAll(QUOTED)]
    .map((match) => fold(match.slice(1).find((part) => part !== undefined) ?? '').trim())
    .sort();
}

/** A capital that begins a name is left to the writer: Node.js is node.js, but README.md is not readme.md. */
const caseOf = (token: string): string =>
  token.replace(/(?<!\p{L})\p{Lu}(?=\p{Ll}*(?!\p{L}))/gu, (capital) => capital.toLowerCase());
/** Keys such as "dQw4w9WgXcQ": of a unit or a model's name the case says nothing. */
const isKey = (token: string): boolean => token.length >= 8 && /\p{Ll}\p{Lu}/u.test(token);

function numberOf(token: string): string {
  const plain = (isKey(token) ? token : token.toLowerCase())
    .replace(/−/g, '-')
    .replace(/\s/g, '')
    .replace(/[.,:/-]+$/, '');
  if (GROUPED.test(plain))
    return plain
      .replace(/[,'’](?=\d{3})/g, '')
      .replace(/\.(?=\d{3}(?:\D|$).*)/g, (dot) => (plain.split('.').length > 2 ? '' : dot));
  return plain.replace(/^(\d+),(\d+)(?=\D?$)/, '$1.$2').replace(/^\+(?=\d)/, '');
}

function splitUnit(token: string, measures: string[]): string[] {
  const match = /^(-?\d+(?:\.\d+)?)(\p{L}+|[%°$€£])$/u.exec(token);
  if (!match) return [token];
  const [, number = '', unit = ''] = match;
  const ordinal = /^(?:st|nd|rd|th|er|ere|e|eme)$/.test(fold(unit));
  if (ordinal) return ['#' + number];
  const measure = UNITS.get(fold(unit)) ?? { '%': 'percent', $: 'dollar', '€': 'euro', '£': 'gbp' }[unit];
  if (measure === undefined) return [token];
  measures.push(measure);
  return [number];
}

/** "and/or", "his/her", "it's.The": prose joins words by a slash or a missing space as well, when they are plain lower-case ones. */
const isPlainJoin = (token: string): boolean =>
  /^\p{L}?\p{Ll}+\/\p{L}?\p{Ll}+$/u.test(token) ||
  /^\p{L}?\p{Ll}+\.\p{Lu}\p{Ll}*$/u.test(token) ||
  /^(?:e\.g|i\.e|p\.m|a\.m|u\.s|u\.k)$/i.test(token);
