import type { CallContext } from '@portico/contracts';
import type { z } from 'zod';

/**
 * What carries messages between buses: nothing but sending, receiving, and saying honestly what was not sent.
 * Deadlines, contracts, cancellation and faults live above it, once, so that two links cannot differ in them.
 */
export interface Link {
  /** Most bytes of one message, headers included. */
  readonly maxPayload: number;
  /** Sends to one of those who accept the subject. Throws a Fault (`executed: no`) for what was not sent. */
  request(request: LinkRequest, answers: Answers): Running;
  /** Resolves once requests can arrive. */
  accept(subject: string, accept: Accept): Promise<LinkSubscription>;
  /** Throws a Fault for what was not sent. */
  publish(subject: string, data: unknown): void;
  hear(subject: string, hear: (data: unknown) => void): Promise<LinkSubscription>;
  close(): Promise<void>;
}

/** Nothing arrives after `close` resolves; what had been sent to this end before still does. */
export interface LinkSubscription {
  close(): Promise<void>;
}

export interface LinkRequest {
  readonly subject: string;
  readonly data: unknown;
  /** Milliseconds left when it was sent. */
  readonly deadlineMs: number;
  readonly wantsNotices: boolean;
  readonly context: CallContext | undefined;
  /** In process only: the asker's own check of `data`, so that ends with one and the same schema check once. */
  readonly checked: { readonly by: z.ZodType; readonly value: unknown } | undefined;
  /** Whether the asker's timer stops the work at the deadline, so that the answering end needs none. */
  readonly timed: boolean;
}

/** Where the answers to one request go: any number of notices, then one reply or one fault. */
export interface Answers {
  notice(notice: unknown): void;
  reply(response: unknown): void;
  /** A FaultRecord, or whatever a stranger sent in its place. */
  fault(fault: unknown): void;
}

/** Takes a request on. Must not throw. */
export type Accept = (request: LinkRequest, answers: Answers) => Running;

export interface Running {
  stop(reason: StopReason): void;
}

export type StopReason = 'cancelled' | 'deadline';
