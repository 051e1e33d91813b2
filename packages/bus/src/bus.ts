import type { z } from 'zod';
import type {
  Announcement,
  Call,
  CallContext,
  Notice,
  PayloadOf,
  ReplyOf,
  RequestOf,
  StopSignal,
} from '@portico/contracts';

export interface AskOptions {
  /** Milliseconds the whole exchange may take; the call's own `deadlineMs` otherwise. A call with neither is a mistake. */
  readonly deadlineMs?: number;
  /** Aborting it rejects the ask with CANCELLED and tells the handler to stop. */
  readonly signal?: StopSignal;
  readonly context?: CallContext;
  /** Given: the handler may report progress, delivered here in order, before the reply. */
  readonly onNotice?: (notice: Notice) => void;
}

/** What a handler knows of a request besides its payload. */
export interface Incoming {
  readonly context: CallContext | undefined;
  /** Aborts at the deadline, or when the asker cancels. Pass it to everything that takes one. */
  readonly signal: AbortSignal;
  /** The same, without the cost of an AbortSignal: for the path of a call. */
  readonly stop: StopSignal;
  /** Milliseconds left until the deadline; 0 when it has passed. */
  remainingMs(): number;
  /** Whether the asker listens for notices. */
  readonly wantsNotices: boolean;
  /** Sends a notice to the asker; a no-op when it does not listen or the reply has gone. */
  notify(notice: Notice): void;
}

export type Handler<C extends Call> = (
  request: z.output<C['request']>,
  incoming: Incoming,
) => Promise<z.input<C['reply']>>;

export interface ServeOptions {
  /** Aborts running handlers' signals that outlive the drain. */
  readonly drainMs?: number;
}

/** An ended subscription takes no new work; `close` resolves when what ran has been answered. */
export interface Subscription {
  close(): Promise<void>;
}

/**
 * The one way services talk. Every failure an asker sees is a `Fault`: TIMEOUT at the deadline, CANCELLED on abort,
 * BACKEND_UNAVAILABLE (`executed: no`) at once when nobody serves the subject, PAYLOAD_TOO_LARGE (`executed: no` for a
 * request, `yes` for a reply) for what does not fit, INVALID_ARGUMENTS for a request outside its contract, and whatever
 * Fault the handler threw. Nothing is ever sent twice.
 */
export interface Bus {
  /** Most bytes of one message; `Infinity` in process. */
  readonly maxPayload: number;
  ask<C extends Call>(call: C, request: RequestOf<C>, options?: AskOptions): Promise<ReplyOf<C>>;
  /** Answers a call. Instances that serve one subject share it: each request reaches one of them. */
  serve<C extends Call>(call: C, handler: Handler<C>, options?: ServeOptions): Promise<Subscription>;
  tell<A extends Announcement>(announcement: A, payload: z.input<A['payload']>): void;
  /** Hears an announcement; every listener hears each one. A throwing listener is logged and harms nobody. */
  listen<A extends Announcement>(
    announcement: A,
    listener: (payload: PayloadOf<A>) => void | Promise<void>,
  ): Promise<Subscription>;
  /** Ends every subscription, lets what runs finish (at most 5 s), then disconnects. */
  close(): Promise<void>;
}
