/**
 * Why a store could not do it: `unavailable` (not there, or lost on the way), `timeout`, `conflict` (another transaction
 * was first: it may be tried again), `rejected` (asked wrongly, or the store says no), `full`, `closed` (by its owner).
 */
export type StorageErrorCode = 'unavailable' | 'timeout' | 'conflict' | 'rejected' | 'full' | 'closed';

export interface StorageErrorOptions {
  /** Whether it may have been done all the same. */
  readonly executed?: 'no' | 'unknown';
  /** What PostgreSQL calls it, five characters. */
  readonly sqlState?: string | undefined;
  readonly constraint?: string | undefined;
}

/** What every store of this package rejects with: one sentence that shows no credential, no address and no value. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  readonly executed: 'no' | 'unknown';
  readonly sqlState: string | undefined;
  readonly constraint: string | undefined;

  constructor(code: StorageErrorCode, message: string, options: StorageErrorOptions = {}) {
    super(message);
    this.name = 'StorageError';
    this.code = code;
    this.executed = options.executed ?? 'no';
    this.sqlState = options.sqlState;
    this.constraint = options.constraint;
  }
}
