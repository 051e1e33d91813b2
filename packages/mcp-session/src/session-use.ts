import type {
  CallContext,
  Notice,
  ReplyOf,
  RequestOf,
  StopSignal,
  complete,
  getPrompt,
  readResource,
} from '@portico/contracts';
import type { SessionLog } from './target.js';

/** How one session is opened. */
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
  /** Where the verdict on the server's era outlives this session. Default: nowhere. */
  readonly eraMemory?: EraMemory;
}

/** Since when a server is known to be of the legacy era, in milliseconds of the epoch; undefined: it is not. */
export interface EraMemory {
  recall(): Promise<number | undefined>;
  remember(legacySince: number | undefined): void;
}

export interface UseOptions {
  /** Aborting it ends the call at once, at the server too; a deadline is a signal that aborts with a TimeoutError. */
  readonly signal: StopSignal;
  /** Given: progress and log lines of this call are delivered here, in order, before the result, without a progress token. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /**
   * Given: the server is told the ids of this call's context with it, as headers over HTTP and in `_meta` over stdio, but never
   * who calls. For servers that are to know them.
   */
  readonly context?: CallContext | undefined;
}

export type ReadResourceRequest = RequestOf<ReturnType<typeof readResource>>;
export type ReadResourceResult = ReplyOf<ReturnType<typeof readResource>>;
export type GetPromptRequest = RequestOf<ReturnType<typeof getPrompt>>;
export type GetPromptResult = ReplyOf<ReturnType<typeof getPrompt>>;
export type CompleteRequest = RequestOf<ReturnType<typeof complete>>;
export type CompleteResult = ReplyOf<ReturnType<typeof complete>>;
