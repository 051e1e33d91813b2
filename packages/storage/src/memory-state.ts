import type { SharedState } from './shared-state.js';
import { StorageError } from './storage-error.js';
import { wholeTtl } from './whole-ttl.js';

interface Kept {
  readonly value: string;
  /** By the monotonic clock, which no one can set. */
  readonly until: number;
}

const MAX_ENTRIES = 100_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;
const NEVER_SWEPT_BELOW = 1_000;

/**
 * What Redis would hold, for one process. Bounded as Redis is by its `maxmemory`: when it is full of what has not expired,
 * it refuses, since any entry may be somebody's lock. It has no timer: what expired is dropped when it is met, or in a
 * sweep each time the entries have doubled.
 */
export class MemoryState implements SharedState {
  private readonly kept = new Map<string, Kept>();
  private characters = 0;
  private sweepAt = NEVER_SWEPT_BELOW;
  private closed = false;

  async get(key: string): Promise<string | undefined> {
    return this.alive(key)?.value;
  }

  async set(key: string, value: string, { ttlMs }: { readonly ttlMs: number }): Promise<void> {
    this.keep(key, value, wholeTtl(ttlMs));
  }

  async setIfAbsent(key: string, value: string, { ttlMs }: { readonly ttlMs: number }): Promise<boolean> {
    const ttl = wholeTtl(ttlMs);
    if (this.alive(key)) return false;
    this.keep(key, value, ttl);
    return true;
  }

  async deleteIfEqual(key: string, value: string): Promise<boolean> {
    if (this.alive(key)?.value !== value) return false;
    this.drop(key);
    return true;
  }

  async delete(key: string): Promise<void> {
    if (this.alive(key)) this.drop(key);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.kept.clear();
  }

  private alive(key: string): Kept | undefined {
    if (this.closed) throw new StorageError('closed', 'The shared state is closed.');
    const kept = this.kept.get(key);
    if (kept && kept.until <= performance.now()) {
      this.drop(key);
      return undefined;
    }
    return kept;
  }

  private keep(key: string, value: string, ttlMs: number): void {
    if (this.alive(key)) this.drop(key);
    const needed = key.length + value.length;
    if (this.kept.size >= this.sweepAt || this.characters + needed > MAX_CHARACTERS) this.sweep();
    if (this.kept.size >= MAX_ENTRIES || this.characters + needed > MAX_CHARACTERS) {
      throw new StorageError('full', 'The shared state in memory is full.');
    }
    this.kept.set(key, { value, until: performance.now() + ttlMs });
    this.characters += needed;
  }

  private drop(key: string): void {
    const kept = this.kept.get(key);
    if (!kept) return;
    this.kept.delete(key);
    this.characters -= key.length + kept.value.length;
  }

  private sweep(): void {
    const now = performance.now();
    for (const [key, { until }] of this.kept) if (until <= now) this.drop(key);
    this.sweepAt = Math.min(MAX_ENTRIES, Math.max(NEVER_SWEPT_BELOW, this.kept.size * 2));
  }
}
