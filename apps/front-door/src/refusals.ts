import type { ServerResponse } from 'node:http';
import type { Refusal } from './http-guards.js';
import { errorJson, sendJson } from './http-reply.js';
import { BodyError, DEPTH_LIMIT } from './read-body.js';

/** Turns a request away before it is dispatched: an HTTP status, a JSON-RPC error and our own code in `data`. */
export function refuse(res: ServerResponse, refusal: Refusal): void {
  const { status, code, message, faultCode, retryAfterMs } = refusal;
  const data = { code: faultCode, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) };
  const headers = {
    ...(retryAfterMs !== undefined && { 'Retry-After': `${Math.max(1, Math.ceil(retryAfterMs / 1_000))}` }),
    ...refusal.headers,
  };
  sendJson(res, status, errorJson(null, code, message, data), headers);
}

/** Answers a body that could not be read; a caller that left hears nothing. */
export function bodyRefusal(res: ServerResponse, error: unknown, limitBytes: number): void {
  if (!(error instanceof BodyError)) throw error;
  switch (error.problem) {
    case 'aborted':
      res.destroy();
      return;
    case 'too-large':
      // The rest of the body is not read, so the connection can not be used again.
      return refuse(res, {
        status: 413,
        code: -32000,
        message: `The request body is larger than ${limitBytes} bytes.`,
        faultCode: 'PAYLOAD_TOO_LARGE',
        headers: { Connection: 'close' },
      });
    case 'too-deep':
      return parseError(res, `the body nests deeper than ${DEPTH_LIMIT} levels`);
    case 'not-utf8':
      return parseError(res, 'the body is not valid UTF-8');
    case 'empty':
    case 'not-json':
      return parseError(res, 'the body is not valid JSON');
  }
}

const parseError = (res: ServerResponse, why: string): void =>
  refuse(res, { status: 400, code: -32700, message: `Parse error: ${why}.`, faultCode: 'INVALID_ARGUMENTS' });
