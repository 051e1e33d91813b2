import type { Notice, ReplyOf, RequestOf, ToolCallRequest, ToolResult, complete, getPrompt, readResource } from '@portico/contracts';
import type { ServerCatalogue } from './catalogue.js';
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
  readonly signal: AbortSignal;
  /** Given: progress and log lines of this call are delivered here, in order, before the result. Without our progress token. */
  readonly onNotice?: (notice: Notice) => void;
}

export type SessionState = 'idle' | 'connecting' | 'connected' | 'failed' | 'closed';

type Ask<C extends (at: never) => { request: unknown; reply: unknown }> = ReturnType<C> extends infer Found
  ? Found extends import('@portico/contracts').Call
    ? { request: RequestOf<Found>; reply: ReplyOf<Found> }
    : never
  : never;

/** One session to one MCP server: opened on first use, kept, re-made when dead. Every failure is a `Fault`. */
export declare class HeldSession {
  constructor(target: TargetSource, options: HeldSessionOptions);
  readonly state: SessionState;
  readonly lastError: string | undefined;
  /** The last lines a stdio server wrote to stderr; empty over HTTP. */
  readonly stderr: readonly string[];
  callTool(request: ToolCallRequest, use: UseOptions): Promise<ToolResult>;
  readResource(request: Ask<typeof readResource>['request'], use: UseOptions): Promise<Ask<typeof readResource>['reply']>;
  getPrompt(request: Ask<typeof getPrompt>['request'], use: UseOptions): Promise<Ask<typeof getPrompt>['reply']>;
  complete(request: Ask<typeof complete>['request'], use: UseOptions): Promise<Ask<typeof complete>['reply']>;
  /** `refresh`: asks the server anew instead of answering from what is remembered. */
  catalogue(options: { readonly refresh?: boolean; readonly signal: AbortSignal }): Promise<ServerCatalogue>;
  /** The server's lists have changed, or may have (a connection was re-made). Returns the way to stop listening. */
  onChanged(listener: () => void): () => void;
  onResourceUpdated(listener: (uri: string) => void): () => void;
  close(): Promise<void>;
}
