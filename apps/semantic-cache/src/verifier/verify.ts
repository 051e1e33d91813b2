import type { EmbeddedWord } from '@portico/embedding';
import type { AskedText, StoredText, Verdict, Verifier, VerifyMode } from '../verifier.js';
import type { ContentWord } from './alignment.js';
import { rarityOf } from './common-words.js';
import { featuresOf, type ReadText } from './features.js';
import { refusedByGuards } from './guards.js';
import { scoreOf } from './score.js';
import { decodeWords, encodeWords } from './stored-words.js';
import { wordsOf } from './words.js';

/** More content words than this take too long to compare: about 5 ms of a core. */
const MOST_CONTENT_WORDS = 96;
/** More characters than 256 word pieces of prose have; the guards' patterns look at every one. */
const MOST_CHARACTERS = 2_048;

/**
 * Reads both texts: guards, then a calibrated score. Pure, and bounded in time by the model's window. Throws when stored words are not
 * those of their text: take it for a miss.
 */
export const readingVerifier: Verifier = {
  keep: (_text, read) => encodeWords(read),
  verify: (asked, stored, cosine, mode) => {
    const pair = readPair(asked, stored);
    if (pair === undefined) return { refused: 'length' };
    return judge(pair, cosine, mode);
  },
};

export interface Pair {
  readonly a: ReadText;
  readonly b: ReadText;
}

/** Both texts with the vectors of their content words; nothing when one is too long to be read whole. */
export function readPair(asked: AskedText, { text, kept }: StoredText): Pair | undefined {
  const stored = decodeWords(kept);
  if (asked.read.cut || stored.cut || Math.max(asked.text.length, text.length) > MOST_CHARACTERS) return undefined;
  const pair = { a: withVectors(asked.text, asked.read.words), b: withVectors(text, stored.words) };
  return Math.max(pair.a.content.length, pair.b.content.length) > MOST_CONTENT_WORDS ? undefined : pair;
}

function judge({ a, b }: Pair, cosine: number, { verify, guards }: VerifyMode): Verdict {
  const refused = guards === 'on' || verify === 'verifier' ? refusedByGuards(a, b) : undefined;
  if (refused !== undefined) return { refused };
  if (verify === 'cosine') return { score: cosine };
  if (a.text === b.text) return { score: 1 };
  return { score: scoreOf(featuresOf(cosine, a, b, rarityOf)) };
}

/** A text's words; content words have their vectors, which stand in the order of the text. */
function withVectors(text: string, vectors: readonly EmbeddedWord[]): ReadText {
  const normal = text.normalize('NFC');
  const words = wordsOf(normal);
  const content: ContentWord[] = [];
  let at = 0;
  for (const word of words) {
    if (!word.content) continue;
    while (at < vectors.length && vectors[at]!.text.normalize('NFC') !== word.text) at += 1;
    const found = vectors[at];
    if (found === undefined) throw new Error('The words of a text are not those that its vectors were made of.');
    content.push({ word, vector: found.vector });
    at += 1;
  }
  return { text: normal, words, content };
}
