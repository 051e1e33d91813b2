import type { Match } from './alignment.js';
import { CONJUNCTIONS, PREPOSITIONS } from './word-classes.js';
import type { Word } from './words.js';

/** What the words are to their text that the other text has not: names, places, modifiers. */
const stemsOf = (fresh: readonly Match[]): ReadonlySet<string> => new Set(fresh.map(({ own }) => own.word.stem));
const ledIn = (words: readonly Word[], at: number): boolean =>
  words.slice(Math.max(0, at - 3), at).some(({ folded }) => PREPOSITIONS.has(folded));

/** New words spelled with a capital inside a sentence. */
export function namesAmong(fresh: readonly Match[], { words, text }: { words: readonly Word[]; text: string }): number {
  if (text === text.toUpperCase()) return 0;
  return fresh.filter(({ own }) => /^\p{Lu}/u.test(own.word.text) && own.word.text !== words[0]?.text).length;
}

/** New words that a preposition leads in: where, for whom, with what. */
export function newlyLedIn(words: readonly Word[], fresh: readonly Match[]): number {
  const stems = stemsOf(fresh);
  return words.filter(({ stem, content }, at) => content && stems.has(stem) && ledIn(words, at)).length;
}

/** Whether the text ends in a new word that a preposition leads in. */
export function endsInNewPlace(words: readonly Word[], fresh: readonly Match[]): boolean {
  const last = words.at(-1);
  return last !== undefined && stemsOf(fresh).has(last.stem) && ledIn(words, words.length - 1);
}

/** How rare a new word is that stands right before one that both texts have: "grey wolf", "Android phone". */
export function modifierRarity(
  words: readonly Word[],
  fresh: readonly Match[],
  rarity: (word: Word) => number,
): number {
  const stems = stemsOf(fresh);
  const modifies = ({ heavy, stem }: Word, at: number): boolean => {
    const next = words[at + 1];
    return heavy && stems.has(stem) && next?.content === true && !stems.has(next.stem);
  };
  return Math.max(0, ...words.filter(modifies).map(rarity));
}

/** New words that a conjunction adds to one that both texts have: "taken and avoided", "chante et danse". */
export function newlyJoined(words: readonly Word[], fresh: readonly Match[]): number {
  const stems = stemsOf(fresh);
  const joins = (at: number): boolean => CONJUNCTIONS.has(words[at]?.folded ?? '');
  return words.filter(
    ({ heavy, stem }, at) => heavy && stems.has(stem) && (joins(at - 1) || joins(at - 2) || joins(at + 1)),
  ).length;
}

/** Most new content words with none that both have between them. */
export function longestNewRun(words: readonly Word[], fresh: readonly Match[]): number {
  const stems = stemsOf(fresh);
  let longest = 0;
  let run = 0;
  for (const { content, stem } of words) {
    if (content) run = stems.has(stem) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** Words to put in, take out or exchange to make one list the other. */
export function editDistance(a: readonly string[], b: readonly string[]): number {
  let row = b.map((_, at) => at + 1);
  for (const [i, one] of a.entries()) {
    let left = i + 1;
    let diagonal = i;
    row = row.map((above, j) => {
      left = Math.min(above + 1, left + 1, diagonal + Number(one !== b[j]));
      diagonal = above;
      return left;
    });
  }
  return row.at(-1) ?? a.length;
}

/** Share of three-letter pieces that both texts have. */
export function trigramLikeness(a: string, b: string): number {
  const [one, other] = [trigramsOf(a), trigramsOf(b)];
  if (one.size + other.size === 0) return 1;
  return (2 * [...one].filter((piece) => other.has(piece)).length) / (one.size + other.size);
}

function trigramsOf(text: string): ReadonlySet<string> {
  const bare = ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
  return new Set(Array.from({ length: Math.max(0, bare.length - 2) }, (_, at) => bare.slice(at, at + 3)));
}
