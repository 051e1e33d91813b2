import { Fault } from '@portico/contracts';
import type { DiscoveryError, FaultCode } from '@portico/contracts';

/** Why a source could not be asked, in the words of the closed list that is published. */
export function discoveryErrorOf(error: unknown): DiscoveryError {
  const { code } = Fault.from(error);
  switch (code) {
    case 'TIMEOUT':
      return 'timeout';
    case 'UNAUTHENTICATED':
    case 'PERMISSION_DENIED':
      return 'unauthorized';
    case 'BACKEND_UNAVAILABLE':
    case 'RATE_LIMITED':
    case 'CANCELLED':
      return 'unreachable';
    case 'INVALID_ARGUMENTS':
    case 'UNKNOWN_TOOL':
    case 'AMBIGUOUS_TOOL':
    case 'NOT_FOUND':
    case 'CONFLICT':
    case 'LEASE_REQUIRED':
    case 'LEASE_EXPIRED':
    case 'PAYLOAD_TOO_LARGE':
    case 'PARTIALLY_APPLIED':
    case 'UNSUPPORTED':
    case 'UNKNOWN_ERROR':
      return 'invalid_response';
  }
}

/** Failures that may be gone in a moment. A wrong answer or a refused credential stays what it is. */
const PASSING: ReadonlySet<FaultCode> = new Set(['TIMEOUT', 'BACKEND_UNAVAILABLE', 'RATE_LIMITED', 'CONFLICT']);

export const canPass = (error: unknown): boolean => PASSING.has(Fault.from(error).code);
