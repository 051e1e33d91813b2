import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics, beginSpan, closeTelemetry, createLog, inSpan, openTelemetry } from '@portico/observe';
import { type OtlpCollector, startOtlpCollector } from '@portico/testkit';

const AGENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let collector: OtlpCollector;
let lines: string[];
let metrics: Metrics;
beforeEach(async () => {
  collector = await startOtlpCollector();
  lines = [];
  metrics = new Metrics();
});
afterEach(async () => {
  await closeTelemetry();
  await collector.close();
  for (const name of Object.keys(process.env).filter((one) => one.startsWith('OTEL_'))) delete process.env[name];
});

const log = createLog({ name: 'test', write: (line) => void lines.push(line), format: 'json' });
const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
const open = (env: Record<string, string> = {}) =>
  openTelemetry('some-service', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env }, log, metrics);
const until = async (done: () => boolean): Promise<void> => {
  for (const end = Date.now() + 15_000; !done();) {
    if (Date.now() > end) throw new Error(`It did not come to that. Logged: ${lines.join('')}`);
    await new Promise((next) => setTimeout(next, 10));
  }
};

describe('[OP-11] traces', () => {
  it('go to /v1/traces: each span below the one that its traceparent names, with how it ended', async () => {
    await open();
    const server = beginSpan('server', 'tools/call', 'a.b', AGENT, performance.now() - 250)!;
    server.set('gen_ai.tool.name', 'a.b');
    const failing = inSpan('client', 'ask', 'domain.a', server.traceparent, async () => {
      throw Object.assign(new Error('with a secret'), { code: 'TIMEOUT' });
    });
    await expect(failing).rejects.toThrow('with a secret');
    server.end('TIMEOUT');
    await closeTelemetry();
    const [ask, call] = collector.spans;
    expect(call).toMatchObject({
      service: 'some-service',
      name: 'tools/call a.b',
      kind: 'server',
      traceId: AGENT.slice(3, 35),
      parentSpanId: AGENT.slice(36, 52),
      attributes: { 'gen_ai.tool.name': 'a.b', 'error.type': 'TIMEOUT' },
      failed: true,
    });
    expect(call!.durationMs).toBeGreaterThanOrEqual(250);
    expect(ask).toMatchObject({
      name: 'ask domain.a',
      kind: 'client',
      traceId: call!.traceId,
      parentSpanId: call!.spanId,
      attributes: { 'error.type': 'TIMEOUT' },
    });
    expect(server.traceparent).toBe(`00-${call!.traceId}-${call!.spanId}-01`);
    expect(collector.requests.map(({ body }) => body).join()).not.toContain('secret');
  });

  it('begin anew without a traceparent, and below none that names nothing', async () => {
    await open();
    const wrong = [undefined, '', 'x', `ff${AGENT.slice(2)}`, AGENT.replace(/b7\w{14}/, '0'.repeat(16))];
    for (const parent of wrong) beginSpan('server', 'm', '', parent)!.end();
    await closeTelemetry();
    expect(collector.spans.map(({ parentSpanId }) => parentSpanId)).toEqual(wrong.map(() => ''));
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(wrong.length);
  });

  it('leave out what the agent does not sample, and pass it on as it came', async () => {
    await open();
    const unsampled = AGENT.replace(/01$/, '00');
    const span = beginSpan('server', 'm', '', unsampled)!;
    expect(span.traceparent).toBe(unsampled);
    span.end();
    await closeTelemetry();
    expect(collector.spans).toEqual([]);
  });

  it('are sampled, named and sent with the headers that the standard settings say', async () => {
    await open({
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      OTEL_SERVICE_NAME: 'renamed',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hunter2',
    });
    const root = beginSpan('server', 'm', '', undefined)!;
    expect(root.traceparent).toMatch(/^00-\w{32}-\w{16}-00$/);
    root.end();
    beginSpan('server', 'kept', '', AGENT)!.end();
    await closeTelemetry();
    expect(collector.spans.map(({ name, service }) => [name, service])).toEqual([['kept', 'renamed']]);
    expect(collector.requests.at(0)?.headers.authorization).toBe('Bearer hunter2');
    expect(lines.join('')).not.toContain('hunter2');
  });
});

describe('[OP-11] metrics', () => {
  it('go to /v1/metrics under the names and labels of /metrics', async () => {
    await open();
    const calls = metrics.counter({ name: 'calls_total', help: 'Calls.', labels: ['domain'] });
    for (let i = 0; i < 500; i++) calls.inc({ domain: `d${i}` });
    const time = metrics.histogram({ name: 'call_seconds', help: 'Time.', labels: ['domain'], buckets: [0.1, 1] });
    for (const seconds of [0.05, 0.5, 7]) time.observe({ domain: 'a' }, seconds);
    metrics.gauge({ name: 'sessions', help: 'Open.' }, () => 3);
    await closeTelemetry();
    const counted = collector.metric('portico_calls_total')!;
    expect(counted).toMatchObject({ type: 'sum', service: 'some-service' });
    expect(counted.points).toHaveLength(101);
    expect(counted.points.find(({ attributes }) => attributes['domain'] === 'other')?.value).toBe(400);
    expect(collector.metric('portico_call_seconds')).toMatchObject({
      type: 'histogram',
      unit: 's',
      points: [{ attributes: { domain: 'a' }, value: 7.55, counts: [1, 1, 1] }],
    });
    expect(collector.metric('portico_sessions')).toMatchObject({ type: 'gauge', points: [{ value: 3 }] });
    expect(collector.metric('process_resident_memory_bytes')?.points[0]?.value).toBeGreaterThan(1e6);
    for (const { name } of collector.metrics) expect(name).toMatch(/^(portico|process|nodejs)_[a-z0-9_]+$/);
  });

  it('go again and again, as often as is asked', async () => {
    await open({ OTEL_METRIC_EXPORT_INTERVAL: '100' });
    await until(() => collector.requests.filter(({ path }) => path === '/v1/metrics').length >= 3);
  });
});

