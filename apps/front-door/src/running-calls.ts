import { Fault } from '@portico/contracts';

const keyOf = (session: string, requestId: string | number): string => `${session} ${typeof requestId} ${requestId}`;

/** The calls of 2025 sessions that run here now, so that a cancellation finds the one it names and no other. */
export class RunningCalls {
  private readonly calls = new Map<string, AbortController>();

  /** Registers a call until the returned function is called; a second one under the same name replaces the first. */
  add(session: string, requestId: string | number, controller: AbortController): () => void {
    const key = keyOf(session, requestId);
    this.calls.set(key, controller);
    return () => {
      if (this.calls.get(key) === controller) this.calls.delete(key);
    };
  }

  /** Ends the call if it runs here; false when it does not. */
  cancel(session: string, requestId: string | number): boolean {
    const controller = this.calls.get(keyOf(session, requestId));
    controller?.abort(new Fault('CANCELLED', 'The client cancelled the call.'));
    return controller !== undefined;
  }

  get size(): number {
    return this.calls.size;
  }
}
