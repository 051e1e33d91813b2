import { WINDOW } from './embedder.js';
import type { Tokenizer } from './tokenizer.js';

/** A text as the model reads it: its pieces, and which of them make which word. */
export interface WordPieces {
  /** With the two marks that the model expects around a text. */
  readonly ids: readonly number[];
  readonly words: readonly { readonly text: string; readonly from: number; readonly to: number }[];
  /** The text has more than was read. */
  readonly cut: boolean;
}

/** Characters of a text that are looked at, many times what fits into the window; a longer text is cut, whatever it is made of. */
const MOST_CHARACTERS = 16_384;
/** The model knows no word of more than 100 characters: what is this long is one unknown piece, unless it is cut up by script. */
const MOST_OF_A_WORD = 1_024;
/** What the model's tokenizer drops before it splits: it must not split a word for us that it does not split for the model. */
const DROPPED = /[^\P{C}\t\n\r]|\ufffd/gu;
/** Words, and single marks between them, as the model's own pre-tokenizer has it. */
const SEGMENTS = /[^\s\p{P}\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e]+|[^\s]/gu;
const WORDLIKE = /[\p{L}\p{N}\p{S}]/u;
const ASCII_MARK = /^[\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e]$/;

/**
 * Splits a text, word by word, so that words keep their spelling and reading stops where the window ends. A text that spells
 * one of the model's marks ("[SEP]") is text.
 */
export function splitIntoPieces(text: string, tokenizer: Tokenizer, marks: { start: number; end: number }): WordPieces {
  const ids = [marks.start];
  const words: { text: string; from: number; to: number }[] = [];
  let cut = text.length > MOST_CHARACTERS;
  const read = text.slice(0, MOST_CHARACTERS).replace(DROPPED, '');
  for (const [segment] of read.matchAll(SEGMENTS)) {
    if (ids.length >= WINDOW - 1) {
      cut = true;
      break;
    }
    const pieces = tokenizer.encode(segment.slice(0, MOST_OF_A_WORD), { add_special_tokens: false }).ids;
    const from = ids.length;
    ids.push(...pieces.slice(0, WINDOW - 1 - from));
    cut ||= segment.length > MOST_OF_A_WORD || from + pieces.length > WINDOW - 1;
    if (ids.length > from && WORDLIKE.test(segment) && !ASCII_MARK.test(segment)) {
      words.push({ text: segment, from, to: ids.length });
    }
  }
  ids.push(marks.end);
  return { ids, words, cut };
}
