import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { Fault, type Principal, Stop, callCancelled } from '@portico/contracts';
import type { FrontDoor } from './front-door.js';
import type { HttpGuards } from './http-guards.js';
import { HttpReply, errorJson, sendJson } from './http-reply.js';
import type { KeepAlive } from './keep-alive.js';
import { type Answer, type McpRequest, isRecord } from './mcp-request.js';
import { type Authenticator, isRefusal } from './auth/authenticator.js';
import type { StandingCallers } from './auth/standing-callers.js';
import { classify } from './classify.js';
import { callerNotices } from './caller-notices.js';
import { OPERATIONS } from './operations.js';
import type { Admission, Ticket } from './limits/admission.js';
import { type Era, MODERN_REVISION, isServed, unsupportedRevision } from './protocol-revisions.js';
import { readJsonBody } from './read-body.js';
import { bodyRefusal, refuse } from './refusals.js';
import { type RpcMessage, idOf } from './rpc-message.js';
import type { RunningCalls } from './running-calls.js';
import type { SdkServer } from './sdk-server.js';
import type { SessionIds } from './session-id.js';
import type { Subscriptions } from './state-sync/subscriptions.js';
import { HEADER_MISMATCH, checkStandardHeaders, singleHeader } from './standard-headers.js';

/** Rejections of the SDK's classifier that rest on the version header alone: the body claims no revision. */
const HEADER_ALONE: ReadonlySet<string> = new Set(['modern-header-without-claim', 'initialize-with-modern-header']);

/** Open for hours, and bounded by itself: it holds no place among the requests that are worked on. */
const LISTEN = 'subscriptions/listen';

/** The 2025 notification that ends a running request. */
const CANCELLED = 'notifications/cancelled';

/** Whose request it is, and the place it holds. */
interface Visitor {
  readonly principal: Principal;
  readonly ticket: Ticket;
}

export interface EndpointParts {
  readonly door: FrontDoor;
  readonly guards: HttpGuards;
  readonly authenticator: Authenticator;
  readonly standing: StandingCallers;
  readonly admission: Admission;
  readonly sdk: SdkServer;
  readonly subscriptions: Subscriptions;
  readonly sessions: SessionIds;
  readonly running: RunningCalls;
  readonly keepAlive: KeepAlive;
  readonly bodyLimitBytes: number;
}

