import type { Embedded } from './embedder.js';
import { DIMENSIONS } from './embedder.js';
import type { WordPieces } from './word-pieces.js';

/** What the model said of one text, from its first token on, as one vector for the text and one for each word of it. */
export function readVectors({ ids, words, cut }: WordPieces, states: Float32Array, first: number): Embedded {
  const mean = (from: number, to: number): Float32Array => {
    const sum = new Float32Array(DIMENSIONS);
    for (let token = first + from; token < first + to; token += 1) {
      const at = token * DIMENSIONS;
      for (let i = 0; i < DIMENSIONS; i += 1) sum[i]! += states[at + i]!;
    }
    return toLengthOne(sum);
  };
  return {
    vector: mean(0, ids.length),
    words: words.map(({ text, from, to }) => ({ text, vector: mean(from, to) })),
    cut,
  };
}

function toLengthOne(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!(length > 0 && length < Infinity)) throw new Error('The embedding model gave a vector that has no length.');
  for (let i = 0; i < vector.length; i += 1) vector[i]! /= length;
  return vector;
}
