import { randomUUID } from 'node:crypto';
import { type CallContext, CONTEXT_HEADERS } from '@portico/contracts';
import type { McpRequest } from './mcp-request.js';

const ID = /^[A-Za-z0-9._:-]{1,128}$/;
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const CORRELATION_HEADER = CONTEXT_HEADERS.correlationId.toLowerCase();

/** The context a call runs in: a correlation id (the caller's when valid, else a UUID), its trace, and who calls. */
export function takeContext({ meta, headers, principal }: McpRequest): CallContext {
  const correlationId = firstMatch(
    ID,
    meta['portico/correlation-id'],
    meta['djayzone/correlation-id'],
    headers[CORRELATION_HEADER],
  );
  const traceparent = firstMatch(TRACEPARENT, meta['traceparent'], headers['traceparent']);
  return {
    correlationId: correlationId ?? randomUUID(),
    ...(traceparent !== undefined && { traceparent }),
    principal: { tenant: principal.tenant, subject: principal.subject },
  };
}

const firstMatch = (pattern: RegExp, ...candidates: unknown[]): string | undefined => {
  const given = candidates.find((candidate) => candidate !== undefined);
  return typeof given === 'string' && pattern.test(given) ? given : undefined;
};
