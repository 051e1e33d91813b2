import type { Word } from './words.js';

/** Who does what to whom, as far as the order of words and the form of verbs tell it. */

/** Whether the content words that both texts have stand in the same order in both. */
export function sameOrder(a: readonly Word[], b: readonly Word[]): boolean {
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

/** Whether both ask for what is done or both for who does it: "Which service calls billing?", "Which service does billing call?" */
export function sameSubject(a: readonly Word[], b: readonly Word[]): boolean {
  const content = (words: readonly Word[]): string[] =>
    words.filter((word) => word.content).map(({ stem }) => stem.replace(/s$/, ''));
  const [inA, inB] = [content(a), content(b)];
  const subjectAsked = [a, b].some((words) => !words.some(({ folded }) => AUXILIARIES.test(folded)));
  if (!subjectAsked || !(asksForObject(a) || asksForObject(b)) || inA.length !== inB.length) return true;
  return inA.join(' ') === inB.join(' ') || inA.sort().join(' ') !== inB.sort().join(' ');
}
const AUXILIARIES = /^(?:do|does|did|is|are|was|were|be|can|could|should|would|will)$/;
const asksForObject = (words: readonly Word[]): boolean =>
  words.slice(1).some(({ folded }) => /^(?:do|does|did)$/.test(folded));

const PARTICIPLES: ReadonlyMap<string, RegExp> = new Map([
  ['by', /(?:ed|[^aeiou]en|own|ilt|ent|ept|ost|ught|eld|ade|one|un|ut)$/],
  ['par', /..(?:e|es|ees|i|is|ie|ies|it|ite|ites|u|us|ue|ues)$/],
]);
const BE = /^(?:is|are|was|were|be|been|being|get|gets|got|est|sont|etait|etaient|fut|ete|etre|sera|seront)$/;

/** "was blocked by", "est bloqué par". */
const isPassive = (words: readonly Word[]): boolean =>
  words.some(
    ({ folded }, at) =>
      PARTICIPLES.get(folded)?.test(words[at - 1]?.folded ?? '') === true &&
      words.slice(0, at).some((word) => BE.test(word.folded)),
  );
const names = (words: readonly Word[]): boolean => words.some(({ folded }) => PARTICIPLES.has(folded));

/** Whether it is not that one text says by whom, in the passive, what the other says of whom: "invited", "was invited by". */
export const sameVoice = (a: readonly Word[], b: readonly Word[]): boolean =>
  isPassive(a) ? names(b) : !isPassive(b) || names(a);

/** Whether both compare alike: "as fast as", "faster than". */
export function sameComparison(a: readonly Word[], b: readonly Word[]): boolean {
  const [inA, inB] = [comparisonOf(a), comparisonOf(b)];
  return inA === undefined || inB === undefined || inA === inB;
}
function comparisonOf(words: readonly Word[]): 'equal' | 'more' | undefined {
  const folded = words.map((word) => word.folded);
  if (folded.includes('than') || folded.some((word, at) => /^(?:plus|moins)$/.test(word) && folded[at + 2] === 'que'))
    return 'more';
  const equal = folded.some(
    (word, at) => word === 'aussi' || (word === 'as' && folded.slice(at + 2, at + 4).includes('as')),
  );
  return equal ? 'equal' : undefined;
}

/** Whether no verb that both have is in the French imperfect in one of them alone: "dirige", "dirigeait". */
export function sameTense(a: readonly Word[], b: readonly Word[]): boolean {
  const wasDone = (words: readonly Word[]): ReadonlyMap<string, boolean> =>
    new Map(words.filter((word) => word.content).map(({ stem, folded }) => [stem, /..(?:ait|aient)$/.test(folded)]));
  const [inA, inB] = [wasDone(a), wasDone(b)];
  return [...inA].every(([stem, done]) => (inB.get(stem) ?? done) === done);
}
