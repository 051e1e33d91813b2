import { Fault, Stop, abortSignalOf } from '@portico/contracts';
import type { CallContext, Notice, StopSignal } from '@portico/contracts';
import type { Incoming } from './bus.js';
import type { Answers, LinkRequest, Running, StopReason } from './link.js';

const STOPPED: Record<StopReason, () => Fault> = {
  cancelled: () => new Fault('CANCELLED', 'The caller cancelled the request.'),
  deadline: () => new Fault('TIMEOUT', 'The deadline passed.'),
};

/** One request being answered. Its timer exists only once a handler looks at one of its signals. */
export class Work implements Running {
  private readonly stopping = new Stop();
  private answered = false;
  private abortSignal: AbortSignal | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly deadlineAt: number;

  constructor(
    readonly request: LinkRequest,
    private readonly answers: Answers,
  ) {
    this.deadlineAt = performance.now() + request.deadlineMs;
  }

  /** Why it was told to stop. */
  get stopped(): Fault | undefined {
    return this.stopping.reason as Fault | undefined;
  }

  stop(reason: StopReason): void {
    if (!this.stopping.aborted) this.abort(STOPPED[reason]());
  }

  abort(reason: Fault): void {
    this.stopping.abort(reason);
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

  /** Keeps its own deadline from now on, where the asker's timer does not. */
  stopSignal(): StopSignal {
    const timed = this.request.timed || this.answered || this.timer !== undefined;
    if (this.remainingMs() === 0) this.stop('deadline');
    else if (!timed && !this.stopping.aborted) this.timer = setTimeout(() => this.stop('deadline'), this.remainingMs());
    return this.stopping;
  }

  signal(): AbortSignal {
    this.abortSignal ??= abortSignalOf(this.stopSignal());
    return this.abortSignal;
  }
}

/**
 * The handler's view of its work. All of it may be taken off it; each thing is made when it is first looked at. (A closure
 * assigned to a property would be allocated old, and keep all that its request refers to from dying young.)
 */
export class IncomingWork implements Incoming {
  constructor(private readonly work: Work) {}

  get context(): CallContext | undefined {
    return this.work.request.context;
  }

  get wantsNotices(): boolean {
    return this.work.request.wantsNotices;
  }

  get signal(): AbortSignal {
    return this.work.signal();
  }

  get stop(): StopSignal {
    return this.work.stopSignal();
  }

  get remainingMs(): () => number {
    const { work } = this;
    return () => work.remainingMs();
  }

  get notify(): (notice: Notice) => void {
    const { work } = this;
    return (notice) => work.notice(notice);
  }
}
