import { Fault } from '@portico/contracts';
import type { Executed, FaultCode, FaultOptions, RpcError, StopSignal } from '@portico/contracts';
import type { IncomingHttpHeaders } from 'node:http';

/** A server's word that it did not act on a request, and why: the only answers after which a tools/call is sent again. */
export class Refusal extends Fault {
  constructor(
    readonly refusal: 'session-unknown' | 'header-mismatch',
    code: FaultCode,
    message: string,
    options: FaultOptions = {},
  ) {
    super(code, message, { ...options, executed: 'no' });
  }
}

/**
 * Why a connection did not come about, in words for the server's operators: no address, path or secret in it. As the cause of a
 * fault it is told in the state of the session, and logged once; it has no stack, for where it was noticed explains nothing.
 */
export class Reason extends Error {
  override readonly name = 'Reason';

  constructor(words: string) {
    super(words);
    delete this.stack;
  }
}

export const HEADER_MISMATCH = -32020;
export const UNSUPPORTED_VERSION = -32022;
/** Longest wait that a `Retry-After` can make us promise, in milliseconds. */
const RETRY_AFTER_LIMIT_MS = 3_600_000;

/** Every way that a server fails us, as a Fault that names it and nothing else of it. */
export class Faults {
  constructor(private readonly server: string) {}

  /** Never reached, or lost on the way: `executed` says whether the request may have arrived. */
  unavailable(executed: Executed, cause?: unknown): Fault {
    const how = executed === 'no' ? 'could not be reached' : 'was lost before it answered';
    return new Fault('BACKEND_UNAVAILABLE', `The server "${this.server}" ${how}.`, { executed, cause });
  }

  /** The caller's signal aborted: TIMEOUT when a deadline did it, CANCELLED when somebody did. */
  aborted(signal: StopSignal, executed: Executed): Fault {
    const reason: unknown = signal.reason;
    const code = reason instanceof Fault ? reason.code : (reason as Error | undefined)?.name;
    if (code === 'BACKEND_UNAVAILABLE')
      return new Fault(code, 'The service stopped before the answer came.', { executed });
    return code === 'TIMEOUT' || code === 'TimeoutError'
      ? new Fault('TIMEOUT', `The server "${this.server}" did not answer in time.`, { executed, cause: reason })
      : new Fault('CANCELLED', `The call to the server "${this.server}" was cancelled.`, { executed, cause: reason });
  }

  tooLarge(limitBytes: number): Fault {
    return new Fault(
      'PAYLOAD_TOO_LARGE',
      `The answer of the server "${this.server}" is larger than the ${limitBytes} bytes allowed.`,
    );
  }

  /** It answered, but not in JSON-RPC. */
  garbage(cause?: unknown): Fault {
    return new Fault('UNKNOWN_ERROR', `The server "${this.server}" gave an answer that is not MCP.`, { cause });
  }

  /** An HTTP answer whose status says that something failed. */
  status(status: number, headers: IncomingHttpHeaders): Fault {
    const server = `The server "${this.server}"`;
    switch (status) {
      case 401:
        return new Fault('UNAUTHENTICATED', `${server} does not accept the configured credentials.`);
      case 403:
        return new Fault('PERMISSION_DENIED', `${server} denies access.`);
      case 429:
        return new Fault('RATE_LIMITED', `${server} asks for fewer calls.`, { retryAfterMs: retryAfterMs(headers) });
      case 502:
      case 503:
      case 504:
        return this.unavailable('unknown', new Error(`HTTP ${status}`));
      default:
        if (status < 300 || status >= 400) return this.garbage(new Error(`HTTP ${status}`));
        return new Fault('UNKNOWN_ERROR', `${server} redirects to another place, which is not followed.`, {
          // Only these two say that the request is to be made there, as it is, so that nothing was done here.
          executed: status === 307 || status === 308 ? 'no' : 'unknown',
        });
    }
  }

  /** The server lost the session that the request named: it acted on nothing. */
  sessionUnknown(): Refusal {
    return new Refusal('session-unknown', 'BACKEND_UNAVAILABLE', `The server "${this.server}" lost its session.`);
  }

  /** A JSON-RPC error. What concerns our own hop alone (headers, revision) is not passed on as the server's word. */
  rpc(error: RpcError): Fault {
    const server = `The server "${this.server}"`;
    // Servers check a tool's result as they check its arguments, with the same code: that it is refused proves nothing.
    const executed = 'unknown';
    switch (error.code) {
      case HEADER_MISMATCH:
        return new Refusal('header-mismatch', 'UNKNOWN_ERROR', `${server} refused the headers of a request.`);
      case UNSUPPORTED_VERSION:
        return new Fault('UNSUPPORTED', `${server} no longer speaks the revision agreed on.`, { executed: 'no' });
      case -32021:
        return new Fault('UNSUPPORTED', `${server} needs a capability that the client lacks.`, {
          rpc: error,
          executed,
        });
      case -32601:
        return new Fault('UNSUPPORTED', `${server} does not offer this.`, { rpc: error });
      case -32602:
        return new Fault('INVALID_ARGUMENTS', `${server} does not accept these parameters.`, { rpc: error, executed });
      case -32002:
        return new Fault('NOT_FOUND', `${server} has no such resource.`, { rpc: error, executed });
      default:
        return new Fault('UNKNOWN_ERROR', `${server} answered with an error.`, { rpc: error });
    }
  }

  /** No revision of MCP in common. */
  noCommonRevision(cause?: unknown): Fault {
    return new Fault('UNSUPPORTED', `The server "${this.server}" speaks no revision of MCP that we do.`, { cause });
  }

  closed(): Fault {
    return new Fault('BACKEND_UNAVAILABLE', `The session to the server "${this.server}" is closed.`, {
      executed: 'no',
    });
  }
}

/** The same fault, of a request that was never written because the connection to carry it did not come about. */
export const beforeSending = (error: unknown): Fault => {
  const { code, message, retryAfterMs, cause } = Fault.from(error);
  return new Fault(code, message, { cause, retryAfterMs, executed: 'no' });
};

/** `Retry-After` in milliseconds, from seconds or a date; undefined when it says nothing usable. */
function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  // Date.parse takes nearly anything; an HTTP date begins with the name of a day.
  const ms = /^\d+$/.test(value)
    ? Number(value) * 1000
    : /^[A-Z][a-z]{2}/.test(value)
      ? Date.parse(value) - Date.now()
      : NaN;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), RETRY_AFTER_LIMIT_MS) : undefined;
}
