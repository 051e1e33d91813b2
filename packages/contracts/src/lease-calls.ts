import { z } from 'zod';
import type { Call } from './call.js';
import { ContextId, Principal } from './context.js';

/** What a lease that was shown is worth for one resource. A raw lease id is never in it. */
export const LeaseVerdict = z.discriminatedUnion('verdict', [
  /** It is the caller's and for this resource, and lives at least as long as was asked. */
  z.object({ verdict: z.literal('live'), leaseRef: ContextId, fence: z.int().positive() }),
  /** Nobody holds the resource: the lease has ended, or there never was one. */
  z.object({ verdict: z.literal('ended') }),
  /** Another lease holds the resource. */
  z.object({
    verdict: z.literal('held'),
    agent: ContextId.optional(),
    leaseRef: ContextId,
    /** ISO 8601, by the store's clock. */
    expiresAt: z.string(),
  }),
]);
export type LeaseVerdict = z.infer<typeof LeaseVerdict>;

/**
 * Asks whether a lease opens a resource to a caller now, and makes it last at least `keepMs` more if so. BACKEND_UNAVAILABLE
 * when the store of leases can not tell: nothing is opened then.
 */
export const guardLease = {
  subject: 'task.guard-lease',
  request: z.object({
    principal: Principal.pick({ tenant: true, subject: true }),
    resource: z.string().min(1).max(512),
    leaseId: z.string().min(1).max(256),
    keepMs: z.int().positive(),
  }),
  reply: LeaseVerdict,
  effect: 'write',
  deadlineMs: 2_000,
} satisfies Call;

/** `_meta` key under which the domain `task` names, to the front door alone, the lease that a call acquired. */
export const LEASE_REF_META_KEY = 'portico/lease-ref';
