import { describe, expect, it } from '@jest/globals';
import { DIMENSIONS } from '@portico/embedding';
import { decodeWords, encodeWords } from './stored-words.js';

const vector = (seed: number): Float32Array => {
  const raw = Float32Array.from({ length: DIMENSIONS }, (_, i) => Math.sin(seed * 7 + i * i));
  const length = Math.hypot(...raw);
  return raw.map((value) => value / length);
};
const text = {
  cut: false,
  words: ['Quels', 'pods', 'ne', 'redémarrent', 'pas', '日本'].map((word, at) => ({ text: word, vector: vector(at) })),
};

describe('[SC-4] the stored side', () => {
  it('[SC-4] keeps the content words and their vectors, in 8 bits a number', () => {
    const bytes = encodeWords(text);
    const { cut, words } = decodeWords(bytes);
    expect(cut).toBe(false);
    expect(words.map((word) => word.text)).toEqual(['pods', 'redémarrent', '日本']);
    expect(bytes.length).toBeLessThan(3 * 410);
    for (const word of words) {
      const original = text.words.find((one) => one.text === word.text)!.vector;
      const cosine = original.reduce((sum, value, i) => sum + value * word.vector[i]!, 0) / Math.hypot(...word.vector);
      expect(cosine).toBeGreaterThan(0.9999);
    }
  });

  it('keeps that a text was cut, and a text without content words', () => {
    expect(decodeWords(encodeWords({ cut: true, words: [] }))).toEqual({ cut: true, words: [] });
  });

  it('reads bytes that are a view into others', () => {
    const bytes = encodeWords(text);
    const around = new Uint8Array(bytes.length + 7);
    around.set(bytes, 3);
    expect(decodeWords(around.subarray(3, 3 + bytes.length))).toEqual(decodeWords(bytes));
  });

  it('throws on bytes that it has not written', () => {
    const bytes = encodeWords(text);
    for (const wrong of [
      new Uint8Array(),
      Uint8Array.of(2, 0, 0, 0),
      bytes.subarray(0, 3),
      bytes.subarray(0, bytes.length - 1),
    ]) {
      expect(() => decodeWords(wrong)).toThrow();
    }
  });
});
