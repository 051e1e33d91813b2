import type { SessionLog } from './target.js';

/** Changes that come in a burst are told once, after this many milliseconds. */
const TOLD_AFTER_MS = 50;

/** Those who want to hear that something changed at a server. Who listens badly harms nobody else. */
export class SessionChanges {
  readonly #changed = new Set<() => void>();
  readonly #updated = new Set<(uri: string) => void>();
  #telling: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    private readonly server: string,
    private readonly log: SessionLog,
  ) {}

  /** Returns the way to stop listening. */
  onChanged(listener: () => void): () => void {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }

  onResourceUpdated(listener: (uri: string) => void): () => void {
    this.#updated.add(listener);
    return () => this.#updated.delete(listener);
  }

  changed(): void {
    if (this.#closed) return;
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      this.#changed.forEach((listener) => this.#tell(listener));
    }, TOLD_AFTER_MS);
  }

  resourceUpdated(uri: string): void {
    this.#updated.forEach((listener) => this.#tell(() => listener(uri)));
  }

  /** Nothing is told any more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#telling);
  }

  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.log.error('session.listener-failed', { server: this.server, error });
    }
  }
}
