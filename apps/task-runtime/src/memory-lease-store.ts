import { Fault } from '@portico/contracts';
import type { Lease, LeaseFound, LeaseRequest, LeaseStore } from './lease-store.js';

interface Kept extends LeaseRequest {
  readonly fence: number;
  /** By the monotonic clock, which no one can set. */
  until: number;
}

const MAX_LEASES = 100_000;
const NEVER_SWEPT_BELOW = 1_000;

/**
 * The leases of one process. When it is full of live ones it refuses. It has no timer: what expired is dropped when it is
 * met, or in a sweep each time the leases have doubled.
 */
export class MemoryLeaseStore implements LeaseStore {
  private readonly kept = new Map<string, Kept>();
  private lastFence = 0;
  private sweepAt = NEVER_SWEPT_BELOW;
  private closed = false;

  /** `othersKeep`: whether another process answers for the same resources, so that nobody knows who has one. */
  constructor(private readonly othersKeep: () => boolean = () => false) {}

  async acquire(place: string, asked: LeaseRequest): Promise<Exclude<LeaseFound, { state: 'free' }>> {
    const there = this.live(place);
    if (there) return { state: 'held', lease: shown(there) };
    if (this.kept.size >= this.sweepAt) this.sweep();
    if (this.kept.size >= MAX_LEASES) throw unavailable('There are more leases than are kept here.');
    const now = performance.now();
    this.lastFence = Math.max(this.lastFence + 1, Math.floor(wallMs(now) * 1_000));
    const granted = { ...asked, fence: this.lastFence, until: now + asked.ttlMs };
    this.kept.set(place, granted);
    return { state: 'live', lease: shown(granted) };
  }

  async renew(place: string, proof: string, keepMs?: number): Promise<LeaseFound> {
    const there = this.live(place);
    if (there?.proof === proof) there.until = Math.max(there.until, performance.now() + (keepMs ?? there.ttlMs));
    return found(there, proof);
  }

  async release(place: string, proof: string): Promise<LeaseFound> {
    const there = this.live(place);
    if (there?.proof === proof) {
      this.kept.delete(place);
      there.until = performance.now();
    }
    return found(there, proof);
  }

  async find(place: string): Promise<Lease | undefined> {
    const there = this.live(place);
    return there && shown(there);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.kept.clear();
  }

  private live(place: string): Kept | undefined {
    if (this.closed) throw unavailable('The leases are closed.');
    if (this.othersKeep()) throw unavailable('Several processes keep leases, each its own: they need REDIS_URL.');
    const there = this.kept.get(place);
    if (!there || there.until > performance.now()) return there;
    this.kept.delete(place);
    return undefined;
  }

  private sweep(): void {
    const now = performance.now();
    for (const [place, { until }] of this.kept) if (until <= now) this.kept.delete(place);
    this.sweepAt = Math.min(MAX_LEASES, Math.max(NEVER_SWEPT_BELOW, this.kept.size * 2));
  }
}

/** What the wall clock showed when the process began, and what has passed since: later steps of it change nothing. */
const wallMs = (monotonicMs: number): number => performance.timeOrigin + monotonicMs;

const found = (there: Kept | undefined, proof: string): LeaseFound =>
  there ? { state: there.proof === proof ? 'live' : 'held', lease: shown(there) } : { state: 'free' };

const shown = ({ ref, fence, until, agent, taskId }: Kept): Lease => ({
  ref,
  fence,
  expiresAt: Math.floor(wallMs(until)),
  ...(agent !== undefined && { agent }),
  ...(taskId !== undefined && { taskId }),
});

const unavailable = (message: string): Fault => new Fault('BACKEND_UNAVAILABLE', message, { executed: 'no' });
