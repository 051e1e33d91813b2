import type { CallContext } from '@portico/contracts';
import type { Incoming } from '@portico/bus';
import type { SourceLog } from './source-log.js';

/** What a handler is given besides its arguments. Pass `signal` to everything that takes one. */
export interface CallScope {
  readonly signal: AbortSignal;
  readonly context: CallContext | undefined;
  /** Milliseconds left until the deadline; 0 when it has passed. */
  remainingMs(): number;
  /** Tells the caller, if it listens, how far the work is; `done` grows from call to call. */
  progress(done: number, total?: number, message?: string): void;
  readonly log: SourceLog;
}

const SILENT: SourceLog = { info() {}, warn() {}, error() {} };

export const scopeOf = (incoming: Incoming, log: SourceLog = SILENT): CallScope => ({
  // Made when it is first looked at: most handlers never do.
  get signal() {
    return incoming.signal;
  },
  context: incoming.context,
  remainingMs: () => incoming.remainingMs(),
  progress: (done, total, message) =>
    incoming.notify({
      method: 'notifications/progress',
      params: { progress: done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) },
    }),
  log,
});
