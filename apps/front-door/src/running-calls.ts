import { Slots } from '@portico/bus';
import { Fault, type Stop } from '@portico/contracts';

const keyOf = (session: string, requestId: string | number): string => `${session} ${typeof requestId} ${requestId}`;

/** What runs here now: all of it, for the end; and by name the calls of 2025 sessions, so that a cancellation finds its own and no other. */
export class RunningCalls {
  private readonly all = new Slots<Stop>();
  private readonly calls = new Map<string, Stop>();

  /** Holds a request until `end` is given what this returns. */
  begin(stop: Stop): number {
    return this.all.add(stop);
  }

  end(place: number): void {
    this.all.remove(place);
  }

  /** Gives up what runs, so that it is answered while it can be. */
  giveUp(): void {
    for (const stop of this.all)
      stop.abort(new Fault('BACKEND_UNAVAILABLE', 'The gateway stopped before the answer came.'));
  }

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
