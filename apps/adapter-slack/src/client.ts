import type { Call, ReplyOf, RequestOf } from '@portico/contracts';
import type { Bus } from '@portico/bus';
import type { CallScope } from '@portico/domain-kit';
import { bridgeFault } from './faults.js';

/** Slack, by way of the bridge that holds the token. */
export class BridgeClient {
  constructor(private readonly bus: Bus) {}

  /** Asks once, within what the call has left of its time; ending the call ends what the bridge does for it. */
  async ask<C extends Call>(call: C, request: RequestOf<C>, scope: CallScope): Promise<ReplyOf<C>> {
    const { context, signal } = scope;
    try {
      return await this.bus.ask(call, request, {
        deadlineMs: scope.remainingMs(),
        signal,
        ...(context && { context }),
      });
    } catch (error) {
      throw bridgeFault(error);
    }
  }
}
