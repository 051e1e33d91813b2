import { type Span as SdkSpan, type SpanContext, SpanStatusCode } from '@opentelemetry/api';
import type { Span } from './tracing.js';

/** W3C, and of any version but the forbidden one: what later versions add stands behind. Ids of zeros name nothing. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** A span of the SDK's. One that nobody records leaves a trace as it came. */
export class OtlpSpan implements Span {
  readonly traceparent: string;

  constructor(
    private readonly span: SdkSpan,
    parent: string | undefined,
  ) {
    this.traceparent = parent !== undefined && !span.isRecording() ? parent : traceparentOf(span.spanContext());
  }

  set(attribute: string, value: string | number): void {
    this.span.setAttribute(attribute, value);
  }

  end(errorType?: string): void {
    if (errorType !== undefined) {
      this.span.setAttribute('error.type', errorType);
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end(performance.now());
  }
}

/** What a traceparent names; undefined where it names nothing. */
export function parentOf(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-0${traceFlags & 1}`;
