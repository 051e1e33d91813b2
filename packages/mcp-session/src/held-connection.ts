import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@portico/contracts';
import type { StopSignal } from '@portico/contracts';
import type { Connection, ServerFacts, SessionParts } from './connection.js';
import { failureOf, tellFailure } from './failure.js';
import type { Failure } from './failure.js';
import { beforeSending } from './faults.js';
import { openConnection } from './open-connection.js';
import type { SessionMemory } from './open-connection.js';
import { SharedAttempt } from './shared-attempt.js';
import { StderrRing } from './stderr-ring.js';
import type { EraMemory } from './session-use.js';
import type { TargetSource } from './target.js';

export type SessionState = 'idle' | 'connecting' | 'connected' | 'failed' | 'closed';

/** How long what runs on a connection may take to end when it is to be made anew, in milliseconds. */
const RETIRE_MS = 5_000;

/** The connection of a session: made on first use, by one attempt that all share, and made anew when it is dead. */
export class HeldConnection {
  readonly #memory: SessionMemory = { legacySince: undefined, stderr: new StderrRing() };
  /** No longer used, and not yet ended. */
  readonly #retired = new Set<Connection>();
  /** Ended on purpose. */
  readonly #dropped = new WeakSet<Connection>();
  #live: Connection | undefined;
  #opening: SharedAttempt<Connection> | undefined;
  #hadOne = false;
  #recalling: Promise<void> | undefined;
  #failure: Failure | undefined;
  #facts: ServerFacts | undefined;
  #seen: { readonly state: SessionState; readonly since: Date } = { state: 'idle', since: new Date() };
  #closed = false;

  constructor(
    private readonly target: TargetSource,
    private readonly parts: SessionParts,
    private readonly eraMemory: EraMemory | undefined,
  ) {}

  get closed(): boolean {
    return this.#closed;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get stderr(): readonly string[] {
    return this.#memory.stderr.lines;
  }

  get state(): SessionState {
    if (this.#closed) return 'closed';
    if (this.#opening !== undefined) return 'connecting';
    if (this.#failure !== undefined) return 'failed';
    return this.#live === undefined || this.#live.ended ? 'idle' : 'connected';
  }

  /** What the server said of itself when it was last connected. */
  get facts(): ServerFacts | undefined {
    return this.#facts;
  }

  /** Since when it is in this state; of a connection that ended by itself: since that was first seen. */
  get since(): Date {
    const { state } = this;
    if (this.#seen.state !== state) this.#seen = { state, since: new Date() };
    return this.#seen.since;
  }

  /**
   * Ends the connection and makes another; joins an attempt that runs. Over HTTP what runs on it is given 5 s to end; a
   * process is ended at once, as two of them may not run beside each other.
   */
  async reconnect(signal: StopSignal): Promise<void> {
    if (this.#closed) throw this.parts.faults.closed();
    this.#opening ??= new SharedAttempt(RETIRE_MS + this.parts.connectTimeoutMs, async (within) => {
      await this.#endLive();
      return this.#open(within);
    });
    void this.since;
    await this.#opening.join(signal, () => this.parts.faults.aborted(signal, 'no'));
  }

  /** A connection that is not known to be dead. Rejects with a Fault, `executed: no`. */
  async use(signal: StopSignal): Promise<Connection> {
    if (this.#closed) throw this.parts.faults.closed();
    if (signal.aborted) throw this.parts.faults.aborted(signal, 'no');
    if (this.#live !== undefined && !this.#live.ended) return this.#live;
    // Published before it begins: whoever comes while it runs shares it.
    this.#opening ??= new SharedAttempt(this.parts.connectTimeoutMs, (within) => this.#open(within));
    void this.since;
    return this.#opening.join(signal, () => this.parts.faults.aborted(signal, 'no'));
  }

  /** Whether we ended it: what fails with it says nothing of the server, and is not asked again on another. */
  hasDropped(connection: Connection): boolean {
    return this.#dropped.has(connection);
  }

  /** How a use of it went: undefined, the server answered. */
  note(fault: Fault | undefined): void {
    if (fault !== undefined && fault.code !== 'BACKEND_UNAVAILABLE') return;
    if (fault?.message === this.#failure?.message) return;
    this.#failure = fault && failureOf(fault);
    void this.since;
  }

  /** Ends the connection, and an attempt that runs; the next use makes another. Resolves when no process or socket is left. */
  async disconnect(): Promise<void> {
    const opening = this.#opening;
    opening?.abort(this.parts.faults.closed());
    // At once, so that nobody who comes meanwhile uses what is about to end.
    if (this.#live !== undefined) this.#retired.add(this.#live);
    this.#live = undefined;
    for (const connection of this.#retired) this.#dropped.add(connection);
    const ending = this.#endRetired();
    await opening?.outcome.catch(() => undefined);
    this.#failure = undefined;
    await ending;
  }

  /** Ends it for good, and an attempt that runs; resolves when no process or socket of it is left. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.disconnect();
  }

  async #open(within: AbortSignal): Promise<Connection> {
    const { parts } = this;
    void this.#retire();
    try {
      const target = typeof this.target === 'function' ? await this.target() : this.target;
      // What is left of a process is gone before another is started: one server never runs twice.
      if (target.transport === 'stdio') await this.#endRetired();
      if (within.aborted) throw parts.faults.aborted(within, 'no');
      await (this.#recalling ??= this.#recall());
      const connection = await openConnection(target, parts, this.#memory, within);
      this.eraMemory?.remember(this.#memory.legacySince);
      if (within.aborted) {
        await connection.close();
        throw parts.faults.aborted(within, 'no');
      }
      this.#live = connection;
      this.#facts = connection.facts;
      this.#failure = undefined;
      parts.log.info('session.connected', { server: parts.name, protocolVersion: connection.facts.protocolVersion });
      // Whatever changed while nobody listened was missed.
      if (this.#hadOne) parts.changed();
      this.#hadOne = true;
      return connection;
    } catch (error) {
      const fault = this.#closed ? parts.faults.closed() : beforeSending(error);
      this.#failure = tellFailure(fault, this.#failure, parts, this.#closed);
      // Its story has been told: the caller's service need not tell it again.
      throw new Fault(fault.code, fault.message, { executed: 'no', retryAfterMs: fault.retryAfterMs });
    } finally {
      this.#opening = undefined;
      void this.since;
    }
  }

  async #recall(): Promise<void> {
    try {
      this.#memory.legacySince ??= await this.eraMemory?.recall();
    } catch (error) {
      this.parts.log.warn('session.era-not-recalled', { server: this.parts.name, error });
    }
  }

  async #endLive(): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    const ended = new AbortController();
    await Promise.race([live.retire(), delay(RETIRE_MS, undefined, { signal: ended.signal }).catch(() => undefined)]);
    ended.abort();
    await live.close();
  }

  /** Lets go of a dead connection; calls that still run on it end as they may. */
  async #retire(): Promise<void> {
    const dead = this.#live;
    this.#live = undefined;
    if (dead === undefined) return;
    this.#retired.add(dead);
    await dead.retire().finally(() => this.#retired.delete(dead));
  }

  async #endRetired(): Promise<void> {
    const ending = [...this.#retired].map((connection) =>
      connection.close().finally(() => this.#retired.delete(connection)),
    );
    await Promise.all(ending);
  }
}
