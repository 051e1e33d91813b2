import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import type { HttpGuards } from './http-guards.js';
import { errorJson, sendJson } from './http-reply.js';
import { type Authenticator, isRefusal } from './auth/authenticator.js';
import { hearCancellation } from './cancellation.js';
import { classify } from './classify.js';
import type { Admission } from './limits/admission.js';
import { MODERN_REVISION, isServed, unsupportedRevision } from './protocol-revisions.js';
import { readJsonBody } from './read-body.js';
import { bodyRefusal, refuse } from './refusals.js';
import { type RpcMessage, type RpcRequest, idOf } from './rpc-message.js';
import { type ServingParts, type Visitor, serveRequest } from './serve-request.js';
import { HEADER_MISMATCH, checkStandardHeaders, singleHeader } from './standard-headers.js';

/** Rejections of the SDK's classifier that rest on the version header alone: the body claims no revision. */
const HEADER_ALONE: ReadonlySet<string> = new Set(['modern-header-without-claim', 'initialize-with-modern-header']);

export interface EndpointParts extends ServingParts {
  readonly guards: HttpGuards;
  readonly authenticator: Authenticator;
  readonly admission: Admission;
  readonly bodyLimitBytes: number;
}

/** `/mcp`: one JSON-RPC message per POST. Who sent it, whether they may come in now, and what kind of message it is. */
export class McpEndpoint {
  constructor(private readonly parts: EndpointParts) {}

  /** Answers what still runs, with a fault that says that this service stops. */
  giveUp(): void {
    this.parts.running.giveUp();
  }

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
    const { sessions, door } = this.parts;
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
      return serveRequest(req, res, outcome.message, 'modern', visitor, this.parts);
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
      hearCancellation(body as RpcMessage, headers, visitor.principal, sessions, door.bus);
      return accept(res);
    }
    if (outcome.reason === 'initialize') res.setHeader('Mcp-Session-Id', sessions.mint(visitor.principal));
    return serveRequest(req, res, body as RpcRequest, 'legacy', visitor, this.parts);
  }

  private refuseRevision(res: ServerResponse, body: unknown, requested: string, code: number): void {
    const { message, data } = unsupportedRevision(requested);
    sendJson(res, 400, errorJson(idOf(body), code, message, { code: 'UNSUPPORTED', ...data }));
  }
}

const accept = (res: ServerResponse): void => {
  res.writeHead(202, { 'Content-Length': 0 });
  res.end();
};
