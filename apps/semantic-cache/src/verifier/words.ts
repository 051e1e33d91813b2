import { FUNCTION_WORDS, LIGHT_WORDS, NUMBER_WORDS, SAME_WORDS } from './lexicon.js';

/** A word of a text as the verifier compares it. */
export interface Word {
  /** As the text has it. */
  readonly text: string;
  /** Lower case, without accents. */
  readonly folded: string;
  /** What its inflections and spellings have in common. */
  readonly stem: string;
  /** A word that the text is about, whose vectors are kept and compared. */
  readonly content: boolean;
  /** A content word whose place in the text tells something. */
  readonly heavy: boolean;
}

/** The embedder's own words: what stands between white space and punctuation. */
const WORDS = /[^\s\p{P}\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e]+/gu;
const DROPPED = /[^\P{C}\t\n\r]|\ufffd/gu;
const WORDLIKE = /[\p{L}\p{N}\p{S}]/u;

export function wordsOf(text: string): Word[] {
  const spelled = [...text.replace(DROPPED, '').matchAll(WORDS)].map(([word]) => word);
  return spelled.filter((word) => WORDLIKE.test(word)).map(toWord);
}

export function isContent(text: string): boolean {
  return toWord(text).content;
}

export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/œ/g, 'oe');

function toWord(text: string): Word {
  const folded = fold(text);
  const content = !FUNCTION_WORDS.has(folded);
  return { text, folded, stem: stemOf(folded), content, heavy: content && !LIGHT_WORDS.has(folded) };
}

/** Endings, longest first, and what is left of a word at least when one is taken off. Rough on purpose: the vectors do the rest. */
const ENDINGS = [
  ['aient', ''],
  ['ies', 'y'],
  ['ait', ''],
  ['ing', ''],
  ['ed', ''],
  ['es', ''],
  ['s', ''],
  ['x', ''],
  ['ent', ''],
  ['er', ''],
  ['e', ''],
] as const;
const LEFT = 4;

function stemOf(folded: string): string {
  const same = SAME_WORDS.get(folded) ?? folded;
  const known = NUMBER_WORDS.get(same);
  if (known !== undefined || /\d/.test(same)) return known ?? same;
  for (const [ending, instead] of ENDINGS) {
    if (ending === 's' && /[uis]s$/.test(same)) continue;
    if (same.endsWith(ending) && same.length - ending.length >= LEFT) {
      const cut = same.slice(0, -ending.length) + instead;
      const bare = /([^aeiouls])\1$/.test(cut) ? cut.slice(0, -1) : cut;
      return bare.length > LEFT ? bare.replace(/e$/, '') : bare;
    }
  }
  return same;
}
