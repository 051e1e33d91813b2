import type { Fault, FaultCode, RpcError } from '@portico/contracts';
import { INVALID_PARAMS, isRecord, type Answer } from './mcp-request.js';
import type { Era } from './protocol-revisions.js';
import { redactedMessage } from './redact.js';
import { redactedValue } from './redacted-result.js';

/** A capability that the client did not declare; its declared ones go to the source, so the source means the client. */
const MISSING_CAPABILITY = -32021;
const INTERNAL_ERROR = -32603;

type ErrorAnswer = Extract<Answer, { kind: 'error' }>;

interface RpcFacts {
  /** 2025 clients know no capability they could declare for one request. */
  readonly era?: Era;
  /** The request carried `inputResponses` or `requestState`: it answers a source's own question. */
  readonly retry?: boolean;
  /** Of a resource, as the client named it. */
  readonly uri?: string;
}

const answer = (code: number, fault: Fault, data: Record<string, unknown>): ErrorAnswer => ({
  kind: 'error',
  status: 200,
  code,
  message: redactedMessage(fault.message),
  data,
});

/**
 * A source's own JSON-RPC error, where the client must see it as such: a capability it has to declare, or an answer to a
 * question that the source refuses. Everything else a source says in that way is about our hop, not the client's.
 */
const relayed = (
  { code, message, data }: RpcError,
  { era = 'modern', retry = false }: RpcFacts,
): ErrorAnswer | undefined => {
  const error = { kind: 'error', code, message: redactedMessage(message) } as const;
  if (code === MISSING_CAPABILITY && era === 'modern') {
    const required = isRecord(data) ? data['requiredCapabilities'] : undefined;
    return { ...error, status: 400, ...(isRecord(required) && { data: { requiredCapabilities: required } }) };
  }
  if (code !== INVALID_PARAMS || !retry) return undefined;
  const kept = data === undefined ? undefined : redactedValue(data);
  return { ...error, status: 200, ...(kept !== undefined && { data: kept }) };
};

/** The JSON-RPC error that ends a `tools/call` by this fault; `undefined` when it is a result of the tool, `isError`. */
export const faultToRpc = (fault: Fault, facts: RpcFacts = {}): Answer | undefined => {
  const own = fault.rpc && relayed(fault.rpc, facts);
  if (own !== undefined) return own;
  switch (fault.code) {
    case 'UNKNOWN_TOOL':
    case 'AMBIGUOUS_TOOL':
      return answer(INVALID_PARAMS, fault, { code: fault.code });
    case 'INVALID_ARGUMENTS':
    case 'NOT_FOUND':
    case 'CONFLICT':
    case 'PERMISSION_DENIED':
    case 'UNAUTHENTICATED':
    case 'LEASE_REQUIRED':
    case 'LEASE_EXPIRED':
    case 'RATE_LIMITED':
    case 'BACKEND_UNAVAILABLE':
    case 'TIMEOUT':
    case 'CANCELLED':
    case 'PAYLOAD_TOO_LARGE':
    case 'PARTIALLY_APPLIED':
    case 'UNSUPPORTED':
    case 'UNKNOWN_ERROR':
      return undefined;
  }
};

/**
 * The JSON-RPC code of a fault where there is no result to carry it. The caller's own mistakes are Invalid params and
 * what nobody foresaw is Internal error; for the rest the specification asks for positive numbers, and HTTP's are known.
 */
const rpcCode = (code: FaultCode): number => {
  switch (code) {
    case 'INVALID_ARGUMENTS':
    case 'UNKNOWN_TOOL':
    case 'AMBIGUOUS_TOOL':
    case 'NOT_FOUND':
      return INVALID_PARAMS;
    case 'UNAUTHENTICATED':
      return 401;
    case 'PERMISSION_DENIED':
      return 403;
    case 'CONFLICT':
      return 409;
    case 'PAYLOAD_TOO_LARGE':
      return 413;
    case 'LEASE_REQUIRED':
    case 'LEASE_EXPIRED':
      return 423;
    case 'RATE_LIMITED':
      return 429;
    case 'CANCELLED':
      return 499;
    case 'UNSUPPORTED':
      return 501;
    case 'BACKEND_UNAVAILABLE':
      return 503;
    case 'TIMEOUT':
      return 504;
    case 'PARTIALLY_APPLIED':
    case 'UNKNOWN_ERROR':
      return INTERNAL_ERROR;
  }
};

/** The JSON-RPC error that ends a request for a prompt, a resource or a completion; our own code is in `data.code`. */
export const faultAnswer = (fault: Fault, facts: RpcFacts = {}): Answer => {
  const own = fault.rpc && relayed(fault.rpc, facts);
  if (own !== undefined) return own;
  return answer(rpcCode(fault.code), fault, {
    code: fault.code,
    ...(facts.uri !== undefined && { uri: facts.uri }),
    ...(fault.retryAfterMs !== undefined && { retry_after_ms: Math.max(0, Math.ceil(fault.retryAfterMs)) }),
  });
};
