import { Fault } from '@portico/contracts';
import type {
  Notice,
  ReplyOf,
  RequestOf,
  ToolCallRequest,
  ToolResult,
  complete,
  getPrompt,
  readResource,
} from '@portico/contracts';
import { readCatalogue, readMirrors } from './catalogue.js';
import type { MirrorTable, ServerCatalogue } from './catalogue.js';
import type { Ask, Connection, SessionParts } from './connection.js';
import { Faults, Refusal, beforeSending } from './faults.js';
import { paramHeaders } from './header-values.js';
import type { JsonObject } from './json-rpc.js';
import { openConnection } from './open-connection.js';
import type { SessionMemory } from './open-connection.js';
import { SharedAttempt } from './shared-attempt.js';
import { StderrRing } from './stderr-ring.js';
import type { SessionLog, TargetSource } from './target.js';

export interface HeldSessionOptions {
  /** The server's configured name: the only thing about it that a fault's message tells. */
  readonly name: string;
  /** How we introduce ourselves where the caller's client says nothing. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** Milliseconds for all attempts of one connection together. Default 20,000. */
  readonly connectTimeoutMs?: number;
  /** Most bytes of one answer. Default 8,388,608. */
  readonly answerLimitBytes?: number;
  readonly log?: SessionLog;
}

export interface UseOptions {
  /** Aborting it ends the call at once, at the server too; a deadline is a signal that aborts with a TimeoutError. */
  readonly signal: AbortSignal;
  /** Given: progress and log lines of this call are delivered here, in order, before the result, without a progress token. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
}

export type SessionState = 'idle' | 'connecting' | 'connected' | 'failed' | 'closed';
export type ReadResourceRequest = RequestOf<ReturnType<typeof readResource>>;
export type ReadResourceResult = ReplyOf<ReturnType<typeof readResource>>;
export type GetPromptRequest = RequestOf<ReturnType<typeof getPrompt>>;
export type GetPromptResult = ReplyOf<ReturnType<typeof getPrompt>>;
export type CompleteRequest = RequestOf<ReturnType<typeof complete>>;
export type CompleteResult = ReplyOf<ReturnType<typeof complete>>;

/** Changes that come in a burst are told once, after this many milliseconds. */
const CHANGES_TOLD_AFTER_MS = 50;
const SILENT: SessionLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** One session to one MCP server: opened on first use, kept, re-made when dead. Every failure is a `Fault`. */
export class HeldSession {
  readonly #parts: SessionParts;
  readonly #memory: SessionMemory = { legacySince: undefined, stderr: new StderrRing() };
  #connectedBefore = false;
  readonly #connectTimeoutMs: number;
  readonly #changed = new Set<() => void>();
  readonly #updated = new Set<(uri: string) => void>();
  readonly #retired = new Set<Connection>();
  #connection: Connection | undefined;
  #opening: SharedAttempt<Connection> | undefined;
  #reading: SharedAttempt<ServerCatalogue> | undefined;
  #known: { readonly catalogue: ServerCatalogue; readonly until: number } | undefined;
  #mirrors: MirrorTable = new Map();
  #telling: NodeJS.Timeout | undefined;
  #lastError: string | undefined;
  #closed = false;

  constructor(
    private readonly target: TargetSource,
    options: HeldSessionOptions,
  ) {
    let lastId = 0;
    this.#connectTimeoutMs = options.connectTimeoutMs ?? 20_000;
    this.#parts = {
      name: options.name,
      clientInfo: options.clientInfo ?? { name: 'portico', version: '0.1.0' },
      connectTimeoutMs: this.#connectTimeoutMs,
      answerLimitBytes: options.answerLimitBytes ?? 8_388_608,
      faults: new Faults(options.name),
      log: options.log ?? SILENT,
      nextId: () => ++lastId,
      changed: () => this.#onChanged(),
      resourceUpdated: (uri) => this.#updated.forEach((listener) => this.#tell(() => listener(uri))),
    };
  }

