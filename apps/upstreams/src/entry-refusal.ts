import type { EntryErrorCode } from '@portico/contracts';

/** Why a server entry is not taken: one sentence for whoever wrote it, with the field that is wrong. Holds no secret. */
export class EntryRefusal extends Error {
  override readonly name = 'EntryRefusal';

  constructor(
    readonly code: EntryErrorCode,
    readonly field: string | undefined,
    sentence: string,
  ) {
    super(sentence);
  }
}
