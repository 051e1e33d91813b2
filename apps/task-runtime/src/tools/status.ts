import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import { holderOf, leaseAnswer } from '../lease-answers.js';
import { placeOf } from '../lease-names.js';
import type { LeaseStore } from '../lease-store.js';
import { Resource } from './lease-arguments.js';

export const status = (leases: LeaseStore) =>
  defineTool({
    name: 'status',
    description: 'Tells whether a resource is held, and by whom, under which lease_ref and until when.',
    input: z.object({ resource: Resource }),
    effect: 'read',
    annotations: { openWorldHint: false },
    async handle({ resource }, scope) {
      const lease = await leases.find(placeOf(holderOf(scope).tenant, resource));
      if (!lease) return { resource, held: false };
      const { agent, taskId } = lease;
      return { ...leaseAnswer(resource, lease), held: true, agent, task_id: taskId };
    },
  });
