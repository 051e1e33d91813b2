import { Fault } from '@portico/contracts';
import type { HeldSession } from '@portico/mcp-session';
import { closeTogether } from '../closed.js';

export interface PrincipalSessionsOptions {
  readonly server: string;
  /** Most sessions at a time. */
  readonly limit: number;
  /** Milliseconds a session is kept without a call. */
  readonly idleMs: number;
  open(): HeldSession;
  /** A session has ended and nothing of it is left. */
  onClosed?(key: string): void;
}

interface Held {
  readonly session: HeldSession;
  running: number;
  usedAt: number;
}

/** How often idle sessions are looked for, in milliseconds, at most. */
const SWEEP_MS = 30_000;

/** One session to one server for each of its callers, by key: opened at the first call, closed when idle. */
export class PrincipalSessions {
  readonly #held = new Map<string, Held>();
  readonly #closing = new Map<string, Promise<void>>();
  #sweeper: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly options: PrincipalSessionsOptions) {}

  get size(): number {
    return this.#held.size;
  }

  /**
   * Uses the caller's session. Rejects with RATE_LIMITED, nothing executed, when there are as many as there may be and
   * all of them work; an idle one makes room, the longest idle first.
   */
  async use<Value>(key: string, act: (session: HeldSession) => Promise<Value>): Promise<Value> {
    const held = await this.#occupied(key);
    try {
      return await act(held.session);
    } finally {
      held.running--;
      held.usedAt = performance.now();
    }
  }

  /** Ends the session of one caller, whatever runs on it. Resolves when nothing of it is left. */
  end(key: string): Promise<void> {
    const held = this.#held.get(key);
    if (held === undefined) return this.#closing.get(key) ?? Promise.resolve();
    this.#held.delete(key);
    const ending = held.session.close().finally(() => {
      this.#closing.delete(key);
      this.options.onClosed?.(key);
    });
    // Nobody may be there to hear of it.
    ending.catch(() => undefined);
    this.#closing.set(key, ending);
    if (this.#held.size === 0) this.#stopSweeping();
    return ending;
  }

  /** Ends all of them, and takes no more. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const key of [...this.#held.keys()]) void this.end(key);
    await closeTogether([...this.#closing.values()].map((ending) => ({ close: () => ending })));
  }

  /** The caller's session, counted as working from here on. */
  async #occupied(key: string): Promise<Held> {
    for (;;) {
      const held = this.#held.get(key);
      if (held !== undefined) {
        held.running++;
        return held;
      }
      // One that is ending is gone before the next is opened: a caller never has two, and all together no more than allowed.
      const ending = this.#closing.get(key);
      if (ending === undefined && this.#held.size + this.#closing.size < this.options.limit) {
        this.#open(key);
        continue;
      }
      if (ending === undefined && this.#closing.size === 0) this.#makeRoom();
      await (ending ?? Promise.race(this.#closing.values()));
    }
  }

  #makeRoom(): void {
    const longestIdle = this.#idle().sort(([, a], [, b]) => a.usedAt - b.usedAt)[0];
    if (longestIdle === undefined) {
      const { server } = this.options;
      throw new Fault('RATE_LIMITED', `The server "${server}" has as many callers as it may have at a time.`);
    }
    void this.end(longestIdle[0]);
  }

  #open(key: string): void {
    const { server, idleMs } = this.options;
    if (this.#closed) {
      throw new Fault('BACKEND_UNAVAILABLE', `The server "${server}" is no longer served.`, { executed: 'no' });
    }
    this.#held.set(key, { session: this.options.open(), running: 0, usedAt: performance.now() });
    this.#sweeper ??= setInterval(() => this.#sweep(), Math.min(SWEEP_MS, Math.ceil(idleMs / 4)));
  }

  #idle(): [string, Held][] {
    return [...this.#held].filter(([, held]) => held.running === 0);
  }

  #sweep(): void {
    const since = performance.now() - this.options.idleMs;
    for (const [key, held] of this.#idle()) if (held.usedAt <= since) void this.end(key);
  }

  #stopSweeping(): void {
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}
