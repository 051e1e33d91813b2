import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../http-guards.js';
import { type AdminAnswer, refusal } from './admin-answer.js';
import type { AdminToken } from './admin-token.js';

export interface AdminDoor {
  /** The address the admin listener is bound to. */
  readonly host: string;
  readonly token: AdminToken;
}

/**
 * Why a request to `/api` is turned away before anything of it is read: a `Host` that is not this listener's own (a page
 * whose name was rebound to this address), an `Origin` of another site, no token or a wrong one. Undefined: it may go on.
 */
export function guardAdmin(req: IncomingMessage, { host, token }: AdminDoor): AdminAnswer | undefined {
  const { host: hosts = [], origin: origins = [], authorization = [] } = req.headersDistinct;
  const [named] = hosts;
  if (hosts.length !== 1 || named === undefined || !isOwn(named, host, req.socket.localPort)) {
    return refusal(403, 'PERMISSION_DENIED', 'The Host header does not name the admin listener with its port.');
  }
  if (origins.some((origin) => origin !== `http://${named.toLowerCase()}`)) {
    return refusal(403, 'PERMISSION_DENIED', 'Pages of another origin may not call this server.');
  }
  const [credential] = authorization;
  if (authorization.length !== 1 || credential === undefined) {
    return unauthenticated(
      'Bearer realm="portico admin"',
      'The admin token is asked for: Authorization: Bearer <token>.',
    );
  }
  if (!token.isIn(credential)) {
    return unauthenticated(
      'Bearer realm="portico admin", error="invalid_token"',
      'This is not the admin token: the file ADMIN_TOKEN_FILE of the front door has it.',
    );
  }
  return undefined;
}

const unauthenticated = (challenge: string, message: string): AdminAnswer =>
  refusal(401, 'UNAUTHENTICATED', message, { headers: { 'WWW-Authenticate': challenge } });

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Bound to every address a listener has no name of its own; then any address will do, which no page can be rebound to. */
function isOwn(authority: string, bound: string, port: number | undefined): boolean {
  const [, name = '', given = '80'] =
    /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/.exec(authority.toLowerCase()) ?? [];
  if (name === '' || Number(given) !== port) return false;
  if (EVERY_ADDRESS.has(bound)) return name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
  const own = bound.includes(':') ? `[${bound}]` : bound;
  return name === own.toLowerCase() || (isLoopback(bound) && LOOPBACK.has(name));
}
