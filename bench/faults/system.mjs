import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startNatsWithUsers } from '../../packages/testkit/dist/nats-users.js';
import { startPostgresServer } from '../../packages/testkit/dist/postgres-server.js';
import { startRedisServer } from '../../packages/testkit/dist/redis-server.js';
import { startBackends } from './backends.mjs';
import { startWire } from './wire.mjs';

/** The whole system, twice: two processes of each service on a real bus and real stores. */

const ROOT = join(import.meta.dirname, '../..');
export const SERVICES = ['discovery', 'upstreams', 'task-runtime', 'semantic-cache', 'adapter-dagger', 'front-door'];
/** Seconds: what hangs is given up by then, so that a row is as long as it says. */
export const CALL_TIMEOUT_SECS = 5;
const DATABASE_DISK_MIB = 160;

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** One process of a service, which can be ended and started again in its place. */
class Instance {
  /** @param {string} service @param {Record<string, string>} env @param {string} readyz @param {string} [mcp] */
  constructor(service, env, readyz, mcp) {
    /** When it was killed, by performance.now(). @type {number | undefined} */
    this.diedAt = undefined;
    this.service = service;
    this.mcp = mcp;
    this.readyz = readyz;
    this.env = env;
    this.start();
  }

  start() {
    this.process = spawn(process.execPath, [join(ROOT, 'apps', this.service, 'dist/main.js')], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...this.env },
      cwd: this.env.PORTICO_HOME,
      stdio: ['ignore', 'ignore', process.env.FAULTS_LOG ? 'inherit' : 'ignore'],
    });
    this.ended = new Promise((resolve) => this.process.once('exit', resolve));
  }

  get pid() {
    return Number(this.process?.pid);
  }

  /** Sends a signal; resolves once the process is gone. @param {NodeJS.Signals} signal */
  async end(signal) {
    this.process?.kill(signal);
    await this.ended;
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    this.process?.kill(signal);
  }

  async ready() {
    for (let left = 600; left > 0; left--) {
      const ok = await fetch(this.readyz, { signal: AbortSignal.timeout(1_000) }).then(
        (response) => response.ok,
        () => false,
      );
      if (ok) return;
      await delay(50);
    }
    throw new Error(`${this.service} is not ready after 30 s.`);
  }

  /** Descriptors that it has open. */
  handles() {
    return existsSync(`/proc/${this.pid}/fd`) ? readdirSync(`/proc/${this.pid}/fd`).length : 0;
  }

  /** Processes that it has started. */
  children() {
    const file = `/proc/${this.pid}/task/${this.pid}/children`;
    return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).length : 0;
  }
}

/** A small disk of its own for the database, where this user may mount one. @param {string} folder */
const smallDisk = (folder) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DATABASE_DISK_MIB}m,mode=1777`, 'tmpfs', folder], {
    stdio: 'ignore',
  }).status === 0;

/** Starts it all; `close` ends it all. */
export const startSystem = async () => {
  const undo = /** @type {(() => unknown)[]} */ ([]);
  const close = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    return { ...(await start(undo)), close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** @param {(() => unknown)[]} undo gets what ends each thing that was started */
const start = async (undo) => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-faults-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL runs as a user of its own, and must get at its folder in there.
  await chmod(folder, 0o711);
  const disk = join(folder, 'disk');
  await mkdir(disk);
  const hasDisk = smallDisk(disk);
  if (hasDisk) undo.push(() => spawnSync('umount', [disk]));
  const backends = await startBackends();
  undo.push(backends.close);
  const nats = await startNatsWithUsers();
  undo.push(nats.stop);
  const redis = await startRedisServer({ keepsData: true });
  undo.push(redis.stop);
  const before = process.env.TMPDIR;
  if (hasDisk) process.env.TMPDIR = disk;
  const settings = { max_wal_size: '64MB', min_wal_size: '32MB', shared_buffers: '32MB' };
  const postgres = await startPostgresServer({ vectors: true, settings });
  undo.push(postgres.stop);
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  const wire = await startWire(nats.port);
  undo.push(wire.close);

  await writeFile(
    join(folder, 'mcp.json'),
    JSON.stringify({ mcpServers: { ledger: { url: `${backends.url}/mcp`, allowPrivate: true } } }),
  );
  const policy = { tools: [{ match: 'ledger.read', effect: 'read', cache: {} }] };
  await writeFile(join(folder, 'policy.yaml'), JSON.stringify(policy));
  const forAll = {
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    PORTICO_HOME: folder,
    MCP_SERVERS_FILE: join(folder, 'mcp.json'),
    POLICY_FILE: join(folder, 'policy.yaml'),
    CI_DISPATCHER_URL: backends.url,
    CALL_TIMEOUT_SECS: String(CALL_TIMEOUT_SECS),
    LOG_LEVEL: process.env.FAULTS_LOG ? 'warn' : 'error',
  };
  const startOne = async (/** @type {string} */ service) => {
    const operators = await freePort();
    const shared = { ...forAll, BUS_URL: nats.urlOf(service).replace(/\d+$/, `${wire.port}`) };
    if (service !== 'front-door') {
      return new Instance(service, { ...shared, OPS_PORT: `${operators}` }, `http://127.0.0.1:${operators}/readyz`);
    }
    const port = await freePort();
    const env = { ...shared, PORT: `${port}`, ADMIN_PORT: `${operators}` };
    return new Instance(service, env, `http://127.0.0.1:${operators}/readyz`, `http://127.0.0.1:${port}/mcp`);
  };
  const instances = /** @type {Instance[]} */ ([]);
  undo.push(async () => {
    for (const instance of instances) instance.signal('SIGCONT');
    await Promise.all(instances.map((instance) => instance.end('SIGKILL')));
  });
  // One after the other: the second must find what the first has made, such as the signing key.
  for (const service of SERVICES.flatMap((name) => [name, name])) {
    const instance = await startOne(service);
    instances.push(instance);
    await instance.ready();
  }
  return {
    backends,
    nats,
    redis,
    postgres,
    wire,
    disk: hasDisk ? disk : undefined,
    instances,
    doors: instances.filter(({ mcp }) => mcp !== undefined),
    of: (/** @type {string} */ service) => instances.filter((instance) => instance.service === service),
  };
};
