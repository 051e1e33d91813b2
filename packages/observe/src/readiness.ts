/** Gives the reason why work cannot be taken now, or nothing when it can. */
export type ReadinessCheck = () => string | undefined;

/** Whether a service takes work: not while it starts, not while it drains, and not while a check has a reason. */
export class Readiness {
  #phase: 'starting' | 'serving' | 'draining' = 'starting';
  readonly #checks = new Set<ReadinessCheck>();

  /** Called when everything is open. A service that drains stays so. */
  started(): void {
    if (this.#phase === 'starting') this.#phase = 'serving';
  }

  /** Called first thing at shutdown. */
  draining(): void {
    this.#phase = 'draining';
  }

  /** Adds a check, made at each look; returns what takes it away. */
  check(check: ReadinessCheck): () => void {
    this.#checks.add(check);
    return () => void this.#checks.delete(check);
  }

  /** Empty when ready. */
  reasons(): string[] {
    const found = [...this.#checks].map((check) => check()).filter((reason) => reason !== undefined);
    return this.#phase === 'serving' ? found : [this.#phase, ...found];
  }
}
