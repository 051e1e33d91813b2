const TEN_YEARS_MS = 10 * 366 * 86_400_000;

/** Whole milliseconds, at least 1. Throws for what is no time to live. */
export const wholeTtl = (ttlMs: number): number => {
  if (!(ttlMs >= 1 && ttlMs <= TEN_YEARS_MS)) throw new RangeError('ttlMs takes 1 to ten years of milliseconds.');
  return Math.ceil(ttlMs);
};
