import { EventEmitter } from 'node:events';
import CircuitBreaker from 'opossum';

export interface BreakerOptions {
  /** Failures in a row that open a breaker; at least 1. */
  readonly failures: number;
  /** Milliseconds an open breaker rests before it lets one through. */
  readonly resetMs: number;
  /** Most breakers remembered; beyond, the one used longest ago is forgotten, and so counts as closed. */
  readonly capacity: number;
  /** Whether an error says something about who was asked. One that does not is no failure; all do unless given. */
  readonly counts?: (error: unknown) => boolean;
}

export type BreakerState = 'closed' | 'open' | 'half_open';

/** The work was not begun: whom it would have asked has failed too often in a row. */
export class CircuitOpen extends Error {
  override readonly name = 'CircuitOpen';

  constructor(
    /** Milliseconds until one is let through. */
    readonly retryAfterMs: number,
  ) {
    super('The circuit is open.');
  }
}

type Work = () => Promise<unknown>;

interface Circuit {
  readonly breaker: CircuitBreaker<[Work], unknown>;
  failures: number;
  running: number;
  openedAt: number;
}

/** How long opossum counts in one bucket of its statistics; they are turned over here, so that no breaker has a timer. */
const BUCKET_MS = 1_000;

/**
 * A circuit breaker for each key that is failing. One that works well leaves nothing behind: no entry and no timer. Open
 * is decided by failures in a row, not by opossum's share of failures, which ten quiet seconds would forget.
 */
export class Breakers {
  readonly #circuits = new Map<string, Circuit>();
  readonly #rotation = new EventEmitter().setMaxListeners(0);
  #rotatedAt = performance.now();

  constructor(private readonly options: BreakerOptions) {}

  /** Does the work and counts its outcome. Throws CircuitOpen, with nothing begun, while the breaker is open. */
  async run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    this.#rotate();
    const circuit = this.#circuits.get(key) ?? this.#open(key);
    // Last in the map is used last.
    this.#circuits.delete(key);
    this.#circuits.set(key, circuit);
    circuit.running++;
    try {
      const value = (await circuit.breaker.fire(work)) as Value;
      circuit.failures = 0;
      return value;
    } catch (error) {
      if (error instanceof Error && CircuitBreaker.isOurError(error)) throw this.#refusal(circuit);
      if (this.#counts(error) && ++circuit.failures >= this.options.failures) circuit.breaker.open();
      throw error;
    } finally {
      circuit.running--;
      if (circuit.running === 0 && circuit.failures === 0 && circuit.breaker.closed) this.#end(key, circuit);
    }
  }

  state(key: string): BreakerState {
    const breaker = this.#circuits.get(key)?.breaker;
    return breaker === undefined || breaker.closed ? 'closed' : breaker.halfOpen ? 'half_open' : 'open';
  }

  /** Whether something is remembered of the key; where nothing is, its work may as well be done without `run`. */
  tracks(key: string): boolean {
    return this.#circuits.has(key);
  }

  /** Forgets what was counted: whoever stands behind the key is another one now. */
  forget(key: string): void {
    const circuit = this.#circuits.get(key);
    if (circuit) this.#end(key, circuit);
  }

  /** How many are remembered. */
  get size(): number {
    return this.#circuits.size;
  }

  close(): void {
    for (const [key, circuit] of this.#circuits) this.#end(key, circuit);
  }

  #open(key: string): Circuit {
    for (const [oldest, circuit] of this.#circuits) {
      if (this.#circuits.size < this.options.capacity) break;
      this.#end(oldest, circuit);
    }
    const breaker = new CircuitBreaker((work: Work) => work(), {
      // The work has a deadline of its own.
      timeout: false,
      resetTimeout: this.options.resetMs,
      // No share of failures is above it: what opens is the count of those in a row.
      errorThresholdPercentage: 100,
      // To opossum what does not count is a success, and would close a breaker that is trying.
      errorFilter: (error: unknown) => !this.#counts(error) && !breaker.halfOpen,
      enableSnapshots: false,
      rollingPercentilesEnabled: false,
      rotateBucketController: this.#rotation,
    } as CircuitBreaker.Options<[Work]>);
    const circuit: Circuit = { breaker, failures: 0, running: 0, openedAt: 0 };
    breaker.on('open', () => {
      circuit.openedAt = performance.now();
    });
    this.#circuits.set(key, circuit);
    return circuit;
  }

  /** Its timer, if it has one, ends with it. */
  #end(key: string, circuit: Circuit): void {
    if (this.#circuits.get(key) === circuit) this.#circuits.delete(key);
    circuit.breaker.shutdown();
  }

  #refusal({ openedAt }: Circuit): CircuitOpen {
    return new CircuitOpen(Math.max(0, Math.ceil(openedAt + this.options.resetMs - performance.now())));
  }

  #counts(error: unknown): boolean {
    return this.options.counts?.(error) ?? true;
  }

  #rotate(): void {
    if (performance.now() - this.#rotatedAt < BUCKET_MS) return;
    this.#rotatedAt = performance.now();
    this.#rotation.emit('rotate');
  }
}
