import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type CollectedSpan,
  type ModernHttpServer,
  type NatsWithUsers,
  type OtlpCollector,
  describeIfAvailable,
  startModernHttpServer,
  startNatsWithUsers,
  startOtlpCollector,
} from '@portico/testkit';
import { build, start } from './running.js';

const APPS = resolve(import.meta.dirname, '../..');
const SERVICES = ['discovery', 'upstreams', 'adapter-dagger', 'front-door'];
const SECRETS = { token: 'ci-token-hunter2', header: 'collector-hunter2', argument: 'argument-hunter2' };

/** The services, each as its own process, on one NATS; they answer on stdout in JSON. */
class Processes {
  readonly folder = mkdtempSync(join(tmpdir(), 'portico-trace-'));
  readonly children: ChildProcess[] = [];
  output = '';

  constructor(env: Record<string, string>, servers: object, busOf: (service: string) => string) {
    writeFileSync(join(this.folder, 'mcp.json'), JSON.stringify({ mcpServers: servers }));
    // What is said in .env counts as what the environment says.
    const settings = { ...env, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'debug' };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(this.folder, '.env'), lines.join(''));
    for (const name of SERVICES) {
      const child = spawn(process.execPath, [join(APPS, name, 'dist/main.js')], {
        cwd: this.folder,
        env: { PATH: process.env['PATH'], BUS_URL: busOf(name), PORTICO_HOME: join(this.folder, name) },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
      this.children.push(child);
    }
  }

  async call(name: string, options: { args?: object; traceparent?: string; correlation?: string } = {}) {
    const address = await until(
      () => /"url":"(http:[^"]+\/mcp)"/.exec(this.output)?.[1],
      () => this.output,
    );
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: options.args ?? {},
          _meta: {
            ...(options.traceparent !== undefined && { traceparent: options.traceparent }),
            ...(options.correlation !== undefined && { 'portico/correlation-id': options.correlation }),
          },
        },
      }),
    });
    return (await response.text()).replaceAll('\\', '');
  }

  async stop(): Promise<(number | null)[]> {
    return Promise.all(
      this.children.reverse().map(async (child) => {
        if (child.exitCode !== null) return child.exitCode;
        child.kill('SIGTERM');
        return (await once(child, 'exit'))[0] as number | null;
      }),
    );
  }
}

async function until<T>(found: () => T | undefined | Promise<T | undefined>, what: () => string): Promise<T> {
  for (const end = Date.now() + 30_000; ;) {
    const value = await found();
    if (value !== undefined) return value;
    if (Date.now() > end) throw new Error(what());
    await new Promise((next) => setTimeout(next, 25));
  }
}

const idOf = (n: number): string => n.toString(16).padStart(32, 'a');
const agentOf = (n: number, flags = '01'): string => `00-${idOf(n)}-b7ad6b7169203331-${flags}`;

beforeAll(build, 240_000);

