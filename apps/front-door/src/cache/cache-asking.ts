import type { Bus } from '@portico/bus';
import { type CacheAnswer, type CacheQuestion, Fault, type StopSignal, lookUpAnswer } from '@portico/contracts';
import { Breakers } from '@portico/resilience';

const BREAKER = {
  failures: 5,
  resetMs: 5_000,
  capacity: 1,
  // A caller who left says nothing of the cache.
  counts: (error: unknown) => !(error instanceof Fault && error.code === 'CANCELLED'),
};
/** One name for the one cache. */
const CACHE = 'semantic-cache';

/** Asks the cache, within its budget in milliseconds, and for a while no more once it has failed too often. */
export class CacheAsking {
  private readonly breakers = new Breakers(BREAKER);

  constructor(
    private readonly bus: Bus,
    private readonly budgetMs: number,
  ) {}

  /** What the cache says, or nothing: it is not there, too slow, or has failed too often. Never rejects. */
  async ask(question: CacheQuestion, signal: StopSignal): Promise<CacheAnswer | undefined> {
    const ask = () => this.bus.ask(lookUpAnswer, question, { deadlineMs: this.budgetMs, signal });
    try {
      // Only one that fails is watched: one that works costs no more than its answer.
      return await (this.breakers.tracks(CACHE) ? this.breakers.run(CACHE, ask) : ask());
    } catch (error) {
      if (error instanceof Fault && error.code !== 'CANCELLED' && !this.breakers.tracks(CACHE))
        await this.breakers.run(CACHE, () => Promise.reject(error)).catch(() => undefined);
      return undefined;
    }
  }

  close(): void {
    this.breakers.close();
  }
}
