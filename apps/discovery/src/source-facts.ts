import type { DiscoveryError, SourceState } from '@portico/contracts';

/** What probing a source has taught, besides the catalogue itself: few bytes, kept as long as the source is known. */
export interface SourceFacts {
  held?: {
    readonly revision: string;
    readonly at: number;
    readonly ttlMs: number;
    /** From before this process: as old as may be. */
    readonly remembered: boolean;
  };
  failure?: { readonly error: DiscoveryError; readonly at: number; readonly since: number };
  /** Configuration of the source when it was last probed. */
  configuration?: string | undefined;
  /** What is held is of a configuration that is no more: it is served only until the next probe has ended. */
  superseded: boolean;
  failuresInARow: number;
  successAt?: number;
  failureAt?: number;
  latencyMs?: number;
  usedAt: number;
  /** When it is to be probed again without anybody asking, while it is in use. */
  dueAt: number;
}

export const noFacts = (now: number): SourceFacts => ({
  superseded: false,
  failuresInARow: 0,
  usedAt: now,
  dueAt: Infinity,
});

/** A moment on the clock of the facts, and how long a catalogue outlives a failure of its source. */
export interface Reading {
  readonly now: number;
  readonly graceMs: number;
}

/** Beyond its time a catalogue is served as long as its source does not fail, and then for the grace. */
export function isServed({ held, failure }: SourceFacts, { now, graceMs }: Reading): boolean {
  if (!held) return false;
  return !failure || now < Math.max(failure.since, held.at + held.ttlMs) + graceMs;
}

export function stateOf(facts: SourceFacts | undefined, reading: Reading): SourceState {
  if (facts === undefined || (!facts.held && !facts.failure)) return 'pending';
  if (!isServed(facts, reading)) return 'unavailable';
  const { at, ttlMs, remembered } = facts.held!;
  const isFresh = !remembered && !facts.failure && !facts.superseded && reading.now - at < ttlMs;
  return isFresh ? 'fresh' : 'stale';
}
