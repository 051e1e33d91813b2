import { OPPOSITE_PAIRS } from './lexicon.js';
import { literalsOf, quotesOf } from './literals.js';
import { negationsOf } from './negation.js';
import type { Word } from './words.js';

export type GuardRefusal = 'numbers' | 'negation' | 'order';

interface Guarded {
  readonly text: string;
  readonly words: readonly Word[];
}

/** Why one text may not answer for the other, whatever their likeness. */
export function refusedByGuards(a: Guarded, b: Guarded): GuardRefusal | undefined {
  if (!sameLiterals(a.text, b.text)) return 'numbers';
  if (negationsOf(a.text, a.words) % 2 !== negationsOf(b.text, b.words) % 2) return 'negation';
  if (areOpposed(a.words, b.words)) return 'negation';
  return sameOrder(a.words, b.words) ? undefined : 'order';
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

/** Whether the content words that both texts have stand in the same order in both. */
function sameOrder(a: readonly Word[], b: readonly Word[]): boolean {
  const order = (own: readonly Word[], other: readonly Word[]): string => {
    const shared = new Set(other.filter((word) => word.heavy).map((word) => word.stem));
    const counts = (words: readonly Word[], stem: string): number => words.filter((word) => word.stem === stem).length;
    const met = new Set<string>();
    return own
      .filter(({ heavy, stem }) => {
        if (!heavy || !shared.has(stem)) return false;
        const first = !met.has(stem);
        met.add(stem);
        return first || counts(own, stem) === counts(other, stem);
      })
      .map(({ stem }) => stem)
      .join(' ');
  };
  return order(a, b) === order(b, a);
}
