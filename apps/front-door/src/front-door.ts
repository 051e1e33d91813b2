import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { CatalogueMemory } from './catalogue-memory.js';

/** What the operations work with. */
export interface FrontDoor {
  readonly bus: Bus;
  readonly catalogue: CatalogueMemory;
  readonly log: Log;
  readonly resultLimitBytes: number;
  /** How long clients may keep a list. */
  readonly listTtlMs: number;
}
