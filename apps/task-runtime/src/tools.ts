import type { DomainTool } from '@portico/domain-kit';
import type { LeaseStore } from './lease-store.js';
import { acquire } from './tools/acquire.js';
import { release } from './tools/release.js';
import { renew } from './tools/renew.js';
import { status } from './tools/status.js';

/** All that `task.*` publishes. */
export const tools = (leases: LeaseStore): DomainTool[] => [
  acquire(leases),
  renew(leases),
  release(leases),
  status(leases),
];
