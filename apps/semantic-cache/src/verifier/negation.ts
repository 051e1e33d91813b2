import { FRENCH_NE, FRENCH_PAS, NEGATIONS } from './lexicon.js';
import type { Word } from './words.js';

/**
 * Negations of a text. The two halves of a French one count once, "ne … que" is no negation, and "or not" at the end of a question
 * asks the same without it.
 */
export function negationsOf(text: string, words: readonly Word[]): number {
  const folded = words.map((word) => word.folded);
  let count = text.match(/(?<!\p{L})\p{L}+n['’]t(?!\p{L})/giu)?.length ?? 0;
  let ne = 0;
  let pas = 0;
  folded.forEach((word, at) => {
    if (isAlternative(folded, at)) return;
    if (FRENCH_NE.has(word)) ne += Number(isNe(folded, at) && !isOnly(folded, at));
    else if (FRENCH_PAS.has(word)) pas += 1;
    else if (NEGATIONS.has(word)) count += Number(!(word.startsWith('aucun') && isDenied(folded, at)));
  });
  return count + Math.max(ne, pas);
}

/** "or not", "or why not", "ou non", "ou pas". */
function isAlternative(folded: readonly string[], at: number): boolean {
  const before = folded[folded[at - 1] === 'why' ? at - 2 : at - 1];
  return before === 'or' || before === 'ou';
}

/** "n" is what is left of "n'a pas", not of "n-gram" or "n people". */
const isNe = (folded: readonly string[], at: number): boolean =>
  folded[at] === 'ne' || /^[aeiouyh]/.test(folded[at + 1] ?? '');

function isOnly(folded: readonly string[], at: number): boolean {
  const after = folded.slice(at + 2, at + 4);
  return (
    after.some((word) => word === 'que' || word === 'qu') &&
    !folded.slice(at + 1, at + 4).some((word) => FRENCH_PAS.has(word))
  );
}

const isDenied = (folded: readonly string[], at: number): boolean =>
  folded.slice(Math.max(0, at - 6), at).some((word) => FRENCH_NE.has(word));
