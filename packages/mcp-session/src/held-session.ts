import { Fault, ToolResult } from '@portico/contracts';
import type { StopSignal, ToolCallRequest } from '@portico/contracts';
import { readCatalogue, readMirrors } from './catalogue.js';
import type { MirrorTable, ServerCatalogue } from './catalogue.js';
import type { Ask, Connection, ServerFacts, SessionParts } from './connection.js';
import { Faults, Refusal, beforeSending } from './faults.js';
import { paramHeaders } from './header-values.js';
import { HeldConnection } from './held-connection.js';
import type { Failure, SessionState } from './held-connection.js';
import type { JsonObject } from './json-rpc.js';
import type {
  CompleteRequest,
  CompleteResult,
  GetPromptRequest,
  GetPromptResult,
  HeldSessionOptions,
  ReadResourceRequest,
  ReadResourceResult,
  UseOptions,
} from './session-use.js';
import { SharedAttempt } from './shared-attempt.js';
import type { TargetSource } from './target.js';
import { SILENT } from './target.js';

/** Changes that come in a burst are told once, after this many milliseconds. */
const CHANGES_TOLD_AFTER_MS = 50;

/** One session to one MCP server: opened on first use, kept, re-made when dead. Every failure is a `Fault`. */
export class HeldSession {
  readonly #parts: SessionParts;
  readonly #connection: HeldConnection;
  readonly #changed = new Set<() => void>();
  readonly #updated = new Set<(uri: string) => void>();
  #reading: SharedAttempt<ServerCatalogue> | undefined;
  #known: { readonly catalogue: ServerCatalogue; readonly until: number } | undefined;
  #mirrors: MirrorTable = new Map();
  #telling: NodeJS.Timeout | undefined;

