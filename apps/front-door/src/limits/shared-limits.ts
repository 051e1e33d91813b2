import { randomUUID } from 'node:crypto';
import type { BudgetedRedis } from './budgeted-redis.js';
import { ADMIT, TELL } from './limit-scripts.js';
import type { Limits } from './limit-settings.js';
import type { PrincipalLoad, PrincipalLoads } from './principal-loads.js';

/** Places given back are told together, so soon. */
const TELL_AFTER_MS = 25;
const HEARTBEAT_MS = 1_000;
/** What lasts is said again each so many heartbeats, and believed for so long: a front door that was killed holds nothing then. */
const REFRESH_BEATS = 4;
const BELIEVED_MS = 12_000;
const MOST_KEYS = 1_000;
const PREFIX = 'portico:limits:';
const ALL = `${PREFIX}running`;

/** `undecided`: Redis did not say in time. */
export type Verdict =
  { readonly kind: 'admitted' | 'each' | 'total' | 'undecided' } | { readonly kind: 'rate'; readonly waitMs: number };

/** What the front doors on one Redis know of each other. While Redis is away each is alone, and looks for it every second. */
export class SharedLimits {
  /** What all run at the other front doors, as of the last word from Redis; 0 while it is away. */
  elsewhere = 0;
  private readonly door = randomUUID();
  private readonly heartbeat: NodeJS.Timeout;
  private readonly tellChanges = (): void => void this.tell();
  private beats = 0;
  private closed = false;
  private changes: PrincipalLoad[] = [];
  private telling: NodeJS.Timeout | undefined;

  constructor(
    private readonly redis: BudgetedRedis,
    private readonly limits: Limits,
    private readonly loads: PrincipalLoads | undefined,
    /** What all run here. */
    private readonly running: () => number,
  ) {
    this.heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS);
    this.beat();
  }

  /** Whether Redis is there to be asked. */
  get there(): boolean {
    return this.redis.there && !this.closed;
  }

  /** Whether a request that is counted here already may run as far as all front doors go. Never rejects. */
  async ask(load: PrincipalLoad): Promise<Verdict> {
    const { rate, concurrency } = this.limits;
    const token = rate.perSecond > 0 ? Math.max(1, Math.round(1e6 / rate.perSecond)) : 0;
    const mine = load.running;
    load.told = mine;
    const answer = await this.redis.run(
      ADMIT,
      [`${PREFIX}rate:${load.key}`, runningKey(load), ALL],
      [
        ...[this.door, BELIEVED_MS, token, token * (rate.burst - 1)],
        ...[concurrency.each, mine, concurrency.total, this.running()],
      ],
    );
    const [verdict, waitMs] = Array.isArray(answer) ? (answer as [number, number]) : [];
    switch (verdict) {
      case 0:
        return { kind: 'admitted' };
      case 1:
        return { kind: 'each' };
      case 2:
        return { kind: 'total' };
      case 3:
        return { kind: 'rate', waitMs: waitMs ?? 0 };
      default:
        return { kind: 'undecided' };
    }
  }

  /** Something that was counted runs no more: the others hear of it in a moment. */
  changed(load: PrincipalLoad | undefined): void {
    if (load !== undefined && !load.changed && this.limits.concurrency.each > 0) {
      load.changed = true;
      this.changes.push(load);
    }
    if (this.telling === undefined && this.there) this.telling = setTimeout(this.tellChanges, TELL_AFTER_MS);
  }

  /** Says what still runs here, as far as Redis hears of it; nothing after. */
  async close(): Promise<void> {
    if (this.closed) return;
    clearInterval(this.heartbeat);
    await this.tell();
    this.closed = true;
    clearTimeout(this.telling);
  }

  private beat(): void {
    this.beats += 1;
    if (!this.redis.there || this.beats % REFRESH_BEATS === 0) {
      for (const load of this.loads?.running() ?? []) {
        load.told = -1;
        this.changed(load);
      }
    }
    void this.tell();
  }

  private async tell(): Promise<void> {
    clearTimeout(this.telling);
    this.telling = undefined;
    const { changes } = this;
    this.changes = [];
    for (const load of changes) load.changed = false;
    const news = changes.filter((load) => load.told !== load.running);
    do {
      const some = news.splice(0, MOST_KEYS);
      for (const load of some) load.told = load.running;
      const counts = [this.running(), ...some.map((load) => load.running)];
      const answer = await this.redis.run(TELL, [ALL, ...some.map(runningKey)], [this.door, BELIEVED_MS, ...counts]);
      this.elsewhere = typeof answer === 'number' ? answer : 0;
    } while (news.length > 0 && this.redis.there);
  }
}

const runningKey = ({ key }: PrincipalLoad): string => `${PREFIX}running:${key}`;
