import { Fault } from '@portico/contracts';
import type { StopSignal } from '@portico/contracts';
import { readCatalogue, readMirrors } from './catalogue.js';
import type { MirrorTable, ServerCatalogue } from './catalogue.js';
import type { Connection, SessionParts } from './connection.js';
import { beforeSending } from './faults.js';
import { paramHeaders } from './header-values.js';
import type { HeldConnection } from './held-connection.js';
import type { JsonObject } from './json-rpc.js';
import { SharedAttempt } from './shared-attempt.js';

/** What a server publishes: read by one walk that all share, remembered until it changes or its time has passed. */
export class HeldCatalogue {
  #reading: SharedAttempt<ServerCatalogue> | undefined;
  #known: { readonly catalogue: ServerCatalogue; readonly until: number } | undefined;
  #mirrors: MirrorTable = new Map();

  constructor(
    private readonly connection: HeldConnection,
    private readonly parts: SessionParts,
  ) {}

  get known(): ServerCatalogue | undefined {
    return this.#known?.catalogue;
  }

  /** What is remembered; what `refresh` or nothing remembered makes it read, within twice the connect limit. */
  async read(refresh: boolean, signal: AbortSignal): Promise<ServerCatalogue> {
    if (!refresh && this.#known !== undefined && this.#known.until > performance.now()) return this.#known.catalogue;
    if (this.connection.closed) throw this.parts.faults.closed();
    const walk = (this.#reading ??= this.#startReading());
    return walk.join(signal, () => this.parts.faults.aborted(signal, 'no'));
  }

  /** The headers that a tool wants its arguments mirrored in, as far as that is known; undefined: none. */
  headersOf(tool: string, args: JsonObject): string[] | undefined {
    const mirrored = this.#mirrors.get(tool);
    return mirrored && paramHeaders(mirrored, args);
  }

  /** Looks up again which headers tools want. Rejects with a Fault, `executed: no`: the call that waits for it was refused. */
  async readHeaders(connection: Connection, signal: StopSignal): Promise<void> {
    try {
      this.#mirrors = await readMirrors(connection, this.parts, signal);
    } catch (error) {
      throw beforeSending(error);
    }
  }

  /** It has changed, or may have: the next who asks has it read, and a walk that runs is for those who wait for it alone. */
  forget(): void {
    this.#known = undefined;
    this.#reading = undefined;
  }

  /** Ends a walk that runs; resolves when it has ended. */
  async abort(): Promise<void> {
    const reading = this.#reading;
    reading?.abort(this.parts.faults.closed());
    await reading?.outcome.catch(() => undefined);
  }

  #startReading(): SharedAttempt<ServerCatalogue> {
    const isCurrent = (): boolean => this.#reading === reading;
    // Time to connect, and as much again to read.
    const reading = new SharedAttempt(2 * this.parts.connectTimeoutMs, (within) =>
      this.#walk(within, isCurrent).finally(() => {
        if (isCurrent()) this.#reading = undefined;
      }),
    );
    return reading;
  }

  /** `isCurrent`: nothing has changed since the walk began, so that its outcome may be remembered. */
  async #walk(within: AbortSignal, isCurrent: () => boolean): Promise<ServerCatalogue> {
    for (let again = false; ; again = true) {
      const connection = await this.connection.use(within);
      try {
        const { catalogue, mirrors } = await readCatalogue(connection, this.parts, within);
        this.connection.note(undefined);
        this.#mirrors = mirrors;
        if (isCurrent()) this.#known = { catalogue, until: performance.now() + (catalogue.ttlMs ?? Infinity) };
        return catalogue;
      } catch (error) {
        const fault = Fault.from(error);
        if (within.aborted || this.connection.hasDropped(connection)) throw fault;
        this.connection.note(fault);
        if (again || fault.code !== 'BACKEND_UNAVAILABLE') throw fault;
      }
    }
  }
}