  constructor(target: TargetSource, options: HeldSessionOptions) {
    let lastId = 0;
    this.#parts = {
      name: options.name,
      clientInfo: options.clientInfo ?? { name: 'portico', version: '0.1.0' },
      connectTimeoutMs: options.connectTimeoutMs ?? 20_000,
      answerLimitBytes: options.answerLimitBytes ?? 8_388_608,
      faults: new Faults(options.name),
      log: options.log ?? SILENT,
      nextId: () => ++lastId,
      changed: () => this.#onChanged(),
      resourceUpdated: (uri) => this.#updated.forEach((listener) => this.#tell(() => listener(uri))),
    };
    this.#connection = new HeldConnection(target, this.#parts, options.eraMemory);
  }

  get state(): SessionState {
    return this.#connection.state;
  }

  /** Why the server was last out of reach; undefined once it answered again. */
  get failure(): Failure | undefined {
    return this.#connection.failure;
  }

  /** Since when it is in its state. */
  get since(): Date {
    return this.#connection.since;
  }

  /** What the server said of itself when it was last connected. */
  get facts(): ServerFacts | undefined {
    return this.#connection.facts;
  }

  /** What it published when it was last asked; undefined when that is not known, or has changed since. */
  get known(): ServerCatalogue | undefined {
    return this.#known?.catalogue;
  }

  /** The last lines a stdio server wrote to stderr; empty over HTTP. */
  get stderr(): readonly string[] {
    return this.#connection.stderr;
  }

  /** Sent once; once more only after the server's word that it did not act on it (see `Refusal`). */
  async callTool(request: ToolCallRequest, use: UseOptions): Promise<ToolResult> {
    const { tool, arguments: args, inputResponses, requestState } = request;
    const params = { name: tool, arguments: args, inputResponses, requestState };
    const { meta, client } = request;
    const result = await this.#use(false, use.signal, () => {
      const mirrored = this.#mirrors.get(tool);
      const headers = mirrored === undefined ? undefined : paramHeaders(mirrored, args);
      return { method: 'tools/call', params, meta, client, paramHeaders: headers, ...use };
    });
    // What the contract asks of every tool result; everything else passes as it came.
    if (!ToolResult.safeParse(result).success) throw this.#parts.faults.garbage();
    return result;
  }

  async readResource({ client, ...params }: ReadResourceRequest, use: UseOptions): Promise<ReadResourceResult> {
    return (await this.#use(true, use.signal, () => ({
      method: 'resources/read',
      params,
      client,
      ...use,
    }))) as ReadResourceResult;
  }

  async getPrompt({ client, ...params }: GetPromptRequest, use: UseOptions): Promise<GetPromptResult> {
    return (await this.#use(true, use.signal, () => ({
      method: 'prompts/get',
      params,
      client,
      ...use,
    }))) as GetPromptResult;
  }

  async complete(params: CompleteRequest, use: UseOptions): Promise<CompleteResult> {
    return (await this.#use(true, use.signal, () => ({
      method: 'completion/complete',
      params,
      ...use,
    }))) as CompleteResult;
  }

  /**
   * All that the server publishes. Remembered until it says that something changed, or its `ttlMs` has passed; `refresh`
   * asks anew. Askers share one walk through the pages, bounded by the connect limit.
   */
  async catalogue({ refresh = false, signal }: { refresh?: boolean; signal: AbortSignal }): Promise<ServerCatalogue> {
    if (!refresh && this.#known !== undefined && this.#known.until > performance.now()) return this.#known.catalogue;
    if (this.#connection.closed) throw this.#parts.faults.closed();
    const walk = (this.#reading ??= this.#startReading());
    return walk.join(signal, () => this.#parts.faults.aborted(signal, 'no'));
  }

  /**
   * Ends the connection and makes another. Over HTTP what runs on it is given 5 s to end, a process is ended at once. Rejects
   * as a use of it would.
   */
  reconnect({ signal }: { signal: StopSignal }): Promise<void> {
    return this.#connection.reconnect(signal);
  }

  /** The server's lists have changed, or may have: a connection was re-made. Returns the way to stop listening. */
  onChanged(listener: () => void): () => void {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }

  onResourceUpdated(listener: (uri: string) => void): () => void {
    this.#updated.add(listener);
    return () => this.#updated.delete(listener);
  }

  /** Ends the connection, whatever runs on it; the next use makes another. Resolves when no process or socket of it is left. */
  async disconnect(): Promise<void> {
    this.#reading?.abort(this.#parts.faults.closed());
    await this.#connection.disconnect();
  }

  /** Ends the session for good; what runs on it fails. Resolves when no process, socket or timer of it is left. Idempotent. */
  async close(): Promise<void> {
    const reading = this.#reading;
    reading?.abort(this.#parts.faults.closed());
    await this.#connection.close();
    await reading?.outcome.catch(() => undefined);
    clearTimeout(this.#telling);
    this.#known = undefined;
  }

  async #use(idempotent: boolean, signal: StopSignal, make: () => Ask): Promise<JsonObject> {
    for (let again = false; ; again = true) {
      const connection = await this.#connection.use(signal);
      try {
        const { result } = await connection.ask(make());
        this.#connection.note(undefined);
        return result;
      } catch (error) {
        const fault = Fault.from(error);
        this.#connection.note(fault);
        const why =
          fault instanceof Refusal ? fault.refusal : idempotent && isLoss(fault) ? 'connection-lost' : undefined;
        if (why === undefined || again || this.#connection.closed || signal.aborted) throw fault;
        this.#parts.log.info('asked-again', { server: this.#parts.name, why });
        if (why === 'header-mismatch') await this.#lookUpMirrors(connection, signal);
      }
    }
  }

  /** The headers that the server wants may have changed since its list was read. */
  async #lookUpMirrors(connection: Connection, signal: StopSignal): Promise<void> {
    try {
      this.#mirrors = await readMirrors(connection, this.#parts, signal);
    } catch (error) {
      // The call that waits for it was refused and is not sent again: it was not executed.
      throw beforeSending(error);
    }
  }

  #startReading(): SharedAttempt<ServerCatalogue> {
    const isCurrent = (): boolean => this.#reading === reading;
    // Time to connect, and as much again to read.
    const reading = new SharedAttempt(2 * this.#parts.connectTimeoutMs, (within) =>
      this.#readCatalogue(within, isCurrent).finally(() => {
        if (isCurrent()) this.#reading = undefined;
      }),
    );
    return reading;
  }

  /** `isCurrent`: nothing has changed since the walk began, so that its outcome may be remembered. */
  async #readCatalogue(within: AbortSignal, isCurrent: () => boolean): Promise<ServerCatalogue> {
    for (let again = false; ; again = true) {
      const connection = await this.#connection.use(within);
      try {
        const { catalogue, mirrors } = await readCatalogue(connection, this.#parts, within);
        this.#connection.note(undefined);
        this.#mirrors = mirrors;
        if (isCurrent()) this.#known = { catalogue, until: performance.now() + (catalogue.ttlMs ?? Infinity) };
        return catalogue;
      } catch (error) {
        const fault = Fault.from(error);
        this.#connection.note(fault);
        if (again || within.aborted || !isLoss(fault)) throw fault;
      }
    }
  }

  #onChanged(): void {
    this.#known = undefined;
    this.#reading = undefined;
    if (this.#connection.closed || this.#telling !== undefined) return;
    this.#telling = setTimeout(() => {
      this.#telling = undefined;
      this.#changed.forEach((listener) => this.#tell(listener));
    }, CHANGES_TOLD_AFTER_MS);
  }

  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#parts.log.error('listener-failed', { server: this.#parts.name, error });
    }
  }
}

const isLoss = ({ code }: Fault): boolean => code === 'BACKEND_UNAVAILABLE';
