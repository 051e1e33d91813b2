export type StopListener = (() => void) | { handleEvent(): void };

/** What the path of a call needs of an AbortSignal. Every AbortSignal is one; a `Stop` costs a fiftieth of one. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: StopListener): void;
  removeEventListener(type: 'abort', listener: StopListener): void;
}

/** A StopSignal and its own controller. Listeners are told once, in order. */
export class Stop implements StopSignal {
  aborted = false;
  reason: unknown;
  private listeners: StopListener[] = [];

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const told = this.listeners;
    this.listeners = [];
    for (const listener of told) {
      if (typeof listener === 'function') listener();
      else listener.handleEvent();
    }
  }

  addEventListener(_type: 'abort', listener: StopListener): void {
    if (!this.aborted) this.listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: StopListener): void {
    const at = this.listeners.indexOf(listener);
    if (at >= 0) this.listeners.splice(at, 1);
  }
}

/** The same as an AbortSignal, for what takes no less. */
export function abortSignalOf(signal: StopSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const follow = (): void => controller.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow);
  return controller.signal;
}
