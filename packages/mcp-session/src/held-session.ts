import { Fault, ToolResult } from '@portico/contracts';
import type { StopSignal, ToolCallRequest } from '@portico/contracts';
import type { ServerCatalogue } from './catalogue.js';
import type { Ask, ServerFacts, SessionParts } from './connection.js';
import type { Failure } from './failure.js';
import { Faults, Refusal } from './faults.js';
import { HeldCatalogue } from './held-catalogue.js';
import { HeldConnection } from './held-connection.js';
import type { SessionState } from './held-connection.js';
import type { JsonObject } from './json-rpc.js';
import { SessionChanges } from './session-changes.js';
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
import type { TargetSource } from './target.js';
import { SILENT } from './target.js';

/** One session to one MCP server: opened on first use, kept, re-made when dead. Every failure is a `Fault`. */
export class HeldSession {
  readonly #parts: SessionParts;
  readonly #connection: HeldConnection;
  readonly #catalogue: HeldCatalogue;
  readonly #changes: SessionChanges;

  constructor(target: TargetSource, options: HeldSessionOptions) {
    let lastId = 0;
    const log = options.log ?? SILENT;
    const changes = new SessionChanges(options.name, log);
    this.#changes = changes;
    this.#parts = {
      name: options.name,
      clientInfo: options.clientInfo ?? { name: 'portico', version: '0.1.0' },
      connectTimeoutMs: options.connectTimeoutMs ?? 20_000,
      answerLimitBytes: options.answerLimitBytes ?? 8_388_608,
      faults: new Faults(options.name),
      log,
      nextId: () => ++lastId,
      changed: () => {
        this.#catalogue.forget();
        changes.changed();
      },
      resourceUpdated: (uri) => changes.resourceUpdated(uri),
    };
    this.#connection = new HeldConnection(target, this.#parts, options.eraMemory);
    this.#catalogue = new HeldCatalogue(this.#connection, this.#parts);
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
    return this.#catalogue.known;
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
    const result = await this.#use(false, use.signal, () => ({
      method: 'tools/call',
      params,
      meta,
      client,
      paramHeaders: this.#catalogue.headersOf(tool, args),
      ...use,
    }));
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
  catalogue({ refresh = false, signal }: { refresh?: boolean; signal: AbortSignal }): Promise<ServerCatalogue> {
    return this.#catalogue.read(refresh, signal);
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
    return this.#changes.onChanged(listener);
  }

  onResourceUpdated(listener: (uri: string) => void): () => void {
    return this.#changes.onResourceUpdated(listener);
  }

  /** Ends the connection, whatever runs on it; the next use makes another. Resolves when no process or socket of it is left. */
  async disconnect(): Promise<void> {
    await Promise.all([this.#catalogue.abort(), this.#connection.disconnect()]);
  }

  /** Ends the session for good; what runs on it fails. Resolves when no process, socket or timer of it is left. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([this.#catalogue.abort(), this.#connection.close()]);
    this.#changes.close();
    this.#catalogue.forget();
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
        if (signal.aborted || this.#connection.hasDropped(connection)) throw fault;
        this.#connection.note(fault);
        const isLoss = fault.code === 'BACKEND_UNAVAILABLE';
        const why = fault instanceof Refusal ? fault.refusal : idempotent && isLoss ? 'connection-lost' : undefined;
        if (why === undefined || again) throw fault;
        this.#parts.log.info('session.asked-again', { server: this.#parts.name, why });
        if (why === 'header-mismatch') await this.#catalogue.readHeaders(connection, signal);
      }
    }
  }
}
