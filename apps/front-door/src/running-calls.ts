import { Fault, type Stop } from '@portico/contracts';

const keyOf = (session: string, requestId: string | number): string => `${session} ${typeof requestId} ${requestId}`;

/** The calls of 2025 sessions that run here now, so that a cancellation finds the one it names and no other. */
export class RunningCalls {
  private readonly calls = new Map<string, Stop>();

  /** Registers a call until the returned function is called; a second one under the same name replaces the first. */
  add(session: string, requestId: string | number, stop: Stop): () => void {
    const key = keyOf(session, requestId);
    this.calls.set(key, stop);
    return () => {
      if (this.calls.get(key) === stop) this.calls.delete(key);
    };
  }

  /** Ends the call if it runs here; false when it does not. */
  cancel(session: string, requestId: string | number): boolean {
    const stop = this.calls.get(keyOf(session, requestId));
    stop?.abort(new Fault('CANCELLED', 'The client cancelled the call.'));
    return stop !== undefined;
  }

  get size(): number {
    return this.calls.size;
  }
}
