import type { HttpReply } from './http-reply.js';

const INTERVAL_MS = 15_000;

/** Says something on every answer that is long in coming, with one timer for all of them. */
export class KeepAlive {
  private readonly waiting = new Map<HttpReply, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(intervalMs = INTERVAL_MS) {
    this.timer = setInterval(() => {
      const before = performance.now() - intervalMs;
      for (const [reply, since] of this.waiting) if (since <= before) reply.keepAlive();
    }, intervalMs);
    this.timer.unref();
  }

  add(reply: HttpReply): void {
    this.waiting.set(reply, performance.now());
  }

  remove(reply: HttpReply): void {
    this.waiting.delete(reply);
  }

  close(): void {
    clearInterval(this.timer);
  }
}
