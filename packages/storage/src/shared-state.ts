import type { StorageLog } from './storage-log.js';

/**
 * Short-lived text shared by all replicas: Redis, or this process alone. Keys are told apart by the callers' prefixes.
 * `ttlMs` is at least 1; expiry is the store's, so that clocks that step hurt nobody.
 */
export interface SharedState {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, options: { readonly ttlMs: number }): Promise<void>;
  /** Whether it was absent and is now set: one of all who ask at once is told so. */
  setIfAbsent(key: string, value: string, options: { readonly ttlMs: number }): Promise<boolean>;
  /** Whether it had that value and is now gone. */
  deleteIfEqual(key: string, value: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

export interface SharedStateOptions {
  readonly log?: StorageLog | undefined;
}
