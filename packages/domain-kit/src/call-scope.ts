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

/** Made of what is looked at: most handlers never look at their signal. All of it may be taken off it. */
class Scope implements CallScope {
  constructor(
    private readonly incoming: Incoming,
    readonly log: SourceLog,
  ) {}

  get signal(): AbortSignal {
    return this.incoming.signal;
  }

  get context(): CallContext | undefined {
    return this.incoming.context;
  }

  get remainingMs(): () => number {
    return this.incoming.remainingMs;
  }

  get progress(): CallScope['progress'] {
    const { notify } = this.incoming;
    return (done, total, message) =>
      notify({
        method: 'notifications/progress',
        params: { progress: done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) },
      });
  }
}

export const scopeOf = (incoming: Incoming, log: SourceLog = SILENT): CallScope => new Scope(incoming, log);
