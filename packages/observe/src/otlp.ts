import { ROOT_CONTEXT, type Tracer, trace } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Log } from './log.js';
import type { Metrics } from './metrics.js';
import { metricProducer } from './metric-producer.js';
import { OtlpSpan, parentOf } from './otlp-span.js';
import type { BeginSpan } from './tracing.js';
import { WatchedExporter } from './watched-exporter.js';

const KINDS = { server: 1, client: 2 } as const;

/** OpenTelemetry's SDK, put together for one process. It is the one way into those packages: whoever loads this loads them. */
export class Otlp {
  readonly #closing: { shutdown(): Promise<void> }[] = [];
  readonly #resource;

  constructor(
    service: string,
    private readonly log: Log,
  ) {
    const said = detectResources({ detectors: [serviceInstanceIdDetector, envDetector] });
    this.#resource = defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service, 'service.namespace': 'portico' }))
      .merge(said);
  }

  traces(): BeginSpan {
    const exporter = new WatchedExporter(new OTLPTraceExporter(), 'traces', this.log);
    const provider = new BasicTracerProvider({
      resource: this.#resource,
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
    this.#closing.push(provider);
    return beginnerOf(provider.getTracer('portico'));
  }

  /** Sends `metrics` every so many milliseconds, and once more at the end; a sending may take `timeoutMs`. */
  metrics(metrics: Metrics, everyMs: number, timeoutMs: number): void {
    const reader = new PeriodicExportingMetricReader({
      exporter: new WatchedExporter(new OTLPMetricExporter(), 'metrics', this.log),
      exportIntervalMillis: everyMs,
      exportTimeoutMillis: timeoutMs,
      metricProducers: [metricProducer(metrics, this.#resource)],
    });
    this.#closing.push(new MeterProvider({ resource: this.#resource, readers: [reader] }));
  }

  /** Never rejects: what could not be sent was told when it was tried. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#closing.map((provider) => provider.shutdown()));
  }
}

const beginnerOf =
  (tracer: Tracer): BeginSpan =>
  (kind, name, parent, startedAt) => {
    const above = parentOf(parent);
    const context = above === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, above);
    const options = { kind: KINDS[kind], ...(startedAt !== undefined && { startTime: startedAt }) };
    return new OtlpSpan(tracer.startSpan(name, options, context), above && parent);
  };
