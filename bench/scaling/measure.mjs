import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startNatsServer } from '../../packages/testkit/dist/nats-server.js';
import { startPostgresServer } from '../../packages/testkit/dist/postgres-server.js';
import { startRedisServer } from '../../packages/testkit/dist/redis-server.js';
import { cpuMicros } from '../cpu-time.mjs';
import { REVISION } from '../message.mjs';
import { machine } from '../report.mjs';
import { ADMIT } from '../../apps/front-door/dist/limits/limit-scripts.js';
import { startBackends } from '../faults/backends.mjs';

/** What one call costs each process of the whole system, from the kernel's and the servers' own accounting. */

const ROOT = join(import.meta.dirname, '../..');
const SERVICES = ['discovery', 'upstreams', 'task-runtime', 'semantic-cache', 'adapter-dagger', 'front-door'];
const CALLERS = 8;
const WARM_CALLS = 3_000;
/** Front doors that a script of the limits looks at, and how often it is run with each number. */
const DOORS = [1, 101];
const SCRIPTS = 5_000;
const IDLE_MS = 8_000;
/** PostgreSQL tells its figures so late. */
const STATISTICS_MS = 1_500;
const WORDS = 'orders invoices rivers mountains letters engines gardens bridges paintings recipes'.split(' ');
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The kinds of calls: how many are measured, and what the number-th one asks. @type {Record<string, { calls: number, name?: string, of(n: number): object }>} */
const KINDS = {
  'upstream tool': { calls: 4_000, name: 'ledger.append', of: (n) => ({ line: `line ${n}` }) },
  'domain tool': { calls: 4_000, name: 'dagger.list_runs', of: () => ({}) },
  'lease asked for': { calls: 4_000, name: 'task.status', of: (n) => ({ resource: `line:${n % 500}` }) },
  'kept answer': { calls: 4_000, name: 'ledger.read', of: (n) => ({ line: `known ${n % 5}` }) },
  'new question': {
    calls: 400,
    name: 'ledger.read',
    of: (n) => ({
      line: `where did the ${WORDS[n % 10]} of ${WORDS[(n >> 3) % 10]} number ${n} go in the end of that year`,
    }),
  },
  'list of tools': { calls: 2_000, of: () => ({}) },
};

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** The process whose command line has both. @param {string} program @param {number} port */
const pidOf = (program, port) => {
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
      if (line.includes(program) && line.includes(String(port))) return Number(entry);
    } catch {
      // It ended while we looked.
    }
  }
  throw new Error(`There is no ${program} on port ${port}.`);
};

/** @param {number} pid */
const residentMiB = (pid) => {
  const [, kiB] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kiB) / 1_024);
};

/** @param {string} url @param {string} key @param {Agent} agent @param {string | undefined} name @param {object} args @returns {Promise<string>} */
const ask = (url, key, agent, name, args) =>
  new Promise((resolve, reject) => {
    const method = name === undefined ? 'tools/list' : 'tools/call';
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (piece) => (body += piece));
      response.on('end', () => resolve(body));
    });
    sent.on('error', reject);
    const params = name === undefined ? { _meta: META } : { name, arguments: args, _meta: META };
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  });

/** @param {string} body */
const isGood = (body) => body.includes('"result"') && !body.includes('"isError":true');

/** Measures it all, in about two minutes. Needs a nats-server, a redis-server and a PostgreSQL with pgvector. */
export const measure = async () => {
  const undo = /** @type {(() => unknown)[]} */ ([]);
  try {
    return await run(undo);
  } finally {
    for (const step of undo.reverse()) await step();
  }
};

