import type { IncomingMessage } from 'node:http';
import type { Principal } from '@portico/contracts';
import type { Refusal } from '../http-guards.js';

/** Tells who sent a request, by its headers alone, before its body is read. */
export interface Authenticator {
  /**
   * The principal, or why there is none; never throws or rejects. While credentials are remembered they give the same
   * object, so that what is worked out for a principal can be kept with it. Answers at once where nothing must be waited for.
   */
  authenticate(req: IncomingMessage): Principal | Refusal | Promise<Principal | Refusal>;
  close(): void;
}

export const isRefusal = (value: object): value is Refusal => 'faultCode' in value;
