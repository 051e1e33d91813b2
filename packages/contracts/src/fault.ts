import { z } from 'zod';

/** Every way a call can fail, as callers see it. A closed list: the compiler names a code that a switch forgot. */
export const FAULT_CODES = [
  'INVALID_ARGUMENTS',
  'UNKNOWN_TOOL',
  'AMBIGUOUS_TOOL',
  'NOT_FOUND',
  'CONFLICT',
  'PERMISSION_DENIED',
  'UNAUTHENTICATED',
  'LEASE_REQUIRED',
  'LEASE_EXPIRED',
  'RATE_LIMITED',
  'BACKEND_UNAVAILABLE',
  'TIMEOUT',
  'CANCELLED',
  'PAYLOAD_TOO_LARGE',
  'PARTIALLY_APPLIED',
  'UNSUPPORTED',
  'UNKNOWN_ERROR',
] as const;

export const FaultCode = z.enum(FAULT_CODES);
export type FaultCode = z.infer<typeof FaultCode>;

/** Whether the tool ran: `unknown` when the answer was lost after the request may have arrived. */
export const Executed = z.enum(['no', 'yes', 'unknown']);
export type Executed = z.infer<typeof Executed>;

/** A JSON-RPC error that an MCP server itself answered with. */
export const RpcError = z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() });
export type RpcError = z.infer<typeof RpcError>;

/** A fault as it crosses the bus: nothing else of an error does. */
export const FaultRecord = z.object({
  code: FaultCode,
  message: z.string(),
  executed: Executed,
  retryAfterMs: z.number().nonnegative().optional(),
  rpc: RpcError.optional(),
  /** The bus found nobody to ask, or was not there itself: it says nothing of who would answer. */
  unserved: z.boolean().optional(),
});
export type FaultRecord = z.infer<typeof FaultRecord>;

/** Codes that mean, unless the thrower knows better, that the tool may have run and its answer was lost. */
const OUTCOME_UNKNOWN: ReadonlySet<FaultCode> = new Set([
  'TIMEOUT',
  'CANCELLED',
  'BACKEND_UNAVAILABLE',
  'UNKNOWN_ERROR',
]);
const APPLIED: ReadonlySet<FaultCode> = new Set(['PARTIALLY_APPLIED', 'PAYLOAD_TOO_LARGE']);

const executedByDefault = (code: FaultCode): Executed =>
  OUTCOME_UNKNOWN.has(code) ? 'unknown' : APPLIED.has(code) ? 'yes' : 'no';

export interface FaultOptions {
  /** The error behind it: logged where the fault leaves its service, never sent. */
  readonly cause?: unknown;
  readonly executed?: Executed;
  readonly retryAfterMs?: number | undefined;
  readonly rpc?: RpcError | undefined;
  readonly unserved?: boolean | undefined;
}

/** The only error that crosses a service's boundary. `message` may be shown to callers: no address, path or secret in it. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly executed: Executed;
  readonly retryAfterMs: number | undefined;
  readonly rpc: RpcError | undefined;
  readonly unserved: boolean;

  constructor(
    readonly code: FaultCode,
    message: string,
    options: FaultOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.executed = options.executed ?? executedByDefault(code);
    this.retryAfterMs = options.retryAfterMs;
    this.rpc = options.rpc;
    this.unserved = options.unserved ?? false;
  }

  toRecord(): FaultRecord {
    return {
      code: this.code,
      message: this.message,
      executed: this.executed,
      ...(this.retryAfterMs !== undefined && { retryAfterMs: this.retryAfterMs }),
      ...(this.rpc !== undefined && { rpc: this.rpc }),
      ...(this.unserved && { unserved: true }),
    };
  }

  static fromRecord({ code, message, ...options }: FaultRecord): Fault {
    return new Fault(code, message, options);
  }

  /** Any thrown thing as a Fault: what is not one becomes UNKNOWN_ERROR with a generic sentence, the original as cause. */
  static from(error: unknown): Fault {
    if (error instanceof Fault) return error;
    return new Fault('UNKNOWN_ERROR', 'The service failed in a way it did not foresee.', { cause: error });
  }
}
