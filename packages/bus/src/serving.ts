import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@portico/contracts';
import type { Call } from '@portico/contracts';
import type { z } from 'zod';
import type { Handler } from './bus.js';
import type { BusLog } from './bus-log.js';
import { checkRequest } from './contract-check.js';
import type { Accept } from './link.js';
import { Slots } from './slots.js';
import { IncomingWork, Work } from './work.js';

/** How long a handler whose signal was aborted may take to answer before it is answered for, in milliseconds. */
const LAST_WORD_MS = 250;

/** The answering end of one call: runs a handler for each request, and knows which are running. */
export class Serving<C extends Call> {
  private readonly running = new Slots<Work>();
  private idle: (() => void) | undefined;

  constructor(
    private readonly call: C,
    private readonly handler: Handler<C>,
    private readonly log: BusLog,
  ) {}

  readonly accept: Accept = (request, answers) => {
    const work = new Work(request, answers);
    void this.run(work, this.running.add(work));
    return work;
  };

  /** Waits for what runs, at most `drainMs`; then aborts it, and answers for what stays silent even so. */
  async drain(drainMs: number): Promise<void> {
    await this.idleWithin(drainMs);
    const stopping = new Fault('BACKEND_UNAVAILABLE', 'The service stopped before it could answer.');
    for (const work of this.running) work.abort(stopping);
    await this.idleWithin(LAST_WORD_MS);
    for (const work of this.running) work.fault(stopping);
  }

  private async run(work: Work, slot: number): Promise<void> {
    // No handler runs within the asker's stack, whatever the link. (queueMicrotask would cost a microsecond.)
    await Promise.resolve();
    try {
      if (work.stopped) throw work.stopped;
      work.reply(await this.handler(this.checked(work), new IncomingWork(work)));
    } catch (error) {
      work.fault(this.faultOf(error, work));
    } finally {
      this.running.remove(slot);
      if (this.running.size === 0) this.idle?.();
    }
  }

  private checked({ request: { checked, data } }: Work): z.output<C['request']> {
    const value = checked?.by === this.call.request ? checked.value : checkRequest(this.call.request, data);
    return value as z.output<C['request']>;
  }

  private faultOf(error: unknown, work: Work): Fault {
    const { stopped } = work;
    // Whatever it asked in turn can not tell why: it was not the caller when the deadline passed, or this service stops.
    if (error instanceof Fault && error.code === 'CANCELLED' && stopped && stopped.code !== 'CANCELLED')
      return new Fault(stopped.code, stopped.message, { executed: error.executed });
    if (error instanceof Fault) {
      // That the asker went is no failure.
      if (error.cause !== undefined && error.code !== 'CANCELLED')
        this.log.warn('bus.handler-fault', this.story(error.cause, work, error.code));
      return error;
    }
    // What a handler throws because it was told to stop is no surprise: say why it was told.
    if (stopped) return stopped;
    this.log.error('bus.handler-failed', this.story(error, work));
    return Fault.from(error);
  }

  private story(error: unknown, { request }: Work, code?: string): Record<string, unknown> {
    return { subject: this.call.subject, correlationId: request.context?.correlationId, ...(code && { code }), error };
  }

  private async idleWithin(ms: number): Promise<void> {
    if (this.running.size === 0) return;
    const waited = new AbortController();
    const idle = new Promise<void>((resolve) => (this.idle = resolve));
    await Promise.race([idle, delay(ms, undefined, { signal: waited.signal }).catch(() => {})]);
    waited.abort();
  }
}
