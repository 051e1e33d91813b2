import type { Log } from '@portico/observe';
import { type RedisScript, type RedisScripts, StorageError } from '@portico/storage';

/** Redis has so long to answer: whoever asks is a caller's request. */
const BUDGET_MS = 100;
/** A start waits for no Redis, and tells of none that needs a moment. */
const CONNECTING_MS = 1_000;

/** Redis as far as it answers in 100 ms. Once it did not it is not `there`, said in one log line, until it has. */
export class BudgetedRedis {
  there = true;
  private answered = false;
  private readonly openedAt = performance.now();

  constructor(
    private readonly redis: RedisScripts,
    private readonly log: Log,
  ) {}

  /** What the script answers, or undefined. Never rejects. */
  run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return new Promise((resolve) => {
      let waiting = true;
      const settle = (answer: unknown, reason?: string): void => {
        if (!waiting) return;
        waiting = false;
        clearTimeout(timer);
        this.note(reason);
        resolve(answer);
      };
      // An answer that came while this process was busy is read before the immediate runs, and counts.
      const timer = setTimeout(() => setImmediate(() => settle(undefined, 'slow')), BUDGET_MS);
      this.redis.run(script, keys, args, 'write').then(
        (answer) => settle(answer),
        (error: unknown) => settle(undefined, error instanceof StorageError ? error.code : 'unknown'),
      );
    });
  }

  private note(reason: string | undefined): void {
    const there = reason === undefined;
    this.answered ||= there;
    if (!this.answered && performance.now() - this.openedAt < CONNECTING_MS) return;
    if (there === this.there) return;
    this.there = there;
    if (there) this.log.info('limits.shared');
    else this.log.warn('limits.alone', { setting: 'REDIS_URL', reason });
  }
}
