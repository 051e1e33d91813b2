import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty at the root of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: 'server' | 'client' | 'other';
  readonly attributes: Attributes;
  readonly failed: boolean;
  readonly durationMs: number;
}

export interface CollectedMetric {
  readonly service: string;
  readonly name: string;
  readonly unit: string;
  readonly type: 'sum' | 'gauge' | 'histogram';
  readonly points: readonly { readonly attributes: Attributes; readonly value: number; readonly counts: number[] }[];
}

/** A double of an OpenTelemetry collector that takes OTLP/HTTP as JSON. */
export interface OtlpCollector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** As it was sent last, by service and name. */
  metric(name: string, service?: string): CollectedMetric | undefined;
  readonly metrics: CollectedMetric[];
  /** Every request: its path, headers and body. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** Answers in place of the collector; undefined: it takes what comes. */
  answer: ((response: ServerResponse) => void) | undefined;
  /** Breaks every open connection. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts one on a free loopback port, or on the one given. */
export async function startOtlpCollector(port = 0): Promise<OtlpCollector> {
  const server = createServer((request, response) => void take(request, response));
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    collector.requests.push({ path: request.url ?? '', headers: request.headers, body });
    if (collector.answer !== undefined) return collector.answer(response);
    if (request.url === '/v1/traces') collector.spans.push(...spansIn(JSON.parse(body) as WireTraces));
    else if (request.url === '/v1/metrics') collector.metrics.push(...metricsIn(JSON.parse(body) as WireMetrics));
    else return void response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  };
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const collector: OtlpCollector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    metrics: [],
    requests: [],
    answer: undefined,
    metric: (name, service) =>
      collector.metrics.findLast((one) => one.name === name && (service === undefined || one.service === service)),
    cut: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return collector;
}

interface WireAttribute {
  readonly key: string;
  readonly value: { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
}
interface WireResource {
  readonly attributes: readonly WireAttribute[];
}
interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly WireAttribute[];
  readonly status?: { code?: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}
interface WireTraces {
  readonly resourceSpans: readonly { resource: WireResource; scopeSpans: readonly { spans: readonly WireSpan[] }[] }[];
}
interface WirePoints {
  readonly dataPoints: readonly {
    readonly attributes: readonly WireAttribute[];
    readonly asDouble?: number;
    readonly asInt?: number | string;
    readonly sum?: number;
    readonly bucketCounts?: readonly (number | string)[];
  }[];
}
interface WireMetric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: WirePoints;
  readonly gauge?: WirePoints;
  readonly histogram?: WirePoints;
}
interface WireMetrics {
  readonly resourceMetrics: readonly {
    resource: WireResource;
    scopeMetrics: readonly { metrics: readonly WireMetric[] }[];
  }[];
}

const attributesOf = (pairs: readonly WireAttribute[]): Attributes =>
  Object.fromEntries(
    pairs.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue ?? '',
    ]),
  );

const serviceOf = ({ attributes }: WireResource): string => String(attributesOf(attributes)['service.name']);

const KINDS: Readonly<Record<number, CollectedSpan['kind']>> = { 2: 'server', 3: 'client' };

const spansIn = ({ resourceSpans }: WireTraces): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: serviceOf(resource),
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: KINDS[span.kind] ?? 'other',
        attributes: attributesOf(span.attributes),
        failed: span.status?.code === 2,
        durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
      })),
    ),
  );

const metricsIn = ({ resourceMetrics }: WireMetrics): CollectedMetric[] =>
  resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.map((metric) => {
        const type = (['sum', 'gauge', 'histogram'] as const).find((one) => metric[one] !== undefined) ?? 'gauge';
        const points = (metric[type]?.dataPoints ?? []).map((point) => ({
          attributes: attributesOf(point.attributes),
          value: Number(point.asDouble ?? point.asInt ?? point.sum),
          counts: (point.bucketCounts ?? []).map(Number),
        }));
        return { service: serviceOf(resource), name: metric.name, unit: metric.unit, type, points };
      }),
    ),
  );
