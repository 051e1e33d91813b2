import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '@portico/contracts';
import type { Refusal } from '../http-guards.js';
import { type Authenticator, isRefusal } from './authenticator.js';

const CHECK_MS = 5_000;

interface Standing {
  readonly req: IncomingMessage;
  readonly principal: Principal;
}

/** Callers whose streams stay open for hours: each is asked again and again, and let go when it would no longer be let in. */
export class StandingCallers {
  private readonly standing = new Map<ServerResponse, Standing>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly authenticator: Authenticator,
    checkMs = CHECK_MS,
  ) {
    this.timer = setInterval(() => this.check(), checkMs).unref();
  }

  watch(req: IncomingMessage, res: ServerResponse, principal: Principal): void {
    this.standing.set(res, { req, principal });
    res.once('close', () => this.standing.delete(res));
  }

  close(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    for (const [res, { req, principal }] of this.standing) {
      const asked = this.authenticator.authenticate(req);
      if (asked instanceof Promise) void asked.then((answer) => letGo(res, principal, answer));
      else letGo(res, principal, asked);
    }
  }
}

/** What one may hear of depends on them. */
const sameScopes = (a: Principal, b: Principal): boolean =>
  a.scopes.length === b.scopes.length && a.scopes.every((scope, index) => scope === b.scopes[index]);

/** Where nobody can tell now (503), who came in stays. */
function letGo(res: ServerResponse, before: Principal, now: Principal | Refusal): void {
  const stays = isRefusal(now)
    ? now.status === 503
    : now === before || (now.tenant === before.tenant && now.subject === before.subject && sameScopes(now, before));
  if (!stays) res.end();
}