/** @param {(() => unknown)[]} undo gets what ends each thing that was started */
const run = async (undo) => {
  const on = machine();
  const folder = await mkdtemp(join(tmpdir(), 'portico-scaling-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const backends = await startBackends();
  undo.push(backends.close);
  const monitor = await freePort();
  const nats = await startNatsServer({ config: `http: "127.0.0.1:${monitor}"` });
  undo.push(nats.stop);
  const redisServer = await startRedisServer();
  undo.push(redisServer.stop);
  const postgres = await startPostgresServer({ vectors: true });
  undo.push(postgres.stop);
  const redis = new Redis(redisServer.url);
  undo.push(() => redis.disconnect());
  const sql = new pg.Client(postgres.url);
  await sql.connect();
  undo.push(() => sql.end());

  const mcpServers = { ledger: { url: `${backends.url}/mcp`, allowPrivate: true } };
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }));
  const tools = [{ match: 'ledger.read', effect: 'read', cache: { freeText: ['line'] } }];
  await writeFile(join(folder, 'policy.yaml'), JSON.stringify({ tools, access: [{ allow: ['*.*'] }] }));
  const keysFile = join(folder, 'keys.json');
  const keys = [join(ROOT, 'apps/front-door/dist/auth/keys/main.js'), 'create', '--file', keysFile];
  const key = execFileSync(process.execPath, [...keys, '--subject', 's', '--tenant', 't'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    BUS_URL: nats.url,
    REDIS_URL: redisServer.url,
    DATABASE_URL: postgres.url,
    PORTICO_HOME: folder,
    MCP_SERVERS_FILE: join(folder, 'mcp.json'),
    POLICY_FILE: join(folder, 'policy.yaml'),
    CI_DISPATCHER_URL: backends.url,
    AUTH_MODE: 'api-key',
    API_KEYS_FILE: keysFile,
    RATE_LIMIT_PER_SECOND: '100000',
    RATE_LIMIT_BURST: '100000',
    CACHE_BUDGET_MS: '2000',
    LOG_LEVEL: 'error',
  };
  const port = await freePort();
  const pids = /** @type {Record<string, number>} */ ({
    'nats-server': pidOf('nats-server', nats.port),
    'redis-server': pidOf('redis-server', redisServer.port),
    PostgreSQL: pidOf('postgres', postgres.port),
  });
  for (const service of SERVICES) {
    const own = service === 'front-door' ? { PORT: `${port}`, ADMIN_PORT: '0' } : { OPS_PORT: '0' };
    const child = spawn(process.execPath, [join(ROOT, 'apps', service, 'dist/main.js')], {
      env: { ...env, ...own },
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    undo.push(() => child.kill('SIGKILL'));
    pids[service] = Number(child.pid);
  }
  const url = `http://127.0.0.1:${port}/mcp`;
  const bearer = key.toString().trim();
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  undo.push(() => agent.destroy());
  for (const [what, { name, of }] of Object.entries(KINDS)) {
    for (let left = 600; ; left--) {
      const answer = await ask(url, bearer, agent, name, of(0)).catch(String);
      if (isGood(answer)) break;
      if (left === 0) throw new Error(`${what} does not answer: ${answer}`);
      await delay(100);
    }
  }

  const now = async () => {
    await delay(STATISTICS_MS);
    const { in_msgs: sent, out_msgs: delivered } = await (await fetch(`http://127.0.0.1:${monitor}/varz`)).json();
    const commands = Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
    const { rows } = await sql.query(
      'SELECT xact_commit::float8 AS commits, (tup_inserted + tup_updated + tup_deleted)::float8 AS written FROM pg_stat_database WHERE datname = current_database()',
    );
    const cpu = Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuMicros([pid])]));
    return {
      at: performance.now(),
      cpu,
      sent,
      delivered,
      commands,
      commits: rows[0].commits,
      written: rows[0].written,
    };
  };
  /** @typedef {Awaited<ReturnType<typeof now>>} Reading */
  /** @param {Reading} before @param {Reading} after */
  const between = (before, after) => ({
    ms: after.at - before.at,
    cpu: Object.fromEntries(Object.keys(pids).map((name) => [name, after.cpu[name] - before.cpu[name]])),
    busSent: after.sent - before.sent,
    busDelivered: after.delivered - before.delivered,
    redisCommands: after.commands - before.commands,
    transactions: after.commits - before.commits,
    rowsWritten: after.written - before.written,
  });
  const FIGURES = /** @type {const} */ (['busSent', 'busDelivered', 'redisCommands', 'transactions', 'rowsWritten']);

  let number = 1_000;
  const many = async (/** @type {string} */ kind, /** @type {number} */ calls) => {
    const { name, of } = KINDS[kind];
    let left = calls;
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        while (left-- > 0) {
          const body = await ask(url, bearer, agent, name, of(number++));
          if (!isGood(body)) throw new Error(`${kind} failed: ${body.slice(0, 300)}`);
        }
      }),
    );
  };
  // What a start makes has been made.
  await delay(IDLE_MS);
  const first = await now();
  await delay(IDLE_MS);
  const idle = between(first, await now());
  const rest = (/** @type {number} */ amount, /** @type {number} */ idled, /** @type {number} */ ms) =>
    Math.max(0, amount - (idled * ms) / idle.ms);
  const rounded = (/** @type {number} */ value, digits = 2) => Number(value.toFixed(digits));

  const calls = /** @type {Record<string, any>} */ ({});
  for (const [kind, { calls: count }] of Object.entries(KINDS)) {
    await many(kind, Math.min(WARM_CALLS, count));
    const before = await now();
    await many(kind, count);
    const took = between(before, await now());
    const cpuMicrosOf = Object.entries(took.cpu).map(([name, micros]) => {
      return [name, Math.round(rest(micros, idle.cpu[name], took.ms) / count)];
    });
    calls[kind] = {
      cpuMicros: Object.fromEntries(cpuMicrosOf),
      ...Object.fromEntries(
        FIGURES.map((figure) => [figure, rounded(rest(took[figure], idle[figure], took.ms) / count)]),
      ),
    };
    console.error(`${kind}: ${JSON.stringify(calls[kind])}`);
  }
  const scripts = [];
  const sha = String(await redis.script('LOAD', ADMIT.lua));
  for (const doors of DOORS) {
    const [rate, running, all] = ['rate', 'running', 'all'].map((name) => `scaling:${doors}:${name}`);
    const far = Date.now() * 1_000 + 3_600e6;
    for (let door = 1; door < doors; door++) await redis.hset(all, `door-${door}`, `1 ${far}`);
    const before = cpuMicros([pids['redis-server']]);
    for (let left = SCRIPTS; left > 0; left -= 50) {
      const once = () => redis.evalsha(sha, 3, rate, running, all, 'here', 12_000, 10, 1e9, 1_000, 1, 100_000, 1);
      await Promise.all(Array.from({ length: 50 }, once));
    }
    scripts.push((cpuMicros([pids['redis-server']]) - before) / SCRIPTS);
  }
  const [firstDoor = 0, manyDoors = 0] = scripts;
  const perSecond = (/** @type {number} */ amount) => rounded((amount * 1_000) / idle.ms);
  return {
    machine: on,
    calls,
    atRest: {
      cpuMicrosPerSecond: Object.fromEntries(
        Object.entries(idle.cpu).map(([name, micros]) => [name, perSecond(micros)]),
      ),
      ...Object.fromEntries(FIGURES.map((figure) => [`${figure}PerSecond`, perSecond(idle[figure])])),
    },
    /** CPU of Redis for one script of the limits: with one front door, and for each further one. */
    redisScriptMicros: {
      first: rounded(firstDoor, 1),
      door: rounded((manyDoors - firstDoor) / (DOORS[1] - DOORS[0])),
    },
    residentMiB: Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, residentMiB(pid)])),
  };
};
