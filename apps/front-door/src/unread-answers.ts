import type { ServerResponse } from 'node:http';

/** A caller that does not read its answer has so long to begin. */
const PATIENCE_MS = 30_000;
/** Most bytes that wait in this process for callers who do not read; beyond it the longest unread goes first. */
const MOST_BYTES = 134_217_728;

interface Unread {
  readonly res: ServerResponse;
  readonly bytes: number;
  readonly timer: NodeJS.Timeout;
}

/** Answers that have been given and not been read: bounded in time and, together, in bytes. */
export class UnreadAnswers {
  private readonly unread = new Map<ServerResponse, Unread>();
  private bytes = 0;

  constructor(
    private readonly patienceMs = PATIENCE_MS,
    private readonly mostBytes = MOST_BYTES,
  ) {}

  /** Call when an answer has been written whole. Nearly all are in the kernel's hands by then, and cost nothing here. */
  written(res: ServerResponse): void {
    const bytes = res.socket?.writableLength ?? 0;
    if (bytes === 0 || res.writableFinished || this.unread.has(res)) return;
    const timer = setTimeout(() => res.destroy(), this.patienceMs);
    timer.unref();
    this.unread.set(res, { res, bytes, timer });
    this.bytes += bytes;
    res.once('close', () => this.forget(res));
    res.once('finish', () => this.forget(res));
    for (const [oldest] of this.unread) {
      if (this.bytes <= this.mostBytes) break;
      oldest.destroy();
      this.forget(oldest);
    }
  }

  private forget(res: ServerResponse): void {
    const unread = this.unread.get(res);
    if (unread === undefined) return;
    clearTimeout(unread.timer);
    this.unread.delete(res);
    this.bytes -= unread.bytes;
  }
}
