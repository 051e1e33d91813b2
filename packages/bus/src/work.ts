import { Fault } from '@portico/contracts';
import type { CallContext, Notice } from '@portico/contracts';
import type { Incoming } from './bus.js';
import type { Answers, LinkRequest, Running, StopReason } from './link.js';

const STOPPED: Record<StopReason, () => Fault> = {
  cancelled: () => new Fault('CANCELLED', 'The caller cancelled the request.'),
  deadline: () => new Fault('TIMEOUT', 'The deadline passed.'),
};

/** One request being answered. Its signal and timer exist only once a handler looks at the signal. */
export class Work implements Running {
  /** Why it was told to stop. */
  stopped: Fault | undefined;
  private answered = false;
  private controller: AbortController | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly deadlineAt: number;

  constructor(
    readonly request: LinkRequest,
    private readonly answers: Answers,
  ) {
    this.deadlineAt = performance.now() + request.deadlineMs;
  }

  stop(reason: StopReason): void {
    if (!this.stopped) this.abort(STOPPED[reason]());
  }

  abort(reason: Fault): void {
    if (this.stopped) return;
    this.stopped = reason;
    this.controller?.abort(reason);
  }

  reply(response: unknown): void {
    if (this.finish()) this.answers.reply(response);
  }

  fault(fault: Fault): void {
    if (this.finish()) this.answers.fault(fault.toRecord());
  }

  notice(notice: Notice): void {
    if (this.request.wantsNotices && !this.answered) this.answers.notice(notice);
  }

  remainingMs(): number {
    return Math.max(0, this.deadlineAt - performance.now());
  }

  /** Whether an answer may still be sent: once, and never to an asker who has cancelled. */
  private finish(): boolean {
    if (this.answered) return false;
    this.answered = true;
    clearTimeout(this.timer);
    return this.stopped?.code !== 'CANCELLED';
  }

  signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      const timed = this.request.timed || this.answered;
      if (!this.stopped && this.remainingMs() === 0) this.stopped = STOPPED.deadline();
      if (this.stopped) this.controller.abort(this.stopped);
      else if (!timed) this.timer = setTimeout(() => this.stop('deadline'), this.remainingMs());
    }
    return this.controller.signal;
  }
}

/** The handler's view of its work. Its functions may be taken off it; the signal is made when it is first looked at. */
export class IncomingWork implements Incoming {
  readonly context: CallContext | undefined;
  readonly wantsNotices: boolean;
  readonly remainingMs: () => number;
  readonly notify: (notice: Notice) => void;
  readonly #work: Work;

  constructor(work: Work) {
    this.#work = work;
    this.context = work.request.context;
    this.wantsNotices = work.request.wantsNotices;
    this.remainingMs = () => work.remainingMs();
    this.notify = (notice) => work.notice(notice);
  }

  get signal(): AbortSignal {
    return this.#work.signal();
  }
}
