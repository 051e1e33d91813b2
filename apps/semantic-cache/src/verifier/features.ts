import { align, cosineOfMeans, type ContentWord, type Match } from './alignment.js';
import { changedQuestion, isDefinition, looseQuestionOf, questionOf } from './questions.js';
import {
  endsInNewPlace,
  editDistance,
  longestNewRun,
  modifierRarity,
  namesAmong,
  newlyJoined,
  newlyLedIn,
  trigramLikeness,
} from './differences.js';
import {
  CONJUNCTIONS,
  DEGREES,
  FIRST_PERSON,
  FRENCH,
  MODALS,
  PREPOSITIONS,
  THIRD_PERSON,
  YES_NO,
} from './word-classes.js';
import type { Word } from './words.js';

/** A text as the score sees it. */
export interface ReadText {
  readonly text: string;
  readonly words: readonly Word[];
  readonly content: readonly ContentWord[];
}
export type Rarity = (word: Word) => number;

/** The numbers by which the score knows a pair of texts; the same whichever of the two comes first. */
export function featuresOf(cosine: number, a: ReadText, b: ReadText, rarity: Rarity): Record<string, number> {
  const [ab, ba] = align(a.content, b.content);
  const [newA, newB] = [ab.filter(({ same }) => !same), ba.filter(({ same }) => !same)];
  const [all, fresh] = [
    [...ab, ...ba],
    [...newA, ...newB],
  ];
  const shared = all.filter(({ same }) => same);
  const [functionsA, functionsB] = [functionsOnlyIn(a.words, b.words), functionsOnlyIn(b.words, a.words)];
  const functions = [...functionsA, ...functionsB];
  const [missingA, missingB] = [missing(newA, rarity), missing(newB, rarity)];
  const [lengthA, lengthB] = [a.words.length, b.words.length];
  const [scopeA, scopeB] = [newlyLedIn(a.words, newA), newlyLedIn(b.words, newB)];
  const stems = (text: ReadText): string[] => text.words.map(({ stem }) => stem);
  return {
    cosine,
    logDistance: Math.log(Math.max(1e-3, 1 - cosine)),
    weakest: Math.min(weakest(ab), weakest(ba)),
    weakestOther: Math.max(weakest(ab), weakest(ba)),
    weakestNew: weakest(fresh),
    meanMatch: mean(all),
    meanNew: mean(fresh),
    sharedMean: mean(shared),
    sharedWeakest: weakest(shared),
    below: mean(shared) - weakest(fresh),
    contrast: cosineOfMeans(vectorsOf(newA), vectorsOf(newB)),
    oneForOne: newA.length === 1 && newB.length === 1 ? 1 - weakest(fresh) : 0,
    newWords: Math.log1p(fresh.length),
    heavyNew: fresh.filter(({ own }) => own.word.heavy).length,
    overlap: ratio(shared.length, all.length),
    rareShare: ratio(rarities(fresh, rarity), rarities(all, rarity)),
    rarest: Math.max(0, ...fresh.map(({ own }) => rarity(own.word))),
    missing: Math.max(missingA, missingB),
    missingOther: Math.min(missingA, missingB),
    missingAll: missing(all, rarity),
    names: Number(namesAmong(newA, a) + namesAmong(newB, b) > 0),
    scope: scopeA + scopeB,
    scopeBoth: Math.min(scopeA, scopeB),
    endsElsewhere: Number(endsInNewPlace(a.words, newA) || endsInNewPlace(b.words, newB)),
    modifierRarity: Math.max(modifierRarity(a.words, newA, rarity), modifierRarity(b.words, newB, rarity)),
    newTogether: Math.max(longestNewRun(a.words, newA), longestNewRun(b.words, newB)),
    lastChanged: Number(a.content.at(-1)?.word.stem !== b.content.at(-1)?.word.stem),
    editWords: editDistance(stems(a), stems(b)) / Math.max(1, Math.min(lengthA, lengthB)),
    letters: trigramLikeness(a.text, b.text),
    functions: functions.length,
    functionsBoth: Math.min(functionsA.length, functionsB.length),
    prepositions: functions.filter((word) => PREPOSITIONS.has(word)).length,
    degrees: functions.filter((word) => DEGREES.has(word)).length,
    modals: Number(has(a, MODALS) !== has(b, MODALS)),
    firstPerson: Number(has(a, FIRST_PERSON) !== has(b, FIRST_PERSON)),
    thirdPerson: Number(has(a, THIRD_PERSON) !== has(b, THIRD_PERSON)),
    joined: newlyJoined(a.words, newA) + newlyJoined(b.words, newB),
    conjunctions: Math.abs(count(a, CONJUNCTIONS) - count(b, CONJUNCTIONS)),
    question: Number(questionOf(a) !== questionOf(b)),
    questionLoose: Number(looseQuestionOf(a) !== looseQuestionOf(b)),
    yesNo: Number(changedQuestion(a, b, 'yesno')),
    where: Number(changedQuestion(a, b, 'where')),
    definition: Number(isDefinition(a.words) !== isDefinition(b.words)),
    sentences: Math.abs(sentencesOf(a.text) - sentencesOf(b.text)),
    shorter: Math.log1p(Math.min(lengthA, lengthB)),
    lengths: Math.abs(Math.log((1 + lengthA) / (1 + lengthB))),
    contentWords: Math.log1p(Math.min(a.content.length, b.content.length)),
    french: Number(isFrench(a) || isFrench(b)),
  };
}

const vectorsOf = (matches: readonly Match[]): Float32Array[] => matches.map(({ own }) => own.vector);
const weakest = (matches: readonly Match[]): number => Math.min(1, ...matches.map(({ cosine }) => cosine));
const mean = (matches: readonly Match[]): number =>
  matches.length === 0 ? 1 : sum(matches.map(({ cosine }) => cosine)) / matches.length;
const rarities = (matches: readonly Match[], rarity: Rarity): number => sum(matches.map(({ own }) => rarity(own.word)));
const missing = (matches: readonly Match[], rarity: Rarity): number =>
  sum(matches.map(({ own, cosine }) => rarity(own.word) * (1 - cosine)));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const ratio = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

function functionsOnlyIn(own: readonly Word[], other: readonly Word[]): string[] {
  const there = new Set(other.map(({ folded }) => folded));
  return [...new Set(own.filter(({ content, folded }) => !content && !there.has(folded)).map(({ folded }) => folded))];
}

const count = ({ words }: ReadText, some: ReadonlySet<string>): number =>
  words.filter(({ folded }) => some.has(folded)).length;
const has = (text: ReadText, some: ReadonlySet<string>): boolean => count(text, some) > 0;
const isFrench = (text: ReadText): boolean =>
  has(text, FRENCH) && !YES_NO.has(text.words[0]!.folded) && count(text, FRENCH) * 5 >= text.words.length;
const sentencesOf = (text: string): number =>
  text.split(/[.?!？;]+(?:\s|$)/u).filter((part) => part.trim() !== '').length;
