import type { OnApplicationShutdown } from '@nestjs/common';
import type { ServerResponse } from 'node:http';

const CHECK_MS = 1_000;
/** A subscriber that has read nothing for so many checks is let go, and with it what waits for it. */
const CHECKS = 5;

/** Subscriptions whose client does not read: a slow subscriber loses its stream, not the server its memory. */
export class UnreadSubscriptions implements OnApplicationShutdown {
  private readonly stuck = new Map<ServerResponse, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(checkMs = CHECK_MS) {
    this.timer = setInterval(() => this.check(), checkMs);
    this.timer.unref();
  }

  watch(res: ServerResponse): void {
    this.stuck.set(res, 0);
    res.once('close', () => this.stuck.delete(res));
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    for (const [res, times] of this.stuck) {
      if (!res.writableNeedDrain) this.stuck.set(res, 0);
      else if (times + 1 >= CHECKS) res.destroy();
      else this.stuck.set(res, times + 1);
    }
  }
}
