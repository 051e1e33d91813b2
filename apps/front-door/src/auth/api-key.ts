import { createHash, randomBytes } from 'node:crypto';

const KEY = /^portico_([0-9a-f]{12})_[A-Za-z0-9_-]{43}$/;

/** A new key: `portico_<id>_<256 random bits>`. The prefix lets scanners find one that leaked, the id lets us find its row. */
export function newApiKey(): { readonly id: string; readonly key: string } {
  const id = randomBytes(6).toString('hex');
  return { id, key: `portico_${id}_${randomBytes(32).toString('base64url')}` };
}

/** The id in a key; undefined for what is no key. */
export const idOfApiKey = (key: string): string | undefined => KEY.exec(key)?.[1];

/**
 * What is kept of a key. One SHA-256 is enough: slow and salted hashes make guessing dear where people choose the secret,
 * and nobody guesses 256 random bits.
 */
export const hashOfApiKey = (key: string): Buffer => createHash('sha256').update(key).digest();
