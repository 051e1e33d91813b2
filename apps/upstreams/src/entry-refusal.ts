export type RefusalCode =
  | 'INVALID_NAME'
  | 'RESERVED_NAME'
  | 'DUPLICATE_NAME'
  | 'TRANSPORT_REQUIRED'
  | 'TRANSPORT_CONFLICT'
  | 'TRANSPORT_UNSUPPORTED'
  | 'INVALID_FIELD'
  | 'UNKNOWN_FIELD'
  | 'PRIVATE_ADDRESS';

/** Why a server entry is not taken: one sentence for whoever wrote it, with the field that is wrong. Holds no secret. */
export class EntryRefusal extends Error {
  override readonly name = 'EntryRefusal';

  constructor(
    readonly code: RefusalCode,
    readonly field: string | undefined,
    sentence: string,
  ) {
    super(sentence);
  }
}
