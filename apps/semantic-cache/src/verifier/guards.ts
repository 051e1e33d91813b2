import type { GuardRefusal } from './guard-refusal.js';
import { NEGATIONS } from './lexicon.js';
import { literalsOf, quotesOf } from './literals.js';
import { negationsOf } from './negation.js';
import { OPPOSITE_PAIRS } from './opposites.js';
import { sameComparison, sameOrder, sameSubject, sameTense, sameVoice } from './roles.js';
import { refusedBySmallWords } from './small-words.js';
import type { Word } from './words.js';

interface Guarded {
  readonly text: string;
  readonly words: readonly Word[];
}

const ORDERS = [sameOrder, sameSubject, sameVoice, sameTense, sameComparison];

/** Why one text may not answer for the other, whatever their likeness. */
export function refusedByGuards(a: Guarded, b: Guarded): GuardRefusal | undefined {
  if (!sameLiterals(a.text, b.text) || !sameNames(a, b)) return 'numbers';
  if (negationsOf(a.text, a.words) % 2 !== negationsOf(b.text, b.words) % 2) return 'negation';
  if (areOpposed(a.words, b.words)) return 'negation';
  if (!ORDERS.every((same) => same(a.words, b.words))) return 'order';
  return refusedBySmallWords(a.words, b.words);
}

function sameLiterals(a: string, b: string): boolean {
  const [inA, inB] = [literalsOf(a), literalsOf(b)];
  if (inA.exact.join(' ') !== inB.exact.join(' ')) return false;
  const onlyA = inA.measures.some((measure) => !inB.measures.includes(measure));
  const onlyB = inB.measures.some((measure) => !inA.measures.includes(measure));
  if (onlyA && onlyB) return false;
  const [quotesA, quotesB] = [quotesOf(a), quotesOf(b)];
  return quotesA.length !== quotesB.length || quotesA.join('\n') === quotesB.join('\n');
}

/** Whether what is spelled as a name in one text is not spelled otherwise in the other: "US" and "us", "UserID" and "UserId". */
function sameNames(a: Guarded, b: Guarded): boolean {
  if (isShouted(a.text) || isShouted(b.text)) return true;
  const [inA, inB] = [spellingsOf(a.words), spellingsOf(b.words)];
  return [...inA].every(([folded, spelled]) => {
    const others = inB.get(folded);
    return others === undefined || others.join(' ') === spelled.join(' ');
  });
}

/** How each word is spelled that may be a name by it: with a capital inside; and function words in capitals or not. */
function spellingsOf(words: readonly Word[]): ReadonlyMap<string, readonly string[]> {
  const spellings = new Map<string, string[]>();
  for (const { folded, text, content } of words) {
    if (content ? !INNER_CAPITAL.test(text) : folded.length < 2 || NEGATIONS.has(folded)) continue;
    const spelled = content || text === text.toUpperCase() ? text : folded;
    spellings.set(folded, [...new Set([...(spellings.get(folded) ?? []), spelled])].sort());
  }
  return spellings;
}
const INNER_CAPITAL = /\p{Ll}\p{Lu}/u;
const isShouted = (text: string): boolean => text === text.toUpperCase();

/** Whether one text has a word, and the other its opposite in its place. */
function areOpposed(a: readonly Word[], b: readonly Word[]): boolean {
  const inA = new Set(a.map((word) => word.folded));
  const inB = new Set(b.map((word) => word.folded));
  const onlyA = [...inA].filter((word) => !inB.has(word));
  const onlyB = [...inB].filter((word) => !inA.has(word));
  return onlyA.some((one) =>
    onlyB.some((other) => OPPOSITE_PAIRS.has(`${one} ${other}`) || differByPrefix(one, other)),
  );
}

const REVERSING = /^(?:un|dis|non|in|im|il|ir|de|des|dis|mal|anti|re)$/;
/** "complete" and "incomplete", "publier" and "dépublier". */
function differByPrefix(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= 4 && long.endsWith(short) && REVERSING.test(long.slice(0, -short.length));
}
