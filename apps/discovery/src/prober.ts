import type { SourceAddress } from '@portico/contracts';
import { singleFlight } from '@portico/resilience';

/** Most probes at a time that nobody waits for by name. Each may last as long as its source's connect limit. */
const BACKGROUND_PROBES = 32;
/** A source's word that it changed is followed after so many milliseconds: what it says meanwhile is one change. */
const CHANGE_REST_MS = 50;

/**
 * When each source is probed: concurrent askers share one probe, those in the background wait for a place, and a change
 * that is told during a probe brings exactly one more.
 */
export class Prober {
  readonly #share = singleFlight<SourceAddress, void>();
  readonly #running = new Set<SourceAddress>();
  readonly #changed = new Set<SourceAddress>();
  readonly #waiting = new Set<SourceAddress>();
  readonly #resting = new Map<SourceAddress, NodeJS.Timeout>();
  #background = 0;
  #closed = false;

  /** `probe` asks the source and keeps what comes of it; it rejects with the Fault that kept it from an answer. */
  constructor(private readonly probe: (source: SourceAddress) => Promise<void>) {}

  /** Probes at once, or shares the probe that runs. */
  now(source: SourceAddress): Promise<void> {
    return this.#share(source, async () => {
      this.#waiting.delete(source);
      this.#running.add(source);
      try {
        await this.probe(source);
      } finally {
        this.#running.delete(source);
        if (this.#changed.delete(source)) this.changed(source);
      }
    });
  }

  /** Probes as soon as there is a place, unless a probe runs already. How it ends is for whoever asks later. */
  soon(source: SourceAddress): void {
    if (this.#closed || this.#running.has(source)) return;
    this.#waiting.add(source);
    this.#fill();
  }

  /** The source has changed: a probe that runs may have missed it. */
  changed(source: SourceAddress): void {
    if (this.#closed || this.#resting.has(source)) return;
    if (this.#running.has(source)) {
      this.#changed.add(source);
      return;
    }
    const follow = (): void => {
      this.#resting.delete(source);
      if (this.#running.has(source)) this.#changed.add(source);
      else this.soon(source);
    };
    this.#resting.set(source, setTimeout(follow, CHANGE_REST_MS));
  }

  isRunning(source: SourceAddress): boolean {
    return this.#running.has(source);
  }

  /** The source is gone: whatever was to be asked of it is not. */
  forget(source: SourceAddress): void {
    clearTimeout(this.#resting.get(source));
    this.#resting.delete(source);
    this.#changed.delete(source);
    this.#waiting.delete(source);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#resting.values()) clearTimeout(timer);
    for (const pending of [this.#resting, this.#changed, this.#waiting]) pending.clear();
  }

  #fill(): void {
    for (const source of this.#waiting) {
      if (this.#background >= BACKGROUND_PROBES) return;
      this.#waiting.delete(source);
      this.#background++;
      // The failure is kept where the probe keeps its outcome.
      void this.now(source)
        .catch(() => {})
        .finally(() => {
          this.#background--;
          this.#fill();
        });
    }
  }
}
