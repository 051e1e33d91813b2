import pRetry from 'p-retry';

export interface RetryOptions {
  /** Most times the work is begun, the first included. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubled before each further one, and up to doubled again by chance. */
  readonly firstDelayMs: number;
  /** Longest rest between two attempts, in milliseconds. */
  readonly longestDelayMs: number;
  /** Whether this failure may be gone the next time. Any other is thrown at once. */
  readonly canPass: (error: unknown) => boolean;
  /** Aborting it ends the rest between attempts at once; the work itself must take the signal too. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does idempotent work again when it failed in a way that can pass; throws the last failure, or the signal's reason.
 * Never for a tool call: what may have acted is not done twice.
 */
export const retry = <Value>(work: (attempt: number) => Promise<Value>, options: RetryOptions): Promise<Value> =>
  pRetry(work, {
    retries: options.attempts - 1,
    factor: 2,
    minTimeout: options.firstDelayMs,
    maxTimeout: options.longestDelayMs,
    randomize: true,
    shouldRetry: ({ error }) => options.canPass(error),
    signal: options.signal,
  });
