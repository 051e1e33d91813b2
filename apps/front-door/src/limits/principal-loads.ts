/** What one principal has asked for lately, and what of it runs at this front door. */
export class PrincipalLoad {
  running = 0;
  /** When its bucket is full again, in milliseconds of the monotonic clock; a time that has passed means full. */
  fullAt = 0;
  /** What the other front doors were last told of `running`. */
  told = 0;
  /** Whether they are to be told again. */
  changed = false;

  constructor(readonly key: string) {}
}

const MAX_PER_GENERATION = 50_000;
const SHORTEST_GENERATION_MS = 10_000;

/**
 * The loads of the principals that came lately. Who has not come for a whole generation, which is longer than a bucket
 * takes to fill, has nothing that need be remembered: generations are dropped whole. Beyond 50,000 in one the oldest are
 * forgotten early, but for those that run something.
 */
export class PrincipalLoads {
  private readonly generationMs: number;
  private young = new Map<string, PrincipalLoad>();
  private old = new Map<string, PrincipalLoad>();
  private turnedAt = performance.now();

  /** `fillMs` is how long an empty bucket takes to fill. */
  constructor(fillMs: number) {
    this.generationMs = Math.max(fillMs, SHORTEST_GENERATION_MS);
  }

  of(key: string, now: number): PrincipalLoad {
    if (now - this.turnedAt > this.generationMs) this.turn(now);
    let load = this.young.get(key);
    if (load === undefined) {
      if (this.young.size >= MAX_PER_GENERATION) this.turn(now);
      load = this.old.get(key) ?? new PrincipalLoad(key);
      this.young.set(key, load);
    }
    return load;
  }

  /** Principals remembered; one may be counted twice. */
  get size(): number {
    return this.young.size + this.old.size;
  }

  *running(): Iterable<PrincipalLoad> {
    for (const load of this.young.values()) if (load.running > 0) yield load;
    for (const load of this.old.values()) if (load.running > 0 && !this.young.has(load.key)) yield load;
  }

  private turn(now: number): void {
    this.turnedAt = now;
    const next = this.young;
    for (const load of this.old.values()) if (load.running > 0) next.set(load.key, load);
    this.old = next;
    this.young = new Map();
  }
}
