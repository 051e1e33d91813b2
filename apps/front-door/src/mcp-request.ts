import type { IncomingHttpHeaders } from 'node:http';
import type { Notice, Principal, StopSignal } from '@portico/contracts';
import type { Era } from './protocol-revisions.js';

/** One classified JSON-RPC request, with everything about its HTTP exchange that an operation may need. */
export interface McpRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** `params._meta`, empty when absent. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly era: Era;
  readonly principal: Principal;
  readonly headers: IncomingHttpHeaders;
  /** Aborts when the caller cancels. */
  readonly signal: StopSignal;
  /** Sends a notice to the caller while the call runs; absent when the caller can not or will not hear any. */
  readonly notify: ((notice: Notice) => void) | undefined;
}

/** What an operation answers: a result, already serialised, or a JSON-RPC error with its HTTP status. */
export type Answer =
  | { readonly kind: 'result'; readonly json: string }
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
    };

export const INVALID_PARAMS = -32602;

export const invalidParams = (message: string, data?: unknown): Answer => ({
  kind: 'error',
  status: 200,
  code: INVALID_PARAMS,
  message: `Invalid params: ${message}`,
  ...(data !== undefined && { data }),
});

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
