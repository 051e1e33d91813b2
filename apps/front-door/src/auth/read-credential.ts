import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../http-guards.js';
import type { Challenges } from './challenges.js';

const LIMIT = 8_192;
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * The one credential of a request: after `Bearer` in `Authorization`, alone in any other header (`header` is its name in
 * lower case). At most 8 KiB, read nowhere else. Otherwise why the request is turned away.
 */
export function readCredential(req: IncomingMessage, header: string, challenges: Challenges): string | Refusal {
  const value = onlyValue(req.rawHeaders, header);
  if (value === undefined) return challenges.absent(req);
  if (value === null) return challenges.invalidRequest(req, 'More than one credential was sent.');
  if (value.length > LIMIT) return challenges.invalidToken(req, 'The token is longer than 8 KiB.');
  if (header !== 'authorization') {
    return TOKEN.test(value) ? value : challenges.invalidRequest(req, 'The credential is not a token.');
  }
  const token = BEARER.exec(value)?.[1];
  if (token !== undefined) return token;
  return /^Bearer( |$)/i.test(value)
    ? challenges.invalidRequest(req, 'The credential is not a bearer token.')
    : challenges.absent(req);
}

/** Undefined: none; null: several. As they came: node keeps the first `Authorization` and says nothing of others. */
function onlyValue(rawHeaders: readonly string[], header: string): string | undefined | null {
  let found: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length !== header.length || name.toLowerCase() !== header) continue;
    if (found !== undefined) return null;
    found = rawHeaders[i + 1] as string;
  }
  return found;
}
