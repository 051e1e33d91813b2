import type { PrincipalLoad } from './principal-loads.js';

/** Less than a clock shows: sums of fractions are not exact. */
const ROUNDING_MS = 1e-6;

/** A token bucket for each principal, kept as the one moment at which it is full again (GCRA). */
export class Rate {
  /** Milliseconds in which an empty bucket fills. */
  readonly fillMs: number;
  private readonly intervalMs: number;
  /** How far ahead of now that moment may be. */
  private readonly slackMs: number;

  constructor(perSecond: number, burst: number) {
    this.intervalMs = 1_000 / perSecond;
    this.fillMs = burst * this.intervalMs;
    this.slackMs = (burst - 1) * this.intervalMs;
  }

  /** Takes a token: 0, or the milliseconds until there is one. */
  take(load: PrincipalLoad, now: number): number {
    const fullAt = Math.max(load.fullAt, now);
    const wait = fullAt - this.slackMs - now;
    if (wait > ROUNDING_MS) return wait;
    load.fullAt = fullAt + this.intervalMs;
    return 0;
  }

  giveBack(load: PrincipalLoad): void {
    load.fullAt -= this.intervalMs;
  }

  /** The bucket that all front doors share has none for so long, so there is none here. */
  lacking(load: PrincipalLoad, waitMs: number, now: number): void {
    load.fullAt = Math.max(load.fullAt, now + waitMs + this.slackMs);
  }
}
