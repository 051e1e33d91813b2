import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Principal, Stop } from '@portico/contracts';
import type { StandingCallers } from './auth/standing-callers.js';
import { callerNotices } from './caller-notices.js';
import { type CancellationParts, followCancellation } from './cancellation.js';
import type { FrontDoor } from './front-door.js';
import { HttpReply } from './http-reply.js';
import type { KeepAlive } from './keep-alive.js';
import type { Ticket } from './limits/admission.js';
import { type Answer, type McpRequest, isRecord } from './mcp-request.js';
import { OPERATIONS } from './operations.js';
import type { Era } from './protocol-revisions.js';
import type { RpcRequest } from './rpc-message.js';
import type { SdkServer } from './sdk-server.js';
import type { Subscriptions } from './state-sync/subscriptions.js';

/** Open for hours, and bounded by itself: it holds no place among the requests that are worked on. */
const LISTEN = 'subscriptions/listen';

/** Whose request it is, and the place it holds. */
export interface Visitor {
  readonly principal: Principal;
  readonly ticket: Ticket;
}

export interface ServingParts extends CancellationParts {
  readonly door: FrontDoor;
  readonly standing: StandingCallers;
  readonly sdk: SdkServer;
  readonly subscriptions: Subscriptions;
  readonly keepAlive: KeepAlive;
}

/**
 * Runs one request to its answer: calls, lists and reads by our operations, everything else by the SDK. Nothing thrown below
 * leaves as anything but one JSON-RPC error.
 */
export async function serveRequest(
  req: IncomingMessage,
  res: ServerResponse,
  message: RpcRequest,
  era: Era,
  { principal, ticket }: Visitor,
  parts: ServingParts,
): Promise<void> {
  const operation = OPERATIONS.get(message.method);
  if (operation === undefined) {
    if (message.method !== LISTEN || era === 'legacy') return parts.sdk.handle(req, res, message, era);
    ticket.release();
    parts.standing.watch(req, res, principal);
    return parts.subscriptions.listen(message, principal, res);
  }
  const { door, keepAlive } = parts;
  const reply = new HttpReply(res, message.id);
  const stop = new Stop();
  const params = message.params ?? {};
  const meta = isRecord(params['_meta']) ? params['_meta'] : {};
  const hearsEvents = (req.headers.accept ?? '').includes('text/event-stream');
  const request: McpRequest = {
    id: message.id,
    method: message.method,
    params,
    meta,
    era,
    principal,
    headers: req.headers,
    signal: stop,
    notify: hearsEvents ? callerNotices(meta, era, reply) : undefined,
  };
  const release = followCancellation(request, stop, res, parts);
  const place = parts.running.begin(stop);
  const quiet = hearsEvents ? keepAlive.start(reply) : undefined;
  let answer: Answer;
  try {
    answer = await operation(request, door);
  } catch (error) {
    door.log.error('request.failed', { method: message.method, error });
    answer = { kind: 'error', status: 200, code: -32603, message: 'Internal error' };
  } finally {
    quiet?.();
    release();
    parts.running.end(place);
  }
  reply.answer(answer);
}
