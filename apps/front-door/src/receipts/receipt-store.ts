import type { Receipt } from '@portico/contracts';

/** Receipts that are kept of each tenant, newest last. */
export const KEPT_RECEIPTS = 1_000;

/** Where the last receipts of each tenant are found again. */
export interface ReceiptStore {
  /** Keeps this front door's receipts, in their order; resolves when they can be read. Never rejects. */
  append(receipts: readonly Receipt[]): Promise<void>;
  /** All that is kept of a tenant, newest first. Throws BACKEND_UNAVAILABLE when the store can not tell. */
  newest(tenant: string): Promise<readonly Receipt[]>;
  close(): Promise<void>;
}
