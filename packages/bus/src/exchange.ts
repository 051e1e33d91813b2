import { Fault, FaultRecord, Notice } from '@portico/contracts';
import type { Call, ReplyOf, RequestOf } from '@portico/contracts';
import type { AskOptions } from './bus.js';
import type { BusLog } from './bus-log.js';
import { checkRequest, issuesOf } from './contract-check.js';
import type { Answers, Link, Running, StopReason } from './link.js';
import type { Slots } from './slots.js';

/** Longest a timer of Node runs, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** Who aborts may say that it was no caller: a service that stops, or a deadline of its own. */
const whyAborted = (reason: unknown): Fault =>
  reason instanceof Fault && reason.code !== 'CANCELLED'
    ? new Fault(reason.code, reason.message, { executed: 'unknown' })
    : new Fault('CANCELLED', 'The caller cancelled the request.');

/** What the asks of one bus share. `open` ends each that has no answer yet. */
export interface AskingEnd {
  readonly link: Link;
  readonly log: BusLog;
  readonly open: Slots<(fault: Fault) => void>;
}

/** One ask from its check to its answer. Whatever comes first settles it; whatever comes later is dropped. */
export const exchange = <C extends Call>(
  { link, log, open }: AskingEnd,
  call: C,
  request: RequestOf<C>,
  { signal, context, onNotice, ...options }: AskOptions,
): Promise<ReplyOf<C>> =>
  new Promise((resolve, reject) => {
    const deadlineMs = options.deadlineMs ?? call.deadlineMs;
    if (deadlineMs === undefined || Number.isNaN(deadlineMs))
      throw new TypeError(`An ask of "${call.subject}" needs a deadline.`);
    const value = checkRequest(call.request, request);
    if (signal?.aborted) throw new Fault('CANCELLED', 'The caller cancelled the request.', { executed: 'no' });
    if (deadlineMs <= 0) throw new Fault('TIMEOUT', 'No time was left for the request.', { executed: 'no' });

    let settled = false;
    let running: Running | undefined;
    let timer: NodeJS.Timeout | undefined;
    let slot: number | undefined;
    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (slot !== undefined) open.remove(slot);
      return true;
    };
    const end = (fault: Fault, reason?: StopReason): void => {
      if (!settle()) return;
      if (reason) running?.stop(reason);
      reject(fault);
    };
    const onAbort = (): void => end(whyAborted(signal?.reason), 'cancelled');
    const answers: Answers = {
      notice(notice) {
        if (settled || !onNotice) return;
        const checked = Notice.safeParse(notice);
        if (!checked.success) return log.warn('bus.notice-outside-contract', { subject: call.subject });
        try {
          onNotice(checked.data);
        } catch (error) {
          log.error('bus.notice-listener-failed', { subject: call.subject, error });
        }
      },
      reply(response) {
        if (!settle()) return;
        const checked = call.reply.safeParse(response);
        if (checked.success) return resolve(checked.data as ReplyOf<C>);
        log.error('bus.reply-outside-contract', { subject: call.subject, issues: issuesOf(checked.error) });
        reject(new Fault('UNKNOWN_ERROR', 'The service answered outside its contract.'));
      },
      fault(fault) {
        const record = FaultRecord.safeParse(fault);
        if (record.success) return end(Fault.fromRecord(record.data));
        log.error('bus.fault-outside-contract', { subject: call.subject, fault });
        end(new Fault('UNKNOWN_ERROR', 'The service failed in a way it did not foresee.'));
      },
    };

    running = link.request(
      {
        subject: call.subject,
        data: request,
        deadlineMs,
        wantsNotices: onNotice !== undefined,
        context,
        checked: { by: call.request, value },
        timed: true,
      },
      answers,
    );
    if (settled) return;
    slot = open.add(end);
    signal?.addEventListener('abort', onAbort);
    timer = setTimeout(
      () => end(new Fault('TIMEOUT', `No answer came within ${String(Math.round(deadlineMs))} ms.`), 'deadline'),
      Math.min(deadlineMs, LONGEST_MS),
    );
  });
