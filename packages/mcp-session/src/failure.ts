import type { Fault } from '@portico/contracts';
import type { SessionParts } from './connection.js';
import { Reason } from './faults.js';

/** Why a server is out of reach. */
export interface Failure {
  /** What callers are told. */
  readonly message: string;
  /** What its operators are told besides, where more is known. */
  readonly reason: string | undefined;
}

export const failureOf = ({ message, cause }: Fault): Failure => ({
  message,
  reason: cause instanceof Reason ? cause.message : undefined,
});

/** Logs why a connection did not come about, and returns it. The same again and again, or our own doing (`quiet`), is no warning. */
export function tellFailure(
  fault: Fault,
  before: Failure | undefined,
  { log, name }: Pick<SessionParts, 'log' | 'name'>,
  quiet: boolean,
): Failure {
  const failure = failureOf(fault);
  const { message, reason } = failure;
  const again = before?.message === message && before.reason === reason;
  const told = again || fault.code === 'CANCELLED' || quiet ? 'debug' : 'warn';
  log[told]('session.not-connected', {
    server: name,
    code: fault.code,
    ...(reason ? { reason } : { cause: fault.cause }),
  });
  return failure;
}
