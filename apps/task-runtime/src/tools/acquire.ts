import { ContextId, LEASE_REF_META_KEY, leaseRef } from '@portico/contracts';
import { defineTool, toolResult } from '@portico/domain-kit';
import { z } from 'zod';
import { holderOf, leaseAnswer, liveLease } from '../lease-answers.js';
import { newLeaseId, placeOf, proofOf } from '../lease-names.js';
import type { LeaseStore } from '../lease-store.js';
import { Resource } from './lease-arguments.js';

export const acquire = (leases: LeaseStore) =>
  defineTool({
    name: 'acquire',
    description:
      'Takes a lease on a resource: until it ends, nobody else gets one. CONFLICT names who holds it. Keep lease_id secret, and show it as _task.lease_id to the tools that need it.',
    input: z.object({
      resource: Resource,
      ttl_seconds: z.int().min(1).max(3_600).default(300).describe('how long it lasts unless it is renewed'),
      task_id: ContextId.optional().describe('the task that it is taken for'),
      agent: ContextId.optional().describe('who takes it, for others to read'),
      lease_ref: ContextId.optional().describe('not used: the lease gets one of its own'),
    }),
    effect: 'write',
    annotations: { openWorldHint: false },
    async handle({ resource, ttl_seconds, task_id, agent }, scope) {
      const holder = holderOf(scope);
      const leaseId = newLeaseId();
      const place = placeOf(holder.tenant, resource);
      const proof = proofOf(holder, leaseId);
      const asked = {
        proof,
        ref: leaseRef(leaseId),
        ttlMs: ttl_seconds * 1_000,
        agent: agent ?? scope.context?.agent,
        taskId: task_id ?? scope.context?.taskId,
      };
      const lease = liveLease(await leases.acquire(place, asked));
      // Who asked has gone, and nobody else knows the id: the resource need not wait for it to expire.
      if (scope.signal.aborted) await leases.release(place, proof).catch(() => {});
      return toolResult({
        content: [{ type: 'text', text: JSON.stringify({ lease_id: leaseId, ...leaseAnswer(resource, lease) }) }],
        _meta: { [LEASE_REF_META_KEY]: lease.ref },
      });
    },
  });
