import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import { holderOf, leaseAnswer, liveLease } from '../lease-answers.js';
import { placeOf, proofOf } from '../lease-names.js';
import type { LeaseStore } from '../lease-store.js';
import { LeaseId, Resource } from './lease-arguments.js';

export const release = (leases: LeaseStore) =>
  defineTool({
    name: 'release',
    description:
      'Gives a lease back; expires_at is then the moment that it ended. LEASE_EXPIRED when it had ended before and the resource is free; CONFLICT when another lease holds it.',
    input: z.object({ resource: Resource, lease_id: LeaseId }),
    effect: 'write',
    annotations: { openWorldHint: false },
    async handle({ resource, lease_id }, scope) {
      const holder = holderOf(scope);
      const found = await leases.release(placeOf(holder.tenant, resource), proofOf(holder, lease_id));
      return { lease_id, ...leaseAnswer(resource, liveLease(found)) };
    },
  });
