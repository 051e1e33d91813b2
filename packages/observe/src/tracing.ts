export type SpanKind = 'server' | 'client';

/** One step of a call, as a trace shows it. */
export interface Span {
  /** W3C: what the next step is told, so that it is this one's child. */
  readonly traceparent: string;
  /** No argument, result or credential may be a value. */
  set(attribute: string, value: string | number): void;
  /** Ends it, now and once; `errorType` tells that it failed, and how. */
  end(errorType?: string): void;
}

export type BeginSpan = (
  kind: SpanKind,
  name: string,
  parent: string | undefined,
  startedAt: number | undefined,
) => Span;

/** Undefined, and so nothing is made on the path of a call, unless telemetry is open. */
let begin: BeginSpan | undefined;

export const traceBy = (beginner: BeginSpan | undefined): void => {
  begin = beginner;
};

/**
 * Begins a span `<method> <target>` below the one that `parent`, a traceparent, names; a trace of its own without one.
 * `startedAt`: by `performance.now()`, where that was before now. Undefined while nothing is traced.
 */
export const beginSpan = (
  kind: SpanKind,
  method: string,
  target: string,
  parent: string | undefined,
  startedAt?: number,
): Span | undefined =>
  begin === undefined ? undefined : begin(kind, target === '' ? method : `${method} ${target}`, parent, startedAt);

/** Does a piece of work in a span of its own, and gives it that span; while nothing is traced it is just done. */
export const inSpan = <Value>(
  kind: SpanKind,
  method: string,
  target: string,
  parent: string | undefined,
  work: (span: Span | undefined) => Promise<Value>,
): Promise<Value> => {
  const span = beginSpan(kind, method, target, parent);
  return span === undefined ? work(undefined) : ended(span, work);
};

async function ended<Value>(span: Span, work: (span: Span) => Promise<Value>): Promise<Value> {
  try {
    const value = await work(span);
    span.end();
    return value;
  } catch (error) {
    span.end(errorType(error));
    throw error;
  }
}

/** A context as it is handed on from within a span. */
export const below = <Context extends { readonly traceparent?: string | undefined }>(
  span: Span | undefined,
  context: Context,
): Context => (span === undefined ? context : { ...context, traceparent: span.traceparent });

/** The code of a fault; nothing else that an error says is known to hold no secret. */
const errorType = (error: unknown): string => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'UNKNOWN_ERROR';
};
