import type { Incoming } from '@portico/bus';
import type { CallContext, Notice, StopSignal } from '@portico/contracts';
import { type Span, below } from '@portico/observe';

/** A request as the handler sees it while it is traced: the same, but what its context goes on to is below its own span. */
export class TracedIncoming implements Incoming {
  readonly context: CallContext | undefined;

  constructor(
    private readonly incoming: Incoming,
    span: Span,
  ) {
    const { context } = incoming;
    this.context = context && below(span, context);
    if (context !== undefined) span.set('portico.correlation_id', context.correlationId);
  }

  get wantsNotices(): boolean {
    return this.incoming.wantsNotices;
  }

  get signal(): AbortSignal {
    return this.incoming.signal;
  }

  get stop(): StopSignal {
    return this.incoming.stop;
  }

  get remainingMs(): () => number {
    return this.incoming.remainingMs;
  }

  get notify(): (notice: Notice) => void {
    return this.incoming.notify;
  }
}
