import { Fault } from '@portico/contracts';
import type { LeaseVerdict, guardLease } from '@portico/contracts';
import type { z } from 'zod';
import { isoTime } from './lease-answers.js';
import { placeOf, proofOf } from './lease-names.js';
import type { LeaseStore } from './lease-store.js';

/**
 * What a lease is worth to a caller now; a live one lasts at least `keepMs` more, and none gets shorter. Throws
 * BACKEND_UNAVAILABLE (`executed: no`) when the store can not tell: the call that it guards must not run then.
 */
export async function leaseVerdict(
  leases: LeaseStore,
  { principal, resource, leaseId, keepMs }: z.output<(typeof guardLease)['request']>,
): Promise<LeaseVerdict> {
  const found = await leases
    .renew(placeOf(principal.tenant, resource), proofOf(principal, leaseId), keepMs)
    .catch(closed);
  switch (found.state) {
    case 'live':
      return { verdict: 'live', leaseRef: found.lease.ref, fence: found.lease.fence };
    case 'held': {
      const { agent, ref, expiresAt } = found.lease;
      return { verdict: 'held', leaseRef: ref, expiresAt: isoTime(expiresAt), ...(agent !== undefined && { agent }) };
    }
    case 'free':
      return { verdict: 'ended' };
  }
}

/** A renewal that may have happened harms nobody; what was asked about has not run. */
function closed(error: unknown): never {
  const { code, message, cause } = Fault.from(error);
  throw new Fault(code, message, { cause, executed: 'no' });
}
