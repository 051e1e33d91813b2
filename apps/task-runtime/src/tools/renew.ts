import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import { holderOf, leaseAnswer, liveLease } from '../lease-answers.js';
import { placeOf, proofOf } from '../lease-names.js';
import type { LeaseStore } from '../lease-store.js';
import { LeaseId, Resource } from './lease-arguments.js';

export const renew = (leases: LeaseStore) =>
  defineTool({
    name: 'renew',
    description:
      'Makes a lease last its ttl_seconds again, counted from now. LEASE_EXPIRED when it has ended and the resource is free; CONFLICT when another lease holds it.',
    input: z.object({ resource: Resource, lease_id: LeaseId }),
    effect: 'write',
    annotations: { openWorldHint: false },
    async handle({ resource, lease_id }, scope) {
      const holder = holderOf(scope);
      const found = await leases.renew(placeOf(holder.tenant, resource), proofOf(holder, lease_id));
      return { lease_id, ...leaseAnswer(resource, liveLease(found)) };
    },
  });
