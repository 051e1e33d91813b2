import { Fault, type Principal } from '@portico/contracts';
import type { Limits } from './limit-settings.js';
import { principalKey } from './principal-key.js';

interface Held {
  running: number;
  /** What each principal runs. Zeros stay until there are many: a key taken out and put back each call costs more. */
  readonly of: Map<string, number>;
  sweepAt: number;
}

const MOST_ZEROS = 256;
const RETRY_MS = 1_000;

/** How much of one domain runs at once at this front door, and how much of that for one principal. Only counts are kept. */
export class Bulkhead {
  private readonly domains = new Map<string, Held>();
  private readonly limit: number;
  private readonly each: number;
  private sweepAt = MOST_ZEROS;

  constructor({ concurrency, halved }: Limits['domain']) {
    this.limit = concurrency || Infinity;
    // At most half, but one place where there is but one: nobody could call at all otherwise.
    this.each = halved ? Math.max(1, Math.floor(this.limit / 2)) : Infinity;
  }

  /** Takes a place of the domain: undefined, and `leave` must follow; or why there is none. */
  enter(address: string, principal: Principal): Fault | undefined {
    let held = this.domains.get(address);
    if (held === undefined) {
      this.sweep();
      this.domains.set(address, (held = { running: 0, of: new Map(), sweepAt: MOST_ZEROS }));
    }
    if (held.running >= this.limit) return crowded('Too many calls of this domain run at once.');
    if (this.each !== Infinity) {
      const key = principalKey(principal);
      const running = held.of.get(key) ?? 0;
      if (running >= this.each) return crowded('Too many of your calls of this domain run at once.');
      if (running === 0 && held.of.size >= held.sweepAt) sweepOf(held);
      held.of.set(key, running + 1);
    }
    held.running += 1;
    return undefined;
  }

  leave(address: string, principal: Principal): void {
    const held = this.domains.get(address);
    if (held === undefined) return;
    held.running -= 1;
    if (this.each === Infinity) return;
    const key = principalKey(principal);
    held.of.set(key, (held.of.get(key) ?? 1) - 1);
  }

  /** Domains that have been met and not forgotten yet. */
  get size(): number {
    return this.domains.size;
  }

  /** Principals that have been met at a domain and not forgotten yet. */
  sizeOf(address: string): number {
    return this.domains.get(address)?.of.size ?? 0;
  }

  private sweep(): void {
    if (this.domains.size < this.sweepAt) return;
    for (const [address, { running }] of this.domains) if (running === 0) this.domains.delete(address);
    this.sweepAt = Math.max(MOST_ZEROS, this.domains.size * 2);
  }
}

const sweepOf = (held: Held): void => {
  for (const [key, running] of held.of) if (running === 0) held.of.delete(key);
  held.sweepAt = Math.max(MOST_ZEROS, held.of.size * 2);
};

const crowded = (message: string): Fault =>
  new Fault('RATE_LIMITED', message, { executed: 'no', retryAfterMs: RETRY_MS });
