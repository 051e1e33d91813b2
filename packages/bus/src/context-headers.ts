import { CONTEXT_HEADERS, ContextId } from '@portico/contracts';
import type { CallContext } from '@portico/contracts';

/** Reads one header of a message. */
export type ReadHeader = (name: string) => string | undefined;

const TENANT = 'Portico-Tenant';
const SUBJECT = 'Portico-Subject';
/** Longest principal name that travels, in characters as they are encoded. */
const LONGEST_NAME = 1_024;
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-[\x21-\x7e]{1,128})?$/;

/** The context as header lines. A value that may not stand in a header is left out. */
export const contextHeaders = (context: CallContext): [name: string, value: string][] => {
  const lines: [string, string][] = [];
  for (const name of ['correlationId', 'taskId', 'agent', 'leaseRef'] as const) {
    const value = context[name];
    if (value !== undefined && ContextId.safeParse(value).success) lines.push([CONTEXT_HEADERS[name], value]);
  }
  if (Number.isSafeInteger(context.leaseFence)) lines.push([CONTEXT_HEADERS.leaseFence, String(context.leaseFence)]);
  if (context.traceparent !== undefined && TRACEPARENT.test(context.traceparent)) {
    lines.push([CONTEXT_HEADERS.traceparent, context.traceparent]);
  }
  // Names of people are any text: percent-encoded, so that none can break out of its line.
  const { tenant, subject } = context.principal;
  try {
    lines.push([TENANT, encodeURIComponent(tenant)], [SUBJECT, encodeURIComponent(subject)]);
  } catch {
    // Half a surrogate pair has no encoding: the call goes without its principal.
  }
  return lines;
};

/** The context that arrived. What is malformed counts as absent; without its id and principal there is no context. */
export const readContext = (header: ReadHeader): CallContext | undefined => {
  const fence = header(CONTEXT_HEADERS.leaseFence) ?? '';
  const traceparent = header(CONTEXT_HEADERS.traceparent) ?? '';
  const optional = {
    taskId: idIn(header(CONTEXT_HEADERS.taskId)),
    agent: idIn(header(CONTEXT_HEADERS.agent)),
    leaseRef: idIn(header(CONTEXT_HEADERS.leaseRef)),
    leaseFence: /^\d{1,16}$/.test(fence) && Number.isSafeInteger(+fence) ? +fence : undefined,
    traceparent: TRACEPARENT.test(traceparent) ? traceparent : undefined,
  };
  const correlationId = idIn(header(CONTEXT_HEADERS.correlationId));
  const tenant = nameIn(header(TENANT));
  const subject = nameIn(header(SUBJECT));
  if (correlationId === undefined || tenant === undefined || subject === undefined) return undefined;
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { correlationId, ...Object.fromEntries(given), principal: { tenant, subject } };
};

const idIn = (value: string | undefined): string | undefined =>
  ContextId.safeParse(value).success ? value : undefined;

const nameIn = (value: string | undefined): string | undefined => {
  if (value === undefined || value.length > LONGEST_NAME) return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
};
