/** Numbers in a vector. */
export const DIMENSIONS = 384;
/** Word pieces of a text that are read; of a longer one the rest is lost. */
export const WINDOW = 256;

/** A word of a text, and where the encoder puts it there. */
export interface EmbeddedWord {
  /** As the text has it. */
  readonly text: string;
  /** Mean of its pieces' own vectors, of length 1. */
  readonly vector: Float32Array;
}

export interface Embedded {
  /** Of length 1. */
  readonly vector: Float32Array;
  /** In the order of the text. */
  readonly words: readonly EmbeddedWord[];
  /** Longer than the window: its end is in no vector. */
  readonly cut: boolean;
}

/** Turns texts into vectors; one session for a process. */
export interface Embedder {
  /** Of model, quantisation and tokenizer: vectors of two fingerprints are never compared. */
  readonly fingerprint: string;
  /** One for each text, in their order. Texts asked for at about the same time go through the model together. */
  embed(texts: readonly string[]): Promise<readonly Embedded[]>;
  close(): Promise<void>;
}
