import type { ServerResponse } from 'node:http';
import { type EntryErrorCode, Fault, type FaultCode, type ServerChange } from '@portico/contracts';
import { sendJson } from '../http-reply.js';

/** What `/api` answers a request with. */
export interface AdminAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

export function sendAnswer(res: ServerResponse, { status, body, headers }: AdminAnswer): void {
  if (res.writableEnded || res.destroyed) return;
  sendJson(res, status, JSON.stringify(body), {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
}

export const refusal = (
  status: number,
  code: FaultCode | EntryErrorCode,
  message: string,
  { field, headers }: { readonly field?: string; readonly headers?: Record<string, string> } = {},
): AdminAnswer => ({
  status,
  body: { ok: false, error: { code, ...(field !== undefined && { field }), message } },
  ...(headers && { headers }),
});

/** 404: what is named is not there. 409: what is configured now stands in the way. 400: it could never be. */
const ENTRY_STATUS: Record<EntryErrorCode, 400 | 404 | 409> = {
  INVALID_NAME: 400,
  RESERVED_NAME: 400,
  DUPLICATE_NAME: 409,
  TRANSPORT_REQUIRED: 400,
  TRANSPORT_CONFLICT: 400,
  TRANSPORT_UNSUPPORTED: 400,
  INVALID_FIELD: 400,
  UNKNOWN_FIELD: 400,
  PRIVATE_ADDRESS: 400,
  SECRET_NOT_ALLOWED: 400,
  STDIO_NOT_ALLOWED: 400,
  READ_ONLY_ENTRY: 409,
  UNKNOWN_SERVER: 404,
  UNKNOWN_TOOL: 404,
};

export const changeAnswer = (change: ServerChange): AdminAnswer => ({
  status: change.ok ? 200 : ENTRY_STATUS[change.error.code],
  body: change,
});

/** Faults of the bus, or of the service asked: the operator's request was in order but for the first few. */
const FAULT_STATUS: Record<FaultCode, number> = {
  INVALID_ARGUMENTS: 400,
  UNKNOWN_TOOL: 404,
  AMBIGUOUS_TOOL: 409,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PERMISSION_DENIED: 403,
  UNAUTHENTICATED: 403,
  LEASE_REQUIRED: 409,
  LEASE_EXPIRED: 409,
  RATE_LIMITED: 429,
  BACKEND_UNAVAILABLE: 503,
  TIMEOUT: 504,
  CANCELLED: 503,
  PAYLOAD_TOO_LARGE: 413,
  PARTIALLY_APPLIED: 500,
  UNSUPPORTED: 501,
  UNKNOWN_ERROR: 500,
};

export function faultAnswer(error: unknown): AdminAnswer {
  const { code, message } = Fault.from(error);
  return refusal(FAULT_STATUS[code], code, message);
}
