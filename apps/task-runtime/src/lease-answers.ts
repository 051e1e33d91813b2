import { Fault } from '@portico/contracts';
import type { CallScope } from '@portico/domain-kit';
import type { Lease, LeaseFound } from './lease-store.js';

/** Whose leases a call is about. There is no holder but the one that the front door vouches for. */
export function holderOf({ context }: CallScope) {
  if (context) return context.principal;
  throw new Fault('UNAUTHENTICATED', 'A lease belongs to somebody, and this call does not say who asks.', {
    executed: 'no',
  });
}

/** The lease that was shown. Throws CONFLICT naming who holds the resource instead, or LEASE_EXPIRED when nobody does. */
export function liveLease(found: LeaseFound): Lease {
  switch (found.state) {
    case 'live':
      return found.lease;
    case 'held':
      throw heldBy(found.lease);
    case 'free':
      throw new Fault('LEASE_EXPIRED', 'This lease has ended, or never was: nobody holds the resource.', {
        executed: 'no',
      });
  }
}

const heldBy = ({ agent, ref, expiresAt }: Lease): Fault =>
  new Fault(
    'CONFLICT',
    `The resource is held by agent ${agent ?? '(not named)'}, lease_ref ${ref}, until ${isoTime(expiresAt)}.`,
    { executed: 'no' },
  );

/** A lease as results show it, with whatever stands beside it. */
export const leaseAnswer = (resource: string, { ref, fence, expiresAt }: Lease) => ({
  lease_ref: ref,
  resource,
  fence,
  expires_at: isoTime(expiresAt),
});

/** ISO 8601. Beyond what a date can be, the latest there is. */
export const isoTime = (ms: number): string => new Date(Math.min(ms, 8.64e15)).toISOString();
