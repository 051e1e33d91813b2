import type { CacheQuestion, CacheRefusal } from '@portico/contracts';
import type { Embedded } from '@portico/embedding';

/** A text that somebody asks with, as the model has read it. */
export interface AskedText {
  readonly text: string;
  readonly read: Embedded;
}

/** A text that an answer was given to. */
export interface StoredText {
  readonly text: string;
  /** What `keep` made of it. */
  readonly kept: Uint8Array;
}

export type Verdict = { readonly score: number } | { readonly refused: CacheRefusal };

/** `verifier`: guards, then a calibrated score. `cosine`: the cosine is the score, and the guards are on or off. */
export type VerifyMode = Pick<NonNullable<CacheQuestion['similar']>, 'verify' | 'guards'>;

/** Reads two texts before one answers for the other. What it throws means that it does not. */
export interface Verifier {
  /** What is kept beside a text so that it can be compared later without the model. */
  keep(text: string, read: Embedded): Uint8Array;
  verify(asked: AskedText, stored: StoredText, cosine: number, mode: VerifyMode): Verdict;
}
