import { Fault, MESSAGE_LIMIT } from '@portico/contracts';
import type { FaultCode } from '@portico/contracts';

const LONGEST_WAIT_MS = 24 * 3_600_000;

const BY_STATUS: Readonly<Record<number, readonly [FaultCode, string]>> = {
  400: ['INVALID_ARGUMENTS', 'did not accept the arguments'],
  401: ['UNAUTHENTICATED', "did not accept the gateway's own credential"],
  403: ['PERMISSION_DENIED', 'does not permit this'],
  404: ['NOT_FOUND', 'has no such thing'],
  409: ['CONFLICT', 'reports a conflict with its present state'],
  422: ['INVALID_ARGUMENTS', 'did not accept the arguments'],
  429: ['RATE_LIMITED', 'asks to wait before the next request'],
  502: ['BACKEND_UNAVAILABLE', 'is not available'],
  503: ['BACKEND_UNAVAILABLE', 'is not available'],
  504: ['BACKEND_UNAVAILABLE', 'is not available'],
};

/** The fault that an HTTP status means. `explained` replaces the generic sentence, at most 500 characters of it. */
export function faultOfStatus(status: number, backend: string, retryAfter?: string, explained?: string): Fault {
  const [code, happened] =
    BY_STATUS[status] ?? (['UNKNOWN_ERROR', 'failed in a way that its status does not explain'] as const);
  const mayTellWait = code === 'RATE_LIMITED' || code === 'BACKEND_UNAVAILABLE';
  const message = explained ?? `${backend} ${happened}.`;
  return new Fault(code, message.slice(0, MESSAGE_LIMIT), {
    cause: Object.assign(new Error(`HTTP ${status}`), { status }),
    retryAfterMs: mayTellWait ? retryAfterMs(retryAfter) : undefined,
  });
}

/** `Retry-After` in milliseconds, from seconds or an HTTP date, between 0 and a day; undefined when it is neither. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const given = header.trim();
  // Date.parse takes nearly anything; an HTTP date begins with the name of a day.
  const wait = /^\d+$/.test(given)
    ? Number(given) * 1_000
    : /^[A-Z][a-z]{2}/.test(given)
      ? Date.parse(given) - now
      : NaN;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_WAIT_MS);
}

/** Failures that only happen before a request is written: it was not executed. */
const BEFORE_SENDING =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/** The fault that a broken or unmade connection means. */
export function faultOfConnection(error: unknown, backend: string): Fault {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const unsent = BEFORE_SENDING.test(code) || syscall === 'connect' || syscall === 'getaddrinfo';
  return new Fault('BACKEND_UNAVAILABLE', `${backend} could not be reached.`, {
    cause: error,
    executed: unsent ? 'no' : 'unknown',
  });
}