  get state(): SessionState {
    if (this.#closed) return 'closed';
    if (this.#opening !== undefined) return 'connecting';
    if (this.#lastError !== undefined) return 'failed';
    return this.#connection === undefined || this.#connection.ended ? 'idle' : 'connected';
  }

  /** Why the server was last out of reach; undefined once it answered again. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** The last lines a stdio server wrote to stderr; empty over HTTP. */
  get stderr(): readonly string[] {
    return this.#memory.stderr.lines;
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
    // The one shape that the contract asks of every tool result; everything else passes as it came.
    if (result.content !== undefined && !Array.isArray(result.content)) throw this.#parts.faults.garbage();
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
    if (this.#closed) throw this.#parts.faults.closed();
    if (!refresh && this.#known !== undefined && this.#known.until > performance.now()) return this.#known.catalogue;
    const walk = (this.#reading ??= this.#startReading());
    return walk.join(signal, () => this.#parts.faults.aborted(signal, 'no'));
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

  /** Ends the session for good; what runs on it fails. Resolves when no process, socket or timer of it is left. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#telling);
    const fault = this.#parts.faults.closed();
    this.#reading?.abort(fault);
    this.#opening?.abort(fault);
    await this.#opening?.outcome.catch(() => undefined);
    await Promise.all([...this.#retired, this.#connection].map((connection) => connection?.close()));
    await this.#reading?.outcome.catch(() => undefined);
  }

  async #use(idempotent: boolean, signal: AbortSignal, make: () => Ask): Promise<JsonObject> {
    for (let again = false; ; again = true) {
      const connection = await this.#connected(signal);
      try {
        const { result } = await connection.ask(make());
        this.#lastError = undefined;
        return result;
      } catch (error) {
        const fault = Fault.from(error);
        if (fault.code === 'BACKEND_UNAVAILABLE') this.#lastError = fault.message;
        const refused = fault instanceof Refusal;
        const lost = idempotent && fault.code === 'BACKEND_UNAVAILABLE';
        if (again || this.#closed || signal.aborted || !(refused || lost)) throw fault;
        this.#parts.log.info('asked-again', {
          server: this.#parts.name,
          why: refused ? fault.refusal : 'connection-lost',
        });
        if (refused && fault.refusal === 'header-mismatch') {
          this.#mirrors = await readMirrors(connection, this.#parts, signal).catch((error: unknown) => {
            throw beforeSending(error);
          });
        }
      }
    }
  }

  async #connected(signal: AbortSignal): Promise<Connection> {
    if (this.#closed) throw this.#parts.faults.closed();
    if (signal.aborted) throw this.#parts.faults.aborted(signal, 'no');
    if (this.#connection !== undefined && !this.#connection.ended) return this.#connection;
    // Published before it begins: whoever comes while it runs shares it.
    this.#opening ??= new SharedAttempt(this.#connectTimeoutMs, (within) => this.#open(within));
    return this.#opening.join(signal, () => this.#parts.faults.aborted(signal, 'no'));
  }

  async #open(within: AbortSignal): Promise<Connection> {
    const before = this.#connection;
    this.#connection = undefined;
    this.#retire(before);
    try {
      const target = typeof this.target === 'function' ? await this.target() : this.target;
      const connection = await openConnection(target, this.#parts, this.#memory, within);
      if (within.aborted) {
        await connection.close();
        throw this.#parts.faults.aborted(within, 'no');
      }
      this.#connection = connection;
      this.#lastError = undefined;
      this.#parts.log.info('connected', {
        server: this.#parts.name,
        protocolVersion: connection.facts.protocolVersion,
      });
      if (this.#connectedBefore) this.#onChanged();
      this.#connectedBefore = true;
      return connection;
    } catch (error) {
      const fault = this.#closed ? this.#parts.faults.closed() : beforeSending(error);
      this.#lastError = fault.message;
      this.#parts.log.warn('not-connected', { server: this.#parts.name, code: fault.code, cause: fault.cause });
      throw fault;
    } finally {
      this.#opening = undefined;
    }
  }

  #startReading(): SharedAttempt<ServerCatalogue> {
    const reading: SharedAttempt<ServerCatalogue> = new SharedAttempt(2 * this.#connectTimeoutMs, (within) =>
      this.#readCatalogue(within, () => this.#reading === reading).finally(() => {
        if (this.#reading === reading) this.#reading = undefined;
      }),
    );
    return reading;
  }

  /** `current`: nothing has changed since the walk began, so that its outcome may be remembered. */
  async #readCatalogue(within: AbortSignal, current: () => boolean): Promise<ServerCatalogue> {
    for (let again = false; ; again = true) {
      const connection = await this.#connected(within);
      try {
        const { catalogue, mirrors } = await readCatalogue(connection, this.#parts, within);
        this.#mirrors = mirrors;
        this.#lastError = undefined;
        if (current()) this.#known = { catalogue, until: performance.now() + (catalogue.ttlMs ?? Infinity) };
        return catalogue;
      } catch (error) {
        const fault = Fault.from(error);
        if (fault.code === 'BACKEND_UNAVAILABLE') this.#lastError = fault.message;
        if (again || within.aborted || fault.code !== 'BACKEND_UNAVAILABLE') throw fault;
      }
    }
  }

  #onChanged(): void {
    this.#known = undefined;
    this.#reading = undefined;
    if (this.#closed || this.#telling !== undefined) return;
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

  /** Lets go of a dead connection; calls that still run on it end as they may. */
  #retire(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.#retired.add(connection);
    void connection.retire().finally(() => this.#retired.delete(connection));
  }
}
