import { Fault } from '@portico/contracts';

/** Work on one thing, one after another in the order of asking; work on different things goes on at once. */
export class Turns {
  private readonly last = new Map<string, Promise<void>>();

  /** Rejects with CANCELLED, nothing executed, when `signal` ends the wait for the turn. */
  async take<T>(thing: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(thing);
    let done = (): void => undefined;
    const own = Promise.all([before, new Promise<void>((resolve) => (done = resolve))]).then(() => {
      if (this.last.get(thing) === own) this.last.delete(thing);
    });
    this.last.set(thing, own);
    try {
      await untilAborted(before, signal);
      return await work();
    } finally {
      done();
    }
  }
}

async function untilAborted(waited: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () =>
      reject(new Fault('CANCELLED', 'The call ended while others changed the declared file.', { executed: 'no' }));
  });
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([aborted, waited]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
