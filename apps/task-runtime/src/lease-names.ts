import { createHash, randomBytes } from 'node:crypto';
import type { CallContext } from '@portico/contracts';

type Holder = CallContext['principal'];

/** 256 random bits: a secret, shown once to its holder and kept nowhere. */
export const newLeaseId = (): string => randomBytes(32).toString('base64url');

/** Where a store keeps the lease of a resource. The resources of two tenants are two places. */
export const placeOf = (tenant: string, resource: string): string => hashOf([tenant, resource]);

/** What shows a lease to be the caller's: the id alone is nobody's, and who reads the store learns no id from it. */
export const proofOf = ({ tenant, subject }: Holder, leaseId: string): string => hashOf([tenant, subject, leaseId]);

/** As JSON, no two lists of any texts are written alike. */
const hashOf = (parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
