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

  /** Nothing while there is no model. Rejects as the model does. */
  async read(keyHash: string, texts: readonly string[]): Promise<ReadTexts | undefined> {
    const embedder = this.embedder.ready();
    if (embedder === undefined) return undefined;
    const known = this.remembered.get(keyHash);
    if (known?.fingerprint === embedder.fingerprint) return known;
    if (texts.some(({ length }) => length > MOST_CHARACTERS))
      return { texts: [], fingerprint: embedder.fingerprint, cut: true };
    const began = performance.now();
    const embedded = await embedder.embed(texts);
    this.seconds.observe({}, (performance.now() - began) / 1_000);
    if (embedded.length !== texts.length) throw new Error('The embedder gave another number of vectors.');
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

  /** The model is there, or can not be. */
  async opened(): Promise<void> {
    await this.embedder.open();
  }

  forget(keyHash: string): void {
    this.remembered.delete(keyHash);
  }
}
