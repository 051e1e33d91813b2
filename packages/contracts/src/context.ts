import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Who calls. Nothing a caller writes in arguments or headers changes it. */
export const Principal = z.object({ tenant: z.string(), subject: z.string(), scopes: z.array(z.string()) });
export type Principal = z.infer<typeof Principal>;

/** An id that may travel: 1 to 128 of letters, digits and `._:-`. */
export const ContextId = z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/);

/** What accompanies a call for observation. A hint, never a right; a raw lease id is never in it. */
export const CallContext = z.object({
  correlationId: ContextId,
  taskId: ContextId.optional(),
  agent: ContextId.optional(),
  leaseRef: ContextId.optional(),
  /** Fencing number of the lease that guards the call. */
  leaseFence: z.int().optional(),
  /** W3C trace context. */
  traceparent: z.string().optional(),
  principal: Principal.pick({ tenant: true, subject: true }),
});
export type CallContext = z.infer<typeof CallContext>;

/** Headers by which the context reaches our domains on the bus, and from them their backends. */
export const CONTEXT_HEADERS = {
  correlationId: 'X-Correlation-ID',
  taskId: 'X-Task-ID',
  agent: 'X-Agent-ID',
  leaseRef: 'X-Lease-Ref',
  leaseFence: 'X-Lease-Fence',
  traceparent: 'traceparent',
} as const;

/** The public reference of a lease: the first 16 hex digits of its SHA-256. The id itself is a secret. */
export const leaseRef = (leaseId: string): string => createHash('sha256').update(leaseId).digest('hex').slice(0, 16);
