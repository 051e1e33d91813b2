import { CONTEXT_HEADERS } from '@portico/contracts';
import type { CallContext } from '@portico/contracts';
import type { JsonObject } from './json-rpc.js';

/** The `_meta` keys by which a server over stdio is told the ids of a call. Who calls is in none of them, nor a lease's own id. */
const CONTEXT_META = {
  correlationId: 'portico/correlation-id',
  taskId: 'portico/task-id',
  agent: 'portico/agent',
  leaseRef: 'portico/lease-ref',
  leaseFence: 'portico/lease-fence',
  traceparent: 'traceparent',
} as const satisfies Record<keyof typeof CONTEXT_HEADERS, string>;

const FIELDS = Object.keys(CONTEXT_META) as (keyof typeof CONTEXT_META)[];
/** What a header may carry without ending it. */
const PLAIN = /^[\x21-\x7e]{1,256}$/;

/** The ids as HTTP headers, name and value in turn; none without a context. */
export const contextHeaders = (context: CallContext | undefined): string[] =>
  context === undefined
    ? []
    : FIELDS.flatMap((field) => (isTold(context[field]) ? [CONTEXT_HEADERS[field], String(context[field])] : []));

/** The ids as `_meta` keys; undefined without a context. */
export const contextMeta = (context: CallContext | undefined): JsonObject | undefined =>
  context &&
  Object.fromEntries(
    FIELDS.filter((field) => isTold(context[field])).map((field) => [CONTEXT_META[field], context[field]]),
  );

/** An id that is absent, or that may not stand in a header, is left out. */
const isTold = (value: string | number | undefined): boolean => value !== undefined && PLAIN.test(String(value));
