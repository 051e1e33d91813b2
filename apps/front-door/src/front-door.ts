import type { Bus } from '@portico/bus';
import type { Fault, Principal, SourceAddress } from '@portico/contracts';
import type { Log } from '@portico/observe';
import type { CatalogueMemory } from './catalogue-memory.js';
import type { PolicyInForce } from './policy/policy.js';
import type { Receipts } from './receipts/receipts.js';

/** What the operations work with. */
export interface FrontDoor {
  readonly bus: Bus;
  readonly catalogue: CatalogueMemory;
  readonly policy: PolicyInForce;
  readonly bulkhead: {
    enter(domain: SourceAddress, principal: Principal): Fault | undefined;
    leave(domain: SourceAddress, principal: Principal): void;
  };
  readonly breakers: { run<T>(domain: SourceAddress, work: () => Promise<T>): Promise<T> };
  readonly receipts: Receipts;
  readonly log: Log;
  readonly resultLimitBytes: number;
  /** How long clients may keep a list. */
  readonly listTtlMs: number;
}