describeIfAvailable('nats-server', '[OP-11] one trace', () => {
  let nats: NatsWithUsers;
  let collector: OtlpCollector;
  let mcp: ModernHttpServer;
  let backend: Server;
  let processes: Processes;
  const asked: IncomingHttpHeaders[] = [];

  beforeAll(async () => {
    [nats, collector, mcp] = await Promise.all([startNatsWithUsers(), startOtlpCollector(), startModernHttpServer()]);
    backend = createServer((request, response) => {
      asked.push(request.headers);
      if (request.url === '/v1/runs/broken') return void request.destroy();
      if (request.url?.startsWith('/v1/runs/')) return void response.writeHead(404).end('{}');
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"data":[]}');
    });
    backend.listen(0, '127.0.0.1');
    await once(backend, 'listening');
    processes = new Processes(
      {
        CI_DISPATCHER_URL: `http://127.0.0.1:${(backend.address() as AddressInfo).port}`,
        CI_DISPATCHER_TOKEN: SECRETS.token,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=${SECRETS.header}`,
        OTEL_BSP_SCHEDULE_DELAY: '100',
        OTEL_METRIC_EXPORT_INTERVAL: '500',
      },
      { remote: { url: mcp.url, allowPrivate: true, forwardContext: true } },
      nats.urlOf,
    );
    for (const name of ['dagger.list_runs', 'remote.echo'])
      await until(
        async () => (/"ok":true/.test(await processes.call(name)) ? true : undefined),
        () => `${name} does not answer: ${processes.output.slice(-2_000)}`,
      );
  }, 120_000);
  afterAll(async () => {
    await processes.stop();
    backend.close();
    await Promise.all([nats.stop(), collector.close(), mcp.close()]);
    rmSync(processes.folder, { recursive: true, force: true });
  }, 60_000);

  /** The spans of a trace from its root down, once there are so many. */
  const traceOf = async (n: number, count: number): Promise<CollectedSpan[]> => {
    const mine = () => collector.spans.filter(({ traceId }) => traceId === idOf(n));
    const found = await until(
      () => (mine().length >= count ? mine() : undefined),
      () => JSON.stringify(mine()),
    );
    const path: CollectedSpan[] = [];
    for (let above = agentOf(n).slice(36, 52); ; above = path.at(-1)!.spanId) {
      const [below, ...others] = found.filter(({ parentSpanId }) => parentSpanId === above);
      expect(others).toEqual([]);
      if (below === undefined) break;
      path.push(below);
    }
    expect(path).toHaveLength(found.length);
    return path;
  };
  const shape = (spans: CollectedSpan[]) => spans.map(({ service, kind, name }) => `${service} ${kind} ${name}`);

  it('goes from the agent through the front door, the bus and a domain to its backend, which is told the last span', async () => {
    expect(await processes.call('dagger.list_runs', { traceparent: agentOf(1), correlation: 'corr-1' })).toContain(
      '"ok":true',
    );
    const trace = await traceOf(1, 4);
    expect(shape(trace)).toEqual([
      'front-door server tools/call dagger.list_runs',
      'front-door client ask domain.dagger',
      'adapter-dagger server tools/call list_runs',
      'adapter-dagger client GET',
    ]);
    expect(asked.at(-1)).toMatchObject({
      traceparent: `00-${idOf(1)}-${trace.at(-1)!.spanId}-01`,
      'x-correlation-id': 'corr-1',
    });
    expect(trace[0]!.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'dagger.list_runs',
      'portico.correlation_id': 'corr-1',
      'portico.served_from': 'backend',
    });
    expect(trace[3]!.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'peer.service': expect.any(String) as unknown,
    });
  });

  it('goes to a server of somebody else, which is told the last span where it may know the ids', async () => {
    expect(await processes.call('remote.echo', { traceparent: agentOf(2) })).toContain('"ok":true');
    const trace = await traceOf(2, 4);
    expect(shape(trace)).toEqual([
      'front-door server tools/call remote.echo',
      'front-door client ask upstream.remote',
      'upstreams server tools/call echo',
      'upstreams client tools/call echo',
    ]);
    const { headers } = mcp.requests.findLast(({ message }) => message.method === 'tools/call')!;
    expect(headers['traceparent']).toBe(`00-${idOf(2)}-${trace.at(-1)!.spanId}-01`);
  });

  it('has how each step failed, and no argument, result or secret', async () => {
    await processes.call('dagger.get_run', { traceparent: agentOf(3), args: { run_id: SECRETS.argument } });
    const trace = await traceOf(3, 4);
    for (const { attributes, failed } of trace) expect([attributes['error.type'], failed]).toEqual(['NOT_FOUND', true]);
    const sent = collector.requests.map(({ body }) => body).join();
    for (const secret of Object.values(SECRETS)) expect(sent).not.toContain(secret);
    expect(new Set(collector.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([SECRETS.header]));
  });

  it('is none where the agent does not sample: its traceparent passes as it came', async () => {
    await processes.call('dagger.list_runs', { traceparent: agentOf(4, '00') });
    expect(asked.at(-1)?.traceparent).toBe(agentOf(4, '00'));
    await processes.call('dagger.list_runs', { traceparent: agentOf(5) });
    await traceOf(5, 4);
    expect(collector.spans.filter(({ traceId }) => traceId === idOf(4))).toEqual([]);
  });

  it('goes on while the collector is away, and calls do not notice', async () => {
    collector.answer = (response) => response.destroy();
    for (let i = 0; i < 20; i++) expect(await processes.call('dagger.list_runs')).toContain('"ok":true');
    collector.answer = undefined;
    await processes.call('dagger.list_runs', { traceparent: agentOf(6) });
    await traceOf(6, 4);
  });

  it('comes with the metrics of every service, under one scheme of names', async () => {
    for (const service of SERVICES)
      await until(
        () => collector.metric('process_resident_memory_bytes', service),
        () => `no metrics of ${service}`,
      );
    const calls = await until(
      () => collector.metric('portico_calls_total', 'front-door'),
      () => 'no calls counted',
    );
    expect(calls.points.map(({ attributes }) => attributes)).toContainEqual({
      domain: 'dagger',
      code: 'OK',
      served_from: 'backend',
    });
    for (const { name, points } of collector.metrics) {
      expect(name).toMatch(/^(portico|process|nodejs)_[a-z0-9_]+$/);
      expect(points.length).toBeLessThanOrEqual(2_001);
    }
  });

  it('is matched by logs: each line JSON with time, level, name and event; a call’s carry its id; none holds a secret', async () => {
    const { token, argument, header } = SECRETS;
    await processes.call('dagger.list_runs', { correlation: 'corr-logged', args: { pipeline: argument } });
    await processes.call('dagger.get_run', { correlation: 'corr-absent', args: { run_id: argument } });
    await processes.call('dagger.get_run', { correlation: 'corr-broken', args: { run_id: 'broken' } });
    const isNoted = (id: string) =>
      new RegExp(`"correlation_id":"${id}".*"event":"call.receipt"`).test(processes.output);
    for (const id of ['corr-logged', 'corr-absent', 'corr-broken'])
      await until(
        () => isNoted(id) || undefined,
        () => `no receipt of ${id}`,
      );
    const lines = processes.output.trim().split('\n');
    const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const line of read) {
      expect(line).toMatchObject({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
        level: expect.stringMatching(/^(debug|info|warn|error)$/) as unknown,
        name: expect.stringMatching(/^[a-z-]+$/) as unknown,
        event: expect.stringMatching(/^[a-z0-9]+([.-][a-z0-9]+)+$/) as unknown,
      });
    }
    for (const secret of [token, argument, header]) expect(processes.output).not.toContain(secret);
    const broken = read.filter((line) =>
      ['correlationId', 'correlation_id'].some((key) => line[key] === 'corr-broken'),
    );
    expect(new Set(broken.map(({ name, event }) => `${String(name)} ${String(event)}`))).toEqual(
      new Set([
        'adapter-dagger backend.connection-failed',
        'adapter-dagger bus.handler-fault',
        'front-door call.receipt',
      ]),
    );
    const uncorrelated = read.filter(
      ({ event, correlationId, correlation_id: noted }) =>
        /^(call|backend|bus\.handler)/.test(String(event)) && correlationId === undefined && noted === undefined,
    );
    expect(uncorrelated).toEqual([]);
  });

  it('is sent to its end when the services stop', async () => {
    await processes.call('dagger.list_runs', { traceparent: agentOf(7) });
    expect(await processes.stop()).toEqual(SERVICES.map(() => 0));
    expect(shape(await traceOf(7, 4))).toHaveLength(4);
    expect(processes.output).not.toMatch(/hunter2/);
  });
});

describe('[OP-11] npm start', () => {
  it('sends what all services in its one process trace and count, to the end', async () => {
    const collector = await startOtlpCollector();
    const running = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const params = { name: 'gateway.health', arguments: {}, _meta: { traceparent: agentOf(9) } };
    await fetch(`${running.url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    expect(await running.stop()).toBe(0);
    expect(collector.spans.map(({ service, traceId, name }) => [service, traceId, name])).toEqual([
      ['portico', idOf(9), 'tools/call gateway.health'],
    ]);
    expect(collector.metric('portico_calls_total', 'portico')?.points).toEqual([
      expect.objectContaining({ attributes: expect.objectContaining({ domain: 'gateway' }) as unknown, value: 1 }),
    ]);
    await collector.close();
  });
});