describe('[OP-11] telemetry', () => {
  it.each([
    ['no endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    ['OTEL_SDK_DISABLED', { OTEL_SDK_DISABLED: 'true' }],
    ['exporters none', { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
  ])('is off with %s: nothing is traced or sent', async (_, env) => {
    await open(env);
    expect(beginSpan('server', 'm', '', AGENT)).toBeUndefined();
    expect(await inSpan('client', 'm', '', AGENT, async (span) => span)).toBeUndefined();
    await closeTelemetry();
    expect(collector.requests).toEqual([]);
  });

  it('goes apart where each has an endpoint of its own', async () => {
    await open({
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    });
    beginSpan('server', 'm', '', AGENT)!.end();
    await closeTelemetry();
    expect(collector.requests.map(({ path }) => path)).toEqual(['/v1/traces']);
  });

  it.each([
    ['answers 500', (): void => void (collector.answer = (response) => void response.writeHead(500).end('x'))],
    ['breaks off', (): void => void (collector.answer = (response) => response.destroy())],
    ['never answers', (): void => void (collector.answer = () => undefined)],
    [
      'answers without end',
      (): void =>
        void (collector.answer = (response) => {
          response.writeHead(500);
          const flood = setInterval(() => response.write('hunter2'.repeat(200_000)), 1);
          response.on('close', () => clearInterval(flood));
          response.on('error', () => undefined);
        }),
    ],
  ])(
    'with a collector that %s costs no call anything, is told once and does not hold up the end',
    async (_, break_) => {
      await open({
        OTEL_BSP_SCHEDULE_DELAY: '20',
        OTEL_EXPORTER_OTLP_TIMEOUT: '300',
        OTEL_METRICS_EXPORTER: 'none',
      });
      break_();
      const many = 20_000;
      const began = performance.now();
      for (let i = 0; i < many; i++) await inSpan('server', 'm', '', AGENT, async () => i);
      // A span takes some microseconds, whether anybody takes it or not.
      expect(performance.now() - began).toBeLessThan(many);
      await until(() => logged().some(({ event }) => event === 'telemetry.not-delivered'));
      for (let i = 0; i < 3; i++) {
        beginSpan('server', 'm', '', AGENT)!.end();
        await new Promise((next) => setTimeout(next, 400));
      }
      const stopping = performance.now();
      await closeTelemetry();
      expect(performance.now() - stopping).toBeLessThan(10_000);
      const told = logged().filter(({ event }) => String(event).startsWith('telemetry.'));
      expect(told).toEqual([expect.objectContaining({ level: 'warn', signal: 'traces' })]);
      expect(lines.join('')).not.toMatch(/hunter2|127\.0\.0\.1/);
    },
  );

  it('is given up at the end with a collector that holds on to what it is sent', async () => {
    await open({ OTEL_EXPORTER_OTLP_TIMEOUT: '30000', OTEL_METRICS_EXPORTER: 'none' });
    collector.answer = () => undefined;
    beginSpan('server', 'm', '', AGENT)!.end();
    const stopping = performance.now();
    await closeTelemetry();
    expect(performance.now() - stopping).toBeGreaterThan(1_500);
    expect(performance.now() - stopping).toBeLessThan(20_000);
    expect(collector.requests).toHaveLength(1);
    // What was given up is still tried, in a process that does not end: here it comes to its end.
    collector.answer = undefined;
    collector.cut();
    await until(() => collector.spans.length === 1);
  });

  it('keeps a bounded number of spans for a collector that takes none', async () => {
    await open({
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '100',
      OTEL_METRICS_EXPORTER: 'none',
    });
    for (let i = 0; i < 1_000; i++) beginSpan('server', 'm', '', AGENT)!.end();
    await closeTelemetry();
    expect(collector.spans.length).toBeLessThanOrEqual(200);
  });

  it('with a collector that comes back says so, and what is traced then arrives', async () => {
    await open({ OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_METRICS_EXPORTER: 'none' });
    collector.answer = (response) => void response.writeHead(400).end();
    beginSpan('server', 'lost', '', AGENT)!.end();
    await until(() => logged().some(({ event, code }) => event === 'telemetry.not-delivered' && code === 400));
    collector.answer = undefined;
    beginSpan('server', 'kept', '', AGENT)!.end();
    await until(() => logged().some(({ event }) => event === 'telemetry.delivered-again'));
    expect(collector.spans.map(({ name }) => name)).toEqual(['kept']);
  });

  it('refuses an endpoint that is none, and says that it speaks JSON where another protocol is asked for', async () => {
    await expect(open({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' })).rejects.toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT is/);
    await open({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
    expect(logged()).toEqual([expect.objectContaining({ event: 'telemetry.always-http-json' })]);
  });
});
