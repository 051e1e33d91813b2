import { createHash } from 'node:crypto';
import type { Principal } from '@portico/contracts';

const keys = new WeakMap<Principal, string>();

/** One short text for each tenant and subject, however long they are; it shows neither. */
export const principalKey = (principal: Principal): string => {
  let key = keys.get(principal);
  if (key === undefined) {
    const text = JSON.stringify([principal.tenant, principal.subject]);
    keys.set(principal, (key = createHash('sha256').update(text).digest('base64url')));
  }
  return key;
};
