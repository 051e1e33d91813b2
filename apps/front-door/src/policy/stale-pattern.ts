import { isDotGlob } from '@portico/contracts';

/** Most patterns that one tool makes stale. */
export const STALE_PATTERNS_LIMIT = 64;

/** A pattern that can be announced in a list with commas. */
export const isStalePattern = (text: string): boolean => isDotGlob(text) && !/[\s,]/.test(text);
