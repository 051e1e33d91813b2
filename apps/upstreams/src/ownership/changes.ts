import type { StopSignal } from '@portico/contracts';
import { stopped } from '../stopped.js';

/** Something that changes now and then, for any number of those who wait for the next time. */
export class Changes {
  #waiting = new Set<() => void>();

  tell(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const wake of waiting) wake();
  }

  /** Resolves at the next change. Rejects when the signal aborts first: CANCELLED or TIMEOUT, nothing executed. */
  next(stop?: StopSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(wake);
        stop?.removeEventListener('abort', onAbort);
      };
      const wake = (): void => {
        end();
        resolve();
      };
      const onAbort = (): void => {
        end();
        reject(stopped(stop?.reason));
      };
      if (stop?.aborted) return reject(stopped(stop.reason));
      this.#waiting.add(wake);
      stop?.addEventListener('abort', onAbort);
    });
  }
}
