import { createHash } from 'node:crypto';
import type { CacheQuestion, ToolResult } from '@portico/contracts';
import { DIMENSIONS } from '@portico/embedding';
import type { Embedded, Embedder } from '@portico/embedding';
import type { Verifier } from '../src/verifier.js';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface Asking {
  readonly tenant?: string;
  readonly scope?: string;
  readonly tool?: string;
  readonly args?: unknown;
  readonly texts?: readonly string[];
  readonly threshold?: number;
  readonly candidates?: number;
  readonly verify?: 'verifier' | 'cosine';
  readonly guards?: 'on' | 'off';
}

/** A question as a front door makes it: everything that must be equal is in the hashes. */
export const question = (asking: Asking = {}): CacheQuestion => {
  const { tenant = 'acme', scope = tenant, tool = 'wiki.search', args = {}, texts } = asking;
  const equal = JSON.stringify([tenant, scope, tool, args]);
  const { threshold = 0.95, candidates = 0.85, verify = 'verifier', guards = 'on' } = asking;
  return {
    tenant,
    tool,
    keyHash: sha256(`key ${equal} ${JSON.stringify(texts)}`),
    ...(texts && {
      similar: { structHash: sha256(`structure ${equal}`), texts: [...texts], candidates, threshold, verify, guards },
    }),
  };
};

export const answer = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });

/** Pseudo-random numbers from a text, the same on every machine. */
export const numbersOf = (text: string, count: number): Float32Array => {
  const numbers = new Float32Array(count);
  for (let at = 0, block = 0; at < count; block += 1) {
    const bytes = createHash('sha256').update(`${block} ${text}`).digest();
    for (let i = 0; i < 32 && at < count; i += 4, at += 1) numbers[at] = bytes.readInt32LE(i) / 2 ** 31;
  }
  return numbers;
};

export const unit = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
};

/**
 * An embedder for tests of the store: a text's place is that of its subject, what stands before "~"; what stands after it is a small
 * number, by which it is moved away. "tea~0" and "tea~1" have a cosine of about 0.995, "tea~0" and "tea~9" of about 0.7.
 */
export class PlacedEmbedder implements Embedder {
  readonly read: string[] = [];
  failing = false;
  delayMs = 0;
  closed = false;
  /** What it gives instead of a text's vector. */
  broken: ((text: string, vector: Float32Array) => Float32Array) | undefined;

  constructor(readonly fingerprint = 'placed') {}

  async embed(texts: readonly string[]): Promise<readonly Embedded[]> {
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    if (this.failing) throw new Error('no model today');
    this.read.push(...texts);
    return texts.map((text) => {
      const vector = this.broken?.(text, this.place(text)) ?? this.place(text);
      return { vector, words: [], cut: text.startsWith('long ') };
    });
  }

  place(text: string): Float32Array {
    const [subject = '', moved = '0'] = text.split('~');
    const base = unit(numbersOf(`${this.fingerprint} ${subject}`, DIMENSIONS));
    const away = unit(numbersOf(`${this.fingerprint} away ${text}`, DIMENSIONS));
    return unit(base.map((value, i) => value + away[i]! * (Number(moved) || 0) * 0.1));
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

/** A verifier for tests of the store: the cosine is the score, and "not" in one text alone refuses. */
export const plainVerifier: Verifier = {
  keep: (text) => Buffer.from(`kept of ${text}`),
  verify: (asked, stored, cosine, { guards }) => {
    if (!Buffer.from(stored.kept).equals(Buffer.from(`kept of ${stored.text}`))) throw new Error('not what was kept');
    if (stored.text.includes('explode')) throw new Error('a guard that fails');
    if (guards === 'on' && asked.text.includes('not') !== stored.text.includes('not')) return { refused: 'negation' };
    return { score: cosine };
  },
};
