import { randomBytes } from 'node:crypto';
import { secretFile } from './secret-file.js';

const KEY_BYTES = 32;

/**
 * The key that signs session ids, read from `path` as hex; made there at the first start, readable by its owner alone.
 * Throws one sentence naming SIGNING_KEY_FILE when the file can be neither read nor made, or holds no key.
 */
export function loadSigningKey(path: string): Buffer {
  const text = secretFile(path, 'SIGNING_KEY_FILE', () => randomBytes(KEY_BYTES).toString('hex'));
  if (!/^(?:[0-9a-f]{2}){32,}$/i.test(text)) {
    throw new Error(`SIGNING_KEY_FILE at ${path} must hold at least ${KEY_BYTES} bytes in hex.`);
  }
  return Buffer.from(text, 'hex');
}
