import type { z } from 'zod';

/**
 * A conversation between two services: one request, one reply, spelled once.
 * `deadlineMs` bounds the whole of it; a call without one takes its deadline from whoever asks (a tool's own, from the
 * catalogue). `effect` says whether asking twice is harmless.
 */
export interface Call<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  readonly subject: string;
  readonly request: Request;
  readonly reply: Reply;
  readonly effect: 'read' | 'write';
  readonly deadlineMs?: number;
}

/** Something told to whoever listens. Nobody answers, nobody waits. */
export interface Announcement<Payload extends z.ZodType = z.ZodType> {
  readonly subject: string;
  readonly payload: Payload;
}

export type RequestOf<C extends Call> = z.input<C['request']>;
export type ReplyOf<C extends Call> = z.output<C['reply']>;
export type PayloadOf<A extends Announcement> = z.output<A['payload']>;
