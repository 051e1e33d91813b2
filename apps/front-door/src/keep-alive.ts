import type { OnApplicationShutdown } from '@nestjs/common';
import { Slots } from '@portico/bus';

const INTERVAL_MS = 15_000;

/** An answer on which nothing may be said for long. */
interface Quiet {
  keepAlive(): void;
}

interface Waiting {
  readonly reply: Quiet;
  readonly since: number;
}

/** Says something on every answer that is long in coming, with one timer for all of them. */
export class KeepAlive implements OnApplicationShutdown {
  private readonly waiting = new Slots<Waiting>();
  private readonly timer: NodeJS.Timeout;

  constructor(intervalMs = INTERVAL_MS) {
    this.timer = setInterval(() => {
      const before = performance.now() - intervalMs;
      for (const { reply, since } of this.waiting) if (since <= before) reply.keepAlive();
    }, intervalMs);
    this.timer.unref();
  }

  /** The way to stop it. */
  start(reply: Quiet): () => void {
    const slot = this.waiting.add({ reply, since: performance.now() });
    return () => this.waiting.remove(slot);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}
