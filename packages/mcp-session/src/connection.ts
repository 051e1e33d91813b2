import type { CallContext, ClientHints, Notice, StopSignal } from '@portico/contracts';
import type { Faults } from './faults.js';
import type { JsonObject } from './json-rpc.js';
import type { SessionLog } from './target.js';

/** One live way to one server, in one era. Once `ended` it stays so: the session makes another. */
export interface Connection {
  readonly facts: ServerFacts;
  readonly ended: boolean;
  /** Sends one request, once. Rejects with a Fault. */
  ask(ask: Ask): Promise<Answer>;
  /** Takes nothing new and lets what runs on it finish; resolves when it has ended. */
  retire(): Promise<void>;
  /** Ends everything that belongs to it, what runs included; resolves when it has ended. Idempotent. */
  close(): Promise<void>;
}

/** What a server said of itself when the connection was made. */
export interface ServerFacts {
  readonly era: 'modern' | 'legacy';
  readonly protocolVersion: string;
  readonly serverInfo?: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  readonly ttlMs?: number;
  readonly cacheScope?: 'public' | 'private';
}

export interface Ask {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: StopSignal;
  /** The caller's own `_meta` keys. */
  readonly meta?: JsonObject | undefined;
  readonly client?: ClientHints | undefined;
  /** Given: its ids are told to the server with this request. */
  readonly context?: CallContext | undefined;
  /** `Mcp-Param-*` headers, name and value in turn. Only the modern era over HTTP knows them. */
  readonly paramHeaders?: readonly string[] | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** Given: every message of the answer's stream that is not the answer goes here, instead of being sorted. */
  readonly onMessage?: ((message: JsonObject) => void) | undefined;
  /** Most bytes of the answer, where less than the session's limit is left. */
  readonly limitBytes?: number | undefined;
}

export interface Answer {
  readonly result: JsonObject;
  readonly bytes: number;
}

/** What every connection of a session shares. */
export interface SessionParts {
  readonly name: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly connectTimeoutMs: number;
  readonly answerLimitBytes: number;
  readonly faults: Faults;
  readonly log: SessionLog;
  /** A JSON-RPC id that this session never used before, on this connection or another. */
  nextId(): number;
  changed(): void;
  resourceUpdated(uri: string): void;
}
