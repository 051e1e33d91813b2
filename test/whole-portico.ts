import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as cluster from '@portico/adapter-cluster';
import * as dagger from '@portico/adapter-dagger';
import * as github from '@portico/adapter-github';
import * as n8n from '@portico/adapter-n8n';
import * as plane from '@portico/adapter-plane';
import * as slack from '@portico/adapter-slack';
import { type Bus, connectBus } from '@portico/bus';
import * as discovery from '@portico/discovery';
import * as frontDoor from '@portico/front-door';
import { createLog } from '@portico/observe';
import * as slackBridge from '@portico/slack-bridge';
import * as taskRuntime from '@portico/task-runtime';
import { hashOfApiKey, newApiKey } from '../apps/front-door/src/auth/api-key.js';
import { keyFileText } from '../apps/front-door/src/auth/key-file.js';
import { Backends } from './backends.js';

type Log = ReturnType<typeof createLog>;
/** The address of the bus, or of each service’s own user there. */
type BusUrl = string | ((service: string) => string);
type Start = (bus: Bus, log: Log) => Promise<{ close(): Promise<void> }>;

/** What a call of a tool gave its caller. */
export interface Given {
  readonly isError: boolean;
  readonly text: string;
  /** The text, read as JSON where it is. */
  readonly json: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- answers are asserted, not typed
  readonly whole: unknown;
}

/** Every domain behind a front door, each service on a connection of its own to one NATS server, and an agent before it. */
export class WholePortico {
  /** Every line that any service logged. */
  readonly lines: string[] = [];
  readonly agentKey: string;
  private readonly closers: (() => Promise<unknown>)[] = [];
  private door: { url: string; adminUrl: string } | undefined;

  private constructor(
    readonly folder: string,
    readonly backends: Backends,
    private readonly busUrl: BusUrl,
  ) {
    const { id, key } = newApiKey();
    this.agentKey = key;
    const scopes = ['portico:call', 'portico:receipts'];
    const hash = hashOfApiKey(key).toString('hex');
    const entry = { id, hash, subject: 'agent', tenant: 'acme', scopes, createdAt: new Date().toISOString() };
    writeFileSync(join(folder, 'keys.json'), keyFileText([entry]), { mode: 0o600 });
  }

  /** `more` are settings of all services. */
  static async start(
    busUrl: BusUrl,
    policy: Record<string, unknown>,
    more: Record<string, string> = {},
  ): Promise<WholePortico> {
    const folder = mkdtempSync(join(tmpdir(), 'portico-whole-'));
    const portico = new WholePortico(folder, await Backends.start(folder), busUrl);
    writeFileSync(join(folder, 'policy.yaml'), JSON.stringify(policy));
    const env = {
      ...portico.backends.env,
      PORTICO_HOME: folder,
      POLICY_FILE: join(folder, 'policy.yaml'),
      API_KEYS_FILE: join(folder, 'keys.json'),
      AUTH_MODE: 'api-key',
      PORT: '0',
      ADMIN_PORT: '0',
      SEMANTIC_CACHE: 'off',
      ...more,
    };
    const services: Record<string, Start> = {
      discovery: (bus, log) => discovery.startDiscovery(bus, discovery.readConfig(env), log),
      'task-runtime': (bus, log) => taskRuntime.startTaskRuntime(bus, taskRuntime.readConfig(env), log),
      'adapter-cluster': (bus, log) => cluster.startAdapterCluster(bus, cluster.readConfig(env)!, log),
      'adapter-dagger': (bus, log) => dagger.startAdapterDagger(bus, dagger.readConfig(env)!, log),
      'adapter-plane': (bus, log) => plane.startAdapterPlane(bus, plane.readConfig(env)!, log),
      'adapter-n8n': (bus, log) => n8n.startAdapterN8n(bus, n8n.readConfig(env)!, log),
      'slack-bridge': (bus, log) => slackBridge.startSlackBridge(bus, slackBridge.readConfig(env)!, log),
      'adapter-slack': (bus, log) => slack.startAdapterSlack(bus, slack.readConfig(env)!, log),
      'adapter-github': (bus, log) => github.startAdapterGithub(bus, github.readConfig(env)!, log),
    };
    for (const [name, start] of Object.entries(services)) await portico.service(name, start);
    await portico.service('front-door', async (bus, log) => {
      const door = await frontDoor.startFrontDoor(bus, frontDoor.readConfig(env), log);
      portico.door = door;
      return door;
    });
    await portico.listed();
    return portico;
  }

  get adminUrl(): string {
    return this.door!.adminUrl;
  }

  get url(): string {
    return this.door!.url;
  }

  /** An official client, each request of which has these headers besides the agent's key. */
  async agent(headers: Record<string, string> = {}): Promise<Client> {
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { Authorization: `Bearer ${this.agentKey}`, ...headers } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${this.url}/mcp`), { requestInit }));
    this.closers.unshift(() => client.close());
    return client;
  }

  /** Until all that is started is listed: a list never waits long for a source that has not been asked yet. */
  private async listed(): Promise<void> {
    const domains = ['cluster', 'dagger', 'github', 'n8n', 'plane', 'slack', 'task'];
    for (const end = Date.now() + 60_000; ; await sleep(200)) {
      // A new one each time: a client keeps the list that it has for a while.
      const { tools } = await (await this.agent()).listTools();
      if (domains.every((domain) => tools.some(({ name }) => name.startsWith(`${domain}.`)))) return;
      if (Date.now() > end) throw new Error(`Not every domain is listed: ${tools.map(({ name }) => name).join(' ')}`);
    }
  }

  async metrics(): Promise<string> {
    return (await fetch(`${this.door!.adminUrl}/metrics`)).text();
  }

  async close(): Promise<void> {
    for (const close of this.closers) await close();
    await this.backends.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Starts one more service, by its own user of the bus, and gives what ends it. */
  async service(name: string, start: Start): Promise<() => Promise<void>> {
    const write = (line: string) => void this.lines.push(line);
    const log = createLog({ name, format: 'json', level: 'debug', write });
    const bus = await connectBus({ url: typeof this.busUrl === 'string' ? this.busUrl : this.busUrl(name), name, log });
    const service = await start(bus, log);
    let ended: Promise<void> | undefined;
    const end = (): Promise<void> => (ended ??= service.close().then(() => bus.close()));
    this.closers.unshift(end);
    return end;
  }
}

/** Calls a tool, and gives what its caller sees of it. */
export async function call(agent: Client, name: string, args: Record<string, unknown> = {}): Promise<Given> {
  const whole = await agent.callTool({ name, arguments: args });
  // A mutation tells first what it made stale.
  const text = (whole.content as { text?: string }[]).at(-1)?.text ?? '';
  return { isError: whole.isError === true, text, json: jsonOf(text), whole };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
