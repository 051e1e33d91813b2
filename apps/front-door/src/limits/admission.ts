import type { Principal } from '@portico/contracts';
import type { Refusal } from '../http-guards.js';

/**
 * Leave to work on one request; it holds one place of its principal and one of all until it is given back: when the answer
 * is finished or its connection closed. An open `subscriptions/listen` holds none: its place is given back as soon as it is
 * handed on, since it works on nothing, and `Subscriptions` has bounds of its own for how many are open.
 */
export interface Ticket {
  /** Gives the places back. Idempotent. */
  release(): void;
}

/** Who may come in now: rate and concurrency of one principal, and concurrency of all. */
export interface Admission {
  /** A ticket, or a 429 or 503 with `Retry-After`. Never throws or rejects; answers at once where nothing must be waited for. */
  admit(principal: Principal): Ticket | Refusal | Promise<Ticket | Refusal>;
  close(): Promise<void>;
}
