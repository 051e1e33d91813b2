import { DIMENSIONS } from '@portico/embedding';
import type { AskedText, StoredText, Verdict, Verifier, VerifyMode } from './verifier.js';

/** More free texts than this in one call, and it is for equal questions alone. */
export const MOST_TEXTS = 16;
const VECTOR_BYTES = DIMENSIONS * 4;
const LENGTH_BYTES = 4;

/** One vector for all texts of a call: what entries are near is found by it, and each text is then compared with its own. */
export const vectorOf = (texts: readonly AskedText[]): Float32Array => {
  const first = texts[0]!.read.vector;
  if (texts.length === 1) return first;
  const sum = new Float32Array(DIMENSIONS);
  for (const { read } of texts) for (let i = 0; i < DIMENSIONS; i += 1) sum[i]! += read.vector[i]!;
  const length = Math.hypot(...sum);
  return length > 1e-3 ? sum.map((value) => value / length) : first;
};

/** The texts of a call as one text, which no other texts give. */
export const joinTexts = (texts: readonly string[]): string => JSON.stringify(texts);

/** What is kept beside the texts: for each its own vector, if there are several, and what the verifier needs. */
export const packTexts = (texts: readonly AskedText[], verifier: Verifier): Uint8Array => {
  const parts: Buffer[] = [];
  for (const { text, read } of texts) {
    const kept = verifier.keep(text, read);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(kept.byteLength);
    if (texts.length > 1) parts.push(bytesOf(read.vector));
    parts.push(length, Buffer.from(kept));
  }
  return Buffer.concat(parts);
};

interface Stored extends StoredText {
  /** Absent when it is the only one: then the store has compared it. */
  readonly vector: Float32Array | undefined;
}

/** The opposite of the two above. Throws when they do not fit. */
export const unpackTexts = (joined: string, packed: Uint8Array): readonly Stored[] => {
  const texts = JSON.parse(joined) as string[];
  let at = 0;
  const take = (bytes: number): Buffer => {
    if (at + bytes > packed.byteLength) throw new RangeError('A kept text is cut off.');
    const taken = Buffer.from(packed.buffer, packed.byteOffset + at, bytes);
    at += bytes;
    return taken;
  };
  return texts.map((text) => {
    const vector = texts.length > 1 ? floatsOf(take(VECTOR_BYTES)) : undefined;
    return { text, vector, kept: take(take(LENGTH_BYTES).readUInt32LE()) };
  });
};

/** The least that any text says of its own counterpart; a text that is refused refuses all. */
export const verifyTexts = (
  asked: readonly AskedText[],
  stored: readonly Stored[],
  whole: { readonly cosine: number; readonly candidates: number; readonly mode: VerifyMode },
  verifier: Verifier,
): Verdict => {
  if (asked.length !== stored.length || asked.length === 0) return { refused: 'score' };
  let score = Infinity;
  for (const [index, text] of asked.entries()) {
    const other = stored[index]!;
    const cosine = other.vector ? dot(text.read.vector, other.vector) : whole.cosine;
    if (cosine < whole.candidates - 1e-6) return { refused: 'score' };
    const verdict = verifier.verify(text, other, cosine, whole.mode);
    if ('refused' in verdict) return verdict;
    score = Math.min(score, verdict.score);
  }
  // A score that is no number serves nothing.
  return score >= 0 && score < Infinity ? { score } : { refused: 'score' };
};

const bytesOf = (vector: Float32Array): Buffer => {
  const bytes = Buffer.alloc(VECTOR_BYTES);
  for (let i = 0; i < DIMENSIONS; i += 1) bytes.writeFloatLE(vector[i]!, i * 4);
  return bytes;
};

const floatsOf = (bytes: Buffer): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, (_, i) => bytes.readFloatLE(i * 4));

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < DIMENSIONS; i += 1) sum += a[i]! * b[i]!;
  return sum;
};