/** `/mcp`: one JSON-RPC message per POST. Calls, lists and reads go to our operations, everything else to the SDK. */
export class McpEndpoint {
  constructor(private readonly parts: EndpointParts) {}

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { guards, authenticator, admission } = this.parts;
    const refusal = guards.check(req);
    if (refusal !== undefined) return refuse(res, refusal);
    guards.allowOrigin(req, res);
    if (req.method === 'OPTIONS' && req.headers.origin !== undefined) return guards.preflight(req, res);
    const asked = authenticator.authenticate(req);
    // Most are known at once: nothing is waited for then.
    const principal = asked instanceof Promise ? await asked : asked;
    if (isRefusal(principal)) return refuse(res, principal);
    if (req.method !== 'POST')
      return sendJson(res, 405, errorJson(null, -32000, 'Method not allowed. Use POST.'), { Allow: 'POST' });
    if (!isJsonContentType(req.headers['content-type'])) {
      return sendJson(
        res,
        415,
        errorJson(null, -32000, 'Unsupported Media Type: Content-Type must be application/json'),
      );
    }
    const admitted = admission.admit(principal);
    const ticket = admitted instanceof Promise ? await admitted : admitted;
    if (isRefusal(ticket)) return refuse(res, ticket);
    try {
      await this.read(req, res, { principal, ticket });
    } finally {
      ticket.release();
    }
  }

  private async read(req: IncomingMessage, res: ServerResponse, visitor: Visitor): Promise<void> {
    const { bodyLimitBytes } = this.parts;
    let body: unknown;
    try {
      body = await readJsonBody(req, bodyLimitBytes);
    } catch (error) {
      return bodyRefusal(res, error, bodyLimitBytes);
    }
    await this.route(req, res, body, visitor);
  }

  private async route(req: IncomingMessage, res: ServerResponse, body: unknown, visitor: Visitor): Promise<void> {
    const { headers } = req;
    const revision = singleHeader(headers, 'mcp-protocol-version');
    const outcome = classify(headers, body);
    if (outcome.kind === 'reject') {
      if (revision !== undefined && !isServed(revision) && HEADER_ALONE.has(outcome.cell)) {
        return this.refuseRevision(res, body, revision, -32022);
      }
      return sendJson(res, outcome.httpStatus, errorJson(idOf(body), outcome.code, outcome.message, outcome.data));
    }
    if (outcome.kind === 'modern') {
      const claimed = outcome.classification.revision ?? 'unknown';
      if (claimed !== MODERN_REVISION) return this.refuseRevision(res, body, claimed, -32022);
      if (outcome.messageKind === 'notification') return accept(res);
      const { method, params } = outcome.message;
      const mismatch = checkStandardHeaders(headers, method, params);
      if (mismatch !== undefined)
        return sendJson(res, 400, errorJson(idOf(body), HEADER_MISMATCH, mismatch.message, mismatch.data));
      return this.serve(req, res, outcome.message, 'modern', visitor);
    }
    if (outcome.reason === 'batch') {
      return sendJson(
        res,
        400,
        errorJson(null, -32600, 'Bad Request: JSON-RPC batches are not served; send one message per POST.'),
      );
    }
    // 2025 revisions have no code of their own for this.
    if (revision !== undefined && !isServed(revision)) return this.refuseRevision(res, body, revision, -32000);
    if (outcome.reason === 'response') {
      // Revision 2026-07-28 knows no requests of the server that a client could respond to.
      if (revision !== MODERN_REVISION) return accept(res);
      return sendJson(res, 400, errorJson(null, -32600, 'Bad Request: this revision has no responses of clients.'));
    }
    if (outcome.reason === 'notification') {
      this.hearNotification(req, body as RpcMessage, visitor.principal);
      return accept(res);
    }
    if (outcome.reason === 'initialize') res.setHeader('Mcp-Session-Id', this.parts.sessions.mint(visitor.principal));
    return this.serve(req, res, body as RpcMessage & { id: string | number }, 'legacy', visitor);
  }

  private refuseRevision(res: ServerResponse, body: unknown, requested: string, code: number): void {
    const { message, data } = unsupportedRevision(requested);
    sendJson(res, 400, errorJson(idOf(body), code, message, { code: 'UNSUPPORTED', ...data }));
  }

  /** Runs one request to its answer. Nothing thrown below leaves as anything but one JSON-RPC error. */
  private async serve(
    req: IncomingMessage,
    res: ServerResponse,
    message: RpcMessage & { id: string | number },
    era: Era,
    { principal, ticket }: Visitor,
  ): Promise<void> {
    const operation = OPERATIONS.get(message.method);
    if (operation === undefined) {
      if (message.method !== LISTEN || era === 'legacy') return this.parts.sdk.handle(req, res, message, era);
      ticket.release();
      this.parts.standing.watch(req, res, principal);
      return this.parts.subscriptions.listen(message, principal, res);
    }
    const { door, keepAlive } = this.parts;
    const reply = new HttpReply(res, message.id);
    const stop = new Stop();
    const release = this.followCancellation(req, res, message.id, era, stop, principal);
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
    }
    reply.answer(answer);
  }

  /** By era: a modern client cancels by leaving; a 2025 client by a notification of its own session, never by leaving. */
  private followCancellation(
    req: IncomingMessage,
    res: ServerResponse,
    id: string | number,
    era: Era,
    stop: Stop,
    principal: Principal,
  ): () => void {
    const { sessions, running } = this.parts;
    if (era === 'legacy') {
      const session = sessions.verify(singleHeader(req.headers, 'mcp-session-id'), principal);
      return session === undefined ? () => undefined : running.add(session, id, stop);
    }
    const left = (): void => stop.abort(new Fault('CANCELLED', 'The client left before the answer.'));
    res.once('close', left);
    return () => res.off('close', left);
  }

  private hearNotification(req: IncomingMessage, { method, params }: RpcMessage, principal: Principal): void {
    if (method !== CANCELLED) return;
    const session = this.parts.sessions.verify(singleHeader(req.headers, 'mcp-session-id'), principal);
    const requestId = params?.['requestId'];
    if (session === undefined || (typeof requestId !== 'string' && typeof requestId !== 'number')) return;
    this.parts.door.bus.tell(callCancelled, { session, requestId });
  }
}

const accept = (res: ServerResponse): void => {
  res.writeHead(202, { 'Content-Length': 0 });
  res.end();
};
