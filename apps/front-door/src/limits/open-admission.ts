import type { Principal } from '@portico/contracts';
import type { Log } from '@portico/observe';
import type { RedisScripts } from '@portico/storage';
import type { Refusal } from '../http-guards.js';
import type { Admission, Ticket } from './admission.js';
import { BudgetedRedis } from './budgeted-redis.js';
import type { Limits } from './limit-settings.js';
import { principalKey } from './principal-key.js';
import { type PrincipalLoad, PrincipalLoads } from './principal-loads.js';
import { Rate } from './rate.js';
import { SharedLimits } from './shared-limits.js';

export interface AdmissionParts {
  readonly limits: Limits;
  /** Where front doors share what they admit; it stays its owner's. Absent: this one is alone. */
  readonly redis?: RedisScripts | undefined;
  readonly log: Log;
}

/** Rate and concurrency as the limits say. What is known here is asked first, then Redis, which never costs a request. */
export const openAdmission = (parts: AdmissionParts): Admission => new CountedAdmission(parts);

class CountedAdmission implements Admission {
  private readonly rate: Rate | undefined;
  private readonly loads: PrincipalLoads | undefined;
  private readonly shared: SharedLimits | undefined;
  private readonly each: number;
  private readonly total: number;
  private running = 0;

  constructor({ limits, redis, log }: AdmissionParts) {
    const { rate, concurrency } = limits;
    this.each = concurrency.each || Infinity;
    this.total = concurrency.total || Infinity;
    if (rate.perSecond > 0) this.rate = new Rate(rate.perSecond, rate.burst);
    if (rate.perSecond > 0 || concurrency.each > 0) this.loads = new PrincipalLoads(this.rate?.fillMs ?? 0);
    if (redis !== undefined)
      this.shared = new SharedLimits(new BudgetedRedis(redis, log), limits, this.loads, () => this.running);
  }

  admit(principal: Principal): Ticket | Refusal | Promise<Ticket | Refusal> {
    if (this.loads === undefined) {
      if (this.running + (this.shared?.elsewhere ?? 0) >= this.total) return FULL;
      return this.enter(undefined);
    }
    const now = performance.now();
    const load = this.loads.of(principalKey(principal), now);
    if (load.running >= this.each) return CROWDED;
    if (this.running >= this.total) return FULL;
    const waitMs = this.rate?.take(load, now) ?? 0;
    if (waitMs > 0) return tooFast(waitMs);
    const place = this.enter(load);
    return this.shared?.there ? this.askAll(this.shared, load, place) : place;
  }

  close(): Promise<void> {
    return this.shared?.close() ?? Promise.resolve();
  }

  leave(load: PrincipalLoad | undefined): void {
    this.running -= 1;
    if (load !== undefined) load.running -= 1;
    this.shared?.changed(load);
  }

  private enter(load: PrincipalLoad | undefined): Place {
    this.running += 1;
    if (load !== undefined) load.running += 1;
    return new Place(this, load);
  }

  private async askAll(shared: SharedLimits, load: PrincipalLoad, place: Place): Promise<Ticket | Refusal> {
    const verdict = await shared.ask(load);
    if (verdict.kind === 'admitted' || verdict.kind === 'undecided') return place;
    place.release();
    this.rate?.giveBack(load);
    switch (verdict.kind) {
      case 'each':
        return CROWDED;
      case 'total':
        return FULL;
      case 'rate':
        this.rate?.lacking(load, verdict.waitMs, performance.now());
        return tooFast(verdict.waitMs);
    }
  }
}

class Place implements Ticket {
  private held = true;

  constructor(
    private readonly admission: CountedAdmission,
    private readonly load: PrincipalLoad | undefined,
  ) {}

  release(): void {
    if (!this.held) return;
    this.held = false;
    this.admission.leave(this.load);
  }
}

const RETRY_MS = 1_000;

const CROWDED: Refusal = {
  status: 429,
  code: -32000,
  message: 'Too many of your requests run at once. Wait for some to end.',
  faultCode: 'RATE_LIMITED',
  retryAfterMs: RETRY_MS,
};

/** Not RATE_LIMITED, which would blame the caller: this is about the server, as 503 is everywhere else. */
const FULL: Refusal = {
  status: 503,
  code: -32000,
  message: 'Too many requests run at once. Try again in a moment.',
  faultCode: 'BACKEND_UNAVAILABLE',
  retryAfterMs: RETRY_MS,
};

const tooFast = (waitMs: number): Refusal => ({
  status: 429,
  code: -32000,
  message: 'You send requests faster than you may. Wait before the next one.',
  faultCode: 'RATE_LIMITED',
  retryAfterMs: Math.max(1, Math.ceil(waitMs)),
});
