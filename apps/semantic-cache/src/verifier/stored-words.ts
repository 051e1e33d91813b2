import { DIMENSIONS, type Embedded, type EmbeddedWord } from '@portico/embedding';
import { isContent } from './words.js';

/** What the verifier needs of a stored text beside the text itself. */
export type StoredWords = Pick<Embedded, 'cut'> & {
  /** The content words, in the order of the text, with vectors of length 1, about. */
  readonly words: readonly EmbeddedWord[];
};

/** First byte: other bytes have another, or are none of ours. */
const VERSION = 1;
const VECTOR_BYTES = 4 + DIMENSIONS;

/**
 * Content words and their vectors, in 8 bits a number: version; whether the text was cut; number of words; for each its length in bytes,
 * its text, what one step is worth, its steps. Little-endian; about 400 bytes a word.
 */
export function encodeWords({ cut, words }: Pick<Embedded, 'cut' | 'words'>): Uint8Array {
  const content = words.filter(({ text }) => isContent(text));
  const parts: Uint8Array[] = [Uint8Array.of(VERSION, Number(cut)), uint16(content.length)];
  for (const word of content) {
    const text = Buffer.from(word.text);
    parts.push(uint16(text.length), text, quantise(word.vector));
  }
  return Buffer.concat(parts);
}

/** Throws when the bytes are not what `encodeWords` writes. */
export function decodeWords(bytes: Uint8Array): StoredWords {
  const read = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (read[0] !== VERSION) throw new Error('Stored words of another format.');
  let at = 1;
  const take = (length: number): Buffer => {
    if (at + length > read.length) throw new Error('Stored words that end early.');
    at += length;
    return read.subarray(at - length, at);
  };
  const cut = take(1)[0] === 1;
  const words = Array.from({ length: take(2).readUInt16LE() }, () => {
    const text = take(take(2).readUInt16LE()).toString('utf8');
    return { text, vector: restore(take(VECTOR_BYTES)) };
  });
  return { cut, words };
}

function quantise(vector: Float32Array): Uint8Array {
  const step = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9) / 127;
  const bytes = Buffer.alloc(VECTOR_BYTES);
  bytes.writeFloatLE(step);
  vector.forEach((value, i) => bytes.writeInt8(Math.round(value / step), 4 + i));
  return bytes;
}

function restore(bytes: Buffer): Float32Array {
  const step = bytes.readFloatLE();
  return Float32Array.from({ length: DIMENSIONS }, (_, i) => bytes.readInt8(4 + i) * step);
}

const uint16 = (value: number): Uint8Array => Uint8Array.of(value & 255, value >> 8);
