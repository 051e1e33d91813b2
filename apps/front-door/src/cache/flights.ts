import { Fault, Stop, type StopSignal, type ToolResult } from '@portico/contracts';

/** A call that is run once for all who ask the same at the same time. */
interface Flight {
  readonly result: Promise<ToolResult>;
  /** Stops the call: when nobody waits for it any more. */
  readonly stop: Stop;
  waiting: number;
  /** All who ever asked. */
  joined: number;
}

/** Calls that run now, by what they ask. The first to ask leads: its call is run; whoever asks the same shares its result. */
export class Flights {
  private readonly flights = new Map<string, Flight>();

  /** Whether the same is being asked now. */
  has(key: string): boolean {
    return this.flights.has(key);
  }

  /**
   * The result of the call that asks this, run by `run` unless it runs already. A caller who leaves by its own signal is
   * CANCELLED alone: the call goes on while others wait. Its failure is everybody's, and is run again by nobody.
   */
  join(key: string, signal: StopSignal, run: (signal: StopSignal) => Promise<ToolResult>): Promise<ToolResult> {
    const flight = this.flights.get(key) ?? this.begin(key, run);
    flight.waiting += 1;
    flight.joined += 1;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener('abort', leave);
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          if (this.flights.get(key) === flight) this.flights.delete(key);
          flight.stop.abort(new Fault('CANCELLED', 'Nobody waits for the call any more.'));
        }
        reject(new Fault('CANCELLED', 'The caller cancelled the request.'));
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave);
      const settled = <T>(settle: (outcome: T) => void): ((outcome: T) => void) => {
        return (outcome) => {
          signal.removeEventListener('abort', leave);
          settle(outcome);
        };
      };
      flight.result.then(
        settled((result) => resolve(flight.joined > 1 ? deepFrozen(result) : result)),
        settled(reject),
      );
    });
  }

  private begin(key: string, run: (signal: StopSignal) => Promise<ToolResult>): Flight {
    const stop = new Stop();
    const result = run(stop);
    const flight: Flight = { result, stop, waiting: 0, joined: 0 };
    this.flights.set(key, flight);
    const ended = (): void => {
      if (this.flights.get(key) === flight) this.flights.delete(key);
    };
    result.then(ended, ended);
    return flight;
  }
}

/** What several hold, none may change. */
function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFrozen(member);
  return value;
}
