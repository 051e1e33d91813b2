import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort, startNatsWithUsers, startPostgresServer, startRedisServer } from '@portico/testkit';
import { slowServer } from './slow-server.js';
import { type World, startWorld } from './rolling-world.js';

const ROOT = resolve(import.meta.dirname, '../../..');
/** The front door last: who stops first asks nobody who has stopped. */
export const SERVICES = ['discovery', 'upstreams', 'task-runtime', 'semantic-cache', 'adapter-dagger', 'front-door'];
const READY_LIMIT_MS = 60_000;

/** One process of a service, which can be told to stop and started again in its place. */
export class Instance {
  output = '';
  private process: ChildProcess | undefined;
  private ended: Promise<number | string> = Promise.resolve('not started');

  constructor(
    readonly service: string,
    readonly readyz: string,
    readonly env: Record<string, string>,
    /** Where agents connect, of a front door. */
    readonly mcp: string | undefined,
  ) {}

  get pid(): number {
    return this.process?.pid ?? 0;
  }

  start(): void {
    const child = spawn(process.execPath, [join(ROOT, 'apps', this.service, 'dist/main.js')], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...this.env },
      cwd: this.env['PORTICO_HOME'],
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.ended = new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal ?? 'unknown')));
    this.process = child;
  }

  /** The status of `/readyz`; 0 while nobody answers there. */
  readiness(): Promise<number> {
    return fetch(this.readyz, { signal: AbortSignal.timeout(2_000) }).then(
      ({ status }) => status,
      () => 0,
    );
  }

  async ready(): Promise<void> {
    for (const end = Date.now() + READY_LIMIT_MS; (await this.readiness()) !== 200;) {
      if (Date.now() > end) throw new Error(`${this.service} is not ready:\n${this.output}`);
      await new Promise((next) => setTimeout(next, 50));
    }
  }

  /** Sends a signal; resolves with the status, or the signal that ended it, and how many milliseconds that took. */
  async end(signal: NodeJS.Signals): Promise<{ status: number | string; ms: number }> {
    const began = performance.now();
    this.process?.kill(signal);
    const status = await this.ended;
    return { status, ms: performance.now() - began };
  }

  /** Processes that it has started. */
  children(): number[] {
    const file = `/proc/${this.pid}/task/${this.pid}/children`;
    return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
  }
}

/** Two processes of each service, on a real bus and real stores. */
export interface RollingSystem {
  readonly world: World;
  readonly instances: readonly Instance[];
  readonly doors: readonly Instance[];
  of(service: string): Instance[];
  close(): Promise<void>;
}

/** Starts it all; what was started by then is ended when it can not. */
export async function startRollingSystem(): Promise<RollingSystem> {
  const undo: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return { ...(await start(undo)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(undo: (() => unknown)[]): Promise<Omit<RollingSystem, 'close'>> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-rolling-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const world = await startWorld();
  undo.push(world.close);
  const nats = await startNatsWithUsers();
  undo.push(() => nats.stop());
  const redis = await startRedisServer();
  undo.push(() => redis.stop());
  const postgres = await startPostgresServer({ vectors: true });
  undo.push(() => postgres.stop());

  const mcpServers = {
    ledger: { url: `${world.url}/mcp`, allowPrivate: true },
    slow: { command: process.execPath, args: ['-e', slowServer] },
  };
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }));
  const policy = { tools: [{ match: 'ledger.read', effect: 'read', cache: {} }] };
  writeFileSync(join(folder, 'policy.yaml'), JSON.stringify(policy));
  const shared = {
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    PORTICO_HOME: folder,
    MCP_SERVERS_FILE: join(folder, 'mcp.json'),
    POLICY_FILE: join(folder, 'policy.yaml'),
    CI_DISPATCHER_URL: world.url,
  };
  const instances: Instance[] = [];
  undo.push(() => Promise.all(instances.map((instance) => instance.end('SIGKILL'))));
  // The second of each after the first, so that it finds what that has made, such as the signing key.
  for (let round = 0; round < 2; round++) {
    const these = await Promise.all(
      SERVICES.map((service) => instanceOf(service, { ...shared, BUS_URL: nats.urlOf(service) })),
    );
    for (const instance of these) instance.start();
    instances.push(...these);
    await Promise.all(these.map((instance) => instance.ready()));
  }
  return {
    world,
    instances,
    doors: instances.filter(({ mcp }) => mcp !== undefined),
    of: (service) => instances.filter((instance) => instance.service === service),
  };
}

async function instanceOf(service: string, shared: Record<string, string>): Promise<Instance> {
  const operators = await freePort();
  const readyz = `http://127.0.0.1:${operators}/readyz`;
  if (service !== 'front-door')
    return new Instance(service, readyz, { ...shared, OPS_PORT: `${operators}` }, undefined);
  const port = await freePort();
  const env = { ...shared, PORT: `${port}`, ADMIN_PORT: `${operators}` };
  return new Instance(service, readyz, env, `http://127.0.0.1:${port}/mcp`);
}
