import { randomUUID } from 'node:crypto';
import { type CallContext, ContextId, Fault, leaseRef } from '@portico/contracts';
import { type McpRequest, isRecord } from '../mcp-request.js';
import { CONTEXT_ARGUMENT } from './context-schemas.js';

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
/** What ids of our leases look like: one that stands where only a reference belongs is not passed on as it is. */
const RAW_LEASE_ID = /^[A-Za-z0-9_-]{43}$/;

/** Where a caller may say it: the argument wins over `_meta`, `_meta` over the header. */
const hint = (name: string, argument: string, header: string) => ({
  argument,
  metas: [`portico/${name}`, `djayzone/${name}`],
  header,
});
type Hint = ReturnType<typeof hint>;
const CORRELATION = hint('correlation-id', 'correlation_id', 'x-correlation-id');
const TASK = hint('task-id', 'task_id', 'x-task-id');
const AGENT = hint('agent', 'agent', 'x-agent-id');
const LEASE = hint('lease-id', 'lease_ref', 'x-lease-id');

interface Spoken {
  readonly value: unknown;
  readonly place: 'argument' | 'meta' | 'header';
  /** What the caller called it. */
  readonly field: string;
}

/**
 * The context a call runs in: hints for observation, never a right. `hints` is the argument `_gateway_context`, where the
 * tool leaves that name to us. A correlation id that is absent or invalid becomes a UUID; any other id that is invalid
 * throws INVALID_ARGUMENTS naming it. A raw lease id goes no further: only its reference does.
 */
export function takeContext(request: McpRequest, hints?: unknown): CallContext {
  if (hints !== undefined && !isRecord(hints)) throw refused(CONTEXT_ARGUMENT, 'must be an object');
  const { meta, headers, principal } = request;
  const taskId = idOf(spoken(TASK, request, hints));
  const agent = idOf(spoken(AGENT, request, hints));
  const lease = refOf(spoken(LEASE, request, hints));
  const traceparent = meta['traceparent'] ?? headers['traceparent'];
  return {
    correlationId: correlationOf(request, hints),
    ...(taskId !== undefined && { taskId }),
    ...(agent !== undefined && { agent }),
    ...(lease !== undefined && { leaseRef: lease }),
    ...(typeof traceparent === 'string' && TRACEPARENT.test(traceparent) && { traceparent }),
    principal: { tenant: principal.tenant, subject: principal.subject },
  };
}

/** The caller's correlation id when it is valid, else a new one. */
export function correlationOf(request: McpRequest, hints?: Record<string, unknown>): string {
  const given = spoken(CORRELATION, request, hints)?.value;
  return isId(given) ? given : randomUUID();
}

function spoken(of: Hint, { meta, headers }: McpRequest, hints?: Record<string, unknown>): Spoken | undefined {
  const argument = hints?.[of.argument];
  if (argument !== undefined) {
    return { value: argument, place: 'argument', field: `${CONTEXT_ARGUMENT}.${of.argument}` };
  }
  for (const key of of.metas) {
    const value = meta[key];
    if (value !== undefined) return { value, place: 'meta', field: `_meta["${key}"]` };
  }
  const value = headers[of.header];
  return value === undefined ? undefined : { value, place: 'header', field: `the header ${of.header}` };
}

/** Most calls have none: only a text is worth a look. */
const isId = (value: unknown): value is string => typeof value === 'string' && ContextId.safeParse(value).success;

const idOf = (spoken: Spoken | undefined): string | undefined => {
  if (spoken === undefined || isId(spoken.value)) return spoken?.value as string | undefined;
  throw refused(spoken.field, 'must be 1 to 128 of letters, digits, ".", "_", ":" and "-"');
};

/** In the argument it is a reference already, elsewhere the id itself. */
const refOf = (spoken: Spoken | undefined): string | undefined => {
  const id = idOf(spoken);
  if (id === undefined) return undefined;
  return spoken?.place === 'argument' && !RAW_LEASE_ID.test(id) ? id : leaseRef(id);
};

const refused = (field: string, rule: string): Fault =>
  new Fault('INVALID_ARGUMENTS', `${field} ${rule}.`, { executed: 'no' });
