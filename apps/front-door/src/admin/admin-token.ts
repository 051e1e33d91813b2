import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { secretFile } from '../secret-file.js';

const TOKEN_BYTES = 32;

/** What operators prove themselves with. Only its digest is kept, so that nothing can show it. */
export class AdminToken {
  readonly #digest: Buffer;

  constructor(token: string) {
    this.#digest = digestOf(token);
  }

  /** Whether an `Authorization` header carries it; takes as long for one that nearly does. */
  isIn(authorization: string): boolean {
    const given = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(authorization.trim())?.[1] ?? '';
    return timingSafeEqual(digestOf(given), this.#digest);
  }
}

/**
 * The token in the file at `path`; made there at the first start, readable by its owner alone.
 * Throws one sentence naming ADMIN_TOKEN_FILE when the file can be neither read nor made, or holds no token.
 */
export function loadAdminToken(path: string): AdminToken {
  const text = secretFile(path, 'ADMIN_TOKEN_FILE', () => randomBytes(TOKEN_BYTES).toString('base64url'));
  if (!/^[A-Za-z0-9._~+/=-]{32,4096}$/.test(text)) {
    throw new Error(`ADMIN_TOKEN_FILE at ${path} must hold one token of at least 32 letters, digits or -._~+/=.`);
  }
  return new AdminToken(text);
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
