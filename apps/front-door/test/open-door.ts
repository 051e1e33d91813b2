import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bus, memoryBus } from '@portico/bus';
import { readConfig as readDiscoveryConfig, startDiscovery } from '@portico/discovery';
import { type Domain, serveDomain } from '@portico/domain-kit';
import { readConfig, startFrontDoor } from '@portico/front-door';
import { type Log, createLog } from '@portico/observe';
import { readConfig as readCacheConfig, startSemanticCache } from '@portico/semantic-cache';
import { readConfig as readTaskConfig, startTaskRuntime } from '@portico/task-runtime';
import { readConfig as readUpstreamsConfig, startUpstreams } from '@portico/upstreams';

export const MODERN = '2026-07-28';

export interface OpenDoor {
  readonly url: string;
  readonly adminUrl: string;
  /** What `/api` asks for, as the front door's own file has it. */
  readonly adminToken: string;
  readonly bus: Bus;
  /** Where it keeps its files. */
  readonly home: string;
  /** Every line logged so far. */
  readonly lines: string[];
  /** Sends a request of the given revision, with the headers that belong to it; `headers` come on top. */
  rpc(method: string, params?: Record<string, unknown>, options?: RpcOptions): Promise<RpcAnswer>;
  post(body: string | Buffer, headers?: Record<string, string>): Promise<RpcAnswer>;
  serve(domain: Domain): Promise<Awaited<ReturnType<typeof serveDomain>>>;
  close(): Promise<void>;
}

export interface RpcOptions {
  readonly revision?: string;
  readonly headers?: Record<string, string | undefined>;
  readonly meta?: Record<string, unknown>;
  readonly id?: string | number;
  readonly signal?: AbortSignal;
}

export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON-RPC answer: the body, or the last event of a stream. */
  readonly message: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- answers are asserted, not typed
  /** Every message of a stream, in order. */
  readonly events: any[]; // eslint-disable-line @typescript-eslint/no-explicit-any -- as above
}

export interface Behind {
  /** When the process of the front door began, by `performance.now()`; now unless given. */
  readonly startedAt?: number;
  /** The bus to open it on; one in process otherwise. */
  readonly bus?: Bus;
  /** MCP servers for `upstreams` to hold, as in `mcp.json`; it is started only when there are some. */
  readonly servers?: Record<string, Record<string, unknown>>;
  /** False: nothing serves discovery, unless the test does. */
  readonly discovery?: boolean;
  /** True: leases are served, on the REDIS_URL that is given. */
  readonly tasks?: boolean;
  /** True: the response cache is served, on the DATABASE_URL that is given. */
  readonly cache?: boolean;
  /** The policy file; one without rules unless given. */
  readonly policy?: Record<string, unknown>;
}

/** A front door with discovery behind it, and what else is asked for. */
export async function openDoor(
  env: Record<string, string> = {},
  {
    bus: given,
    servers,
    startedAt,
    discovery: discovers = true,
    tasks = false,
    cache = false,
    policy = {},
  }: Behind = {},
): Promise<OpenDoor> {
  const home = mkdtempSync(join(tmpdir(), 'portico-door-'));
  const lines: string[] = [];
  const log: Log = createLog({ name: 'test', format: 'json', level: 'debug', write: (line) => void lines.push(line) });
  const policyFile = join(home, 'policy.yaml');
  writeFileSync(policyFile, JSON.stringify(policy));
  const all = { PORT: '0', ADMIN_PORT: '0', PORTICO_HOME: home, POLICY_FILE: policyFile, ...env };
  const bus = given ?? memoryBus({ log });
  const closers: (() => Promise<void>)[] = [];
  if (discovers) {
    const discovery = await startDiscovery(bus, readDiscoveryConfig(all), log);
    closers.push(() => discovery.close());
  }
  if (servers !== undefined) {
    const file = join(home, 'mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: servers }));
    const upstreams = await startUpstreams(
      bus,
      readUpstreamsConfig({ ...process.env, ...all, MCP_SERVERS_FILE: file }),
      log,
    );
    closers.unshift(() => upstreams.close());
  }
  if (tasks) {
    const runtime = await startTaskRuntime(bus, readTaskConfig(all), log);
    closers.unshift(() => runtime.close());
  }
  if (cache) {
    const service = await startSemanticCache(bus, readCacheConfig(all), log);
    closers.unshift(() => service.close());
  }
  const door = await startFrontDoor(bus, readConfig(all), log, startedAt);
  closers.unshift(() => door.close());
  const post = async (
    body: string | Buffer,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<RpcAnswer> => {
    const response = await fetch(`${door.url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body,
      ...(signal && { signal }),
    });
    return answerOf(response.status, response.headers, await response.text());
  };
  return {
    home,
    url: door.url,
    adminUrl: door.adminUrl,
    adminToken: readFileSync(join(home, 'admin-token'), 'utf8').trim(),
    bus,
    lines,
    post,
    rpc: (method, params = {}, options = {}) => {
      const { body, headers } = requestOf(method, params, options);
      return post(JSON.stringify(body), headers, options.signal);
    },
    async serve(domain) {
      const served = await serveDomain(bus, domain, { instance: `test-${Math.random()}`, log });
      closers.unshift(() => served.close());
      return served;
    },
    async close() {
      for (const close of closers) await close();
      if (given === undefined) await bus.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export function requestOf(method: string, params: Record<string, unknown>, options: RpcOptions = {}) {
  const { revision = MODERN, meta = {}, id = 1 } = options;
  const modern = revision === MODERN;
  const named = params['name'] ?? params['uri'];
  const headers: Record<string, string | undefined> = {
    'MCP-Protocol-Version': revision,
    ...(modern && { 'Mcp-Method': method }),
    ...(modern &&
      typeof named === 'string' &&
      /^(tools\/call|prompts\/get|resources\/read)$/.test(method) && { 'Mcp-Name': named }),
    ...options.headers,
  };
  const envelope = modern
    ? {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      }
    : {};
  const _meta = { ...envelope, ...meta };
  return {
    body: { jsonrpc: '2.0', id, method, params: { ...params, ...(Object.keys(_meta).length > 0 && { _meta }) } },
    headers: Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  };
}

function answerOf(status: number, headers: Headers, text: string): RpcAnswer {
  const events = (headers.get('content-type') ?? '').includes('text/event-stream')
    ? text
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => JSON.parse(line.slice(6)) as unknown)
    : [];
  const message = events.length > 0 ? events.at(-1) : parsed(text);
  return { status, headers, text, message, events };
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
