import { createHash } from 'node:crypto';

/** JSON with the keys of every object in code-unit order, so that equal content has one spelling. Undefined is left out. */
export const canonicalJson = (value: unknown): string => JSON.stringify(value, sortedKeys) ?? 'null';

/** SHA-256 of the canonical JSON, in hex: equal content, equal revision, whichever process computes it. */
export const revisionOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  // Entries, not assignment: a key named __proto__ stays a key.
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
