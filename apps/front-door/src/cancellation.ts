import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Bus } from '@portico/bus';
import { Fault, type Principal, type Stop, callCancelled } from '@portico/contracts';
import type { McpRequest } from './mcp-request.js';
import type { RpcMessage } from './rpc-message.js';
import type { RunningCalls } from './running-calls.js';
import type { SessionIds } from './session-id.js';
import { singleHeader } from './standard-headers.js';

/** The 2025 notification that ends a running request. */
const CANCELLED = 'notifications/cancelled';

export interface CancellationParts {
  readonly sessions: SessionIds;
  readonly running: RunningCalls;
}

/**
 * Ends a request when its client cancels it, until the returned function is called. By era: a modern client cancels by
 * leaving; a 2025 client by a notification of its own session, never by leaving.
 */
export function followCancellation(
  { id, era, headers, principal }: McpRequest,
  stop: Stop,
  res: ServerResponse,
  { sessions, running }: CancellationParts,
): () => void {
  if (era === 'legacy') {
    const session = sessionOf(headers, principal, sessions);
    return session === undefined ? () => undefined : running.add(session, id, stop);
  }
  const left = (): void => stop.abort(new Fault('CANCELLED', 'The client left before the answer.'));
  res.once('close', left);
  return () => res.off('close', left);
}

/** Tells every front door of a 2025 client's cancellation: one of them runs the request that it names. */
export function hearCancellation(
  { method, params }: RpcMessage,
  headers: IncomingHttpHeaders,
  principal: Principal,
  sessions: SessionIds,
  bus: Bus,
): void {
  if (method !== CANCELLED) return;
  const session = sessionOf(headers, principal, sessions);
  const requestId = params?.['requestId'];
  if (session === undefined || (typeof requestId !== 'string' && typeof requestId !== 'number')) return;
  bus.tell(callCancelled, { session, requestId });
}

const sessionOf = (headers: IncomingHttpHeaders, principal: Principal, sessions: SessionIds): string | undefined =>
  sessions.verify(singleHeader(headers, 'mcp-session-id'), principal);
