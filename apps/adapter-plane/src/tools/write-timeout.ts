/** Milliseconds of a write: it may wait for others' changes of the same file, and then go to two places. */
export const WRITE_TIMEOUT_MS = 60_000;
