import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Principal } from '@portico/contracts';

const NONCE_BYTES = 18;
const SESSION_ID = /^([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]{43})$/;

/**
 * Session ids that cost the server no memory: a nonce, signed together with the tenant and subject it was given to.
 * Any front door with the same key verifies them; nobody else's id verifies for this principal.
 */
export class SessionIds {
  constructor(private readonly key: Buffer) {}

  mint(principal: Principal): string {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    return `${nonce}.${this.sign(nonce, principal).toString('base64url')}`;
  }

  /** The session's own name, or undefined for an id that is not this principal's. */
  verify(id: string | undefined, principal: Principal): string | undefined {
    const [, nonce, signature] = SESSION_ID.exec(id ?? '') ?? [];
    if (nonce === undefined || signature === undefined) return undefined;
    return timingSafeEqual(Buffer.from(signature, 'base64url'), this.sign(nonce, principal)) ? nonce : undefined;
  }

  private sign(nonce: string, { tenant, subject }: Principal): Buffer {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([nonce, tenant, subject]))
      .digest();
  }
}
