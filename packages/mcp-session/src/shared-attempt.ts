import type { StopSignal } from '@portico/contracts';

/**
 * One piece of work that several wait for: the first starts it, each leaves when its own signal aborts, and the work goes
 * on to its end or its deadline. Unlike a plain single flight nobody's cancellation is anybody else's.
 */
export class SharedAttempt<Value> {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly outcome: Promise<Value>;

  /** `work` must end soon after its signal aborts, which happens after `limitMs` milliseconds at the latest. */
  constructor(limitMs: number, work: (signal: AbortSignal) => Promise<Value>) {
    this.#timer = setTimeout(() => this.abort(new DOMException('too slow', 'TimeoutError')), limitMs);
    this.outcome = work(this.#controller.signal).finally(() => clearTimeout(this.#timer));
    this.outcome.catch(() => undefined);
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Its outcome, or what `left` makes of a signal that aborts first. */
  join(signal: StopSignal, left: () => unknown): Promise<Value> {
    if (signal.aborted) return Promise.reject(left());
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(left());
      signal.addEventListener('abort', onAbort);
      this.outcome.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }
}
