import { DIMENSIONS } from '@portico/embedding';
import type { Histogram } from '@portico/observe';
import type { LazyEmbedder } from './lazy-embedder.js';
import type { AskedText } from './verifier.js';

/** More characters than the model's window can hold: it is not even asked. */
const MOST_CHARACTERS = 8_192;
const REMEMBERED = 256;

export interface ReadTexts {
  readonly texts: readonly AskedText[];
  /** Vectors of two fingerprints are never compared. */
  readonly fingerprint: string;
  /** One of them is longer than the model's window: it must not be compared. */
  readonly cut: boolean;
}

/** Reads texts with the model, and remembers what was read for a question until its answer comes to be stored. */
export class TextReader {
  private readonly remembered = new Map<string, ReadTexts>();

  constructor(
    private readonly embedder: LazyEmbedder,
    private readonly seconds: Histogram,
  ) {}

  /** Nothing while there is no model, or when it takes longer than `withinMs`. Rejects as the model does. */
  async read(keyHash: string, texts: readonly string[], withinMs: number): Promise<ReadTexts | undefined> {
    const embedder = this.embedder.ready();
    if (embedder === undefined) return undefined;
    const known = this.remembered.get(keyHash);
    if (known?.fingerprint === embedder.fingerprint) return known;
    if (texts.some(({ length }) => length > MOST_CHARACTERS))
      return { texts: [], fingerprint: embedder.fingerprint, cut: true };
    const began = performance.now();
    const embedded = await within(embedder.embed(texts), withinMs);
    if (embedded === undefined) return undefined;
    this.seconds.observe({}, (performance.now() - began) / 1_000);
    if (embedded.length !== texts.length || !embedded.every(({ vector }) => isVector(vector)))
      throw new Error('The embedder gave something else than a vector for each text.');
    const read = {
      texts: texts.map((text, index) => ({ text, read: embedded[index]! })),
      fingerprint: embedder.fingerprint,
      cut: embedded.some(({ cut }) => cut),
    };
    const oldest = this.remembered.size >= REMEMBERED ? this.remembered.keys().next().value : undefined;
    if (oldest !== undefined) this.remembered.delete(oldest);
    this.remembered.set(keyHash, read);
    return read;
  }

  /** The model is there, or can not be, or is not within `ms`. */
  async opened(ms: number): Promise<void> {
    await within(this.embedder.open(), ms);
  }

  forget(keyHash: string): void {
    this.remembered.delete(keyHash);
  }
}

/** Whether the store takes it: one that it refuses would take the answers that are written with it along. */
const isVector = (vector: Float32Array): boolean => vector.length === DIMENSIONS && vector.every(Number.isFinite);

/** What the work comes to, or nothing after `ms`: whoever waits for a model that hangs must not take others' turns. */
const within = async <T>(work: Promise<T>, ms: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, ms));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
};
