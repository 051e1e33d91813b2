import type { Word } from './words.js';

/** A content word, and its vector. */
export interface ContentWord {
  readonly word: Word;
  readonly vector: Float32Array;
}

/** How a content word is met in the other text. */
export interface Match {
  readonly own: ContentWord;
  /** Best cosine to a content word of the other text; 0 when that has none. */
  readonly cosine: number;
  /** The other text has the same word, or another form or spelling of it. */
  readonly same: boolean;
}

/** Each content word of one text against all of the other, and the other way round. */
export function align(a: readonly ContentWord[], b: readonly ContentWord[]): [Match[], Match[]] {
  const [stemsA, stemsB] = [a, b].map((words) => new Set(words.map(({ word }) => word.stem)));
  const [bestA, bestB] = [new Float64Array(a.length), new Float64Array(b.length)];
  a.forEach((one, i) => {
    b.forEach((other, j) => {
      const cosine = dot(one.vector, other.vector);
      bestA[i] = Math.max(bestA[i]!, cosine);
      bestB[j] = Math.max(bestB[j]!, cosine);
    });
  });
  return [
    a.map((own, i) => ({ own, cosine: bestA[i]!, same: stemsB!.has(own.word.stem) })),
    b.map((own, j) => ({ own, cosine: bestB[j]!, same: stemsA!.has(own.word.stem) })),
  ];
}

/** Cosine of the means of two sets of vectors; 1 of two empty ones, 0 of one. */
export function cosineOfMeans(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 1 : 0;
  const [sumA, sumB] = [sumOf(a), sumOf(b)];
  return dot(sumA, sumB) / Math.sqrt(dot(sumA, sumA) * dot(sumB, sumB) || 1);
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}

function sumOf(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]!.length);
  for (const vector of vectors) for (let i = 0; i < sum.length; i += 1) sum[i]! += vector[i]!;
  return sum;
}
