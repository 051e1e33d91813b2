import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { hashOfApiKey, newApiKey } from '../../apps/front-door/dist/auth/api-key.js';
import { keyFileText } from '../../apps/front-door/dist/auth/key-file.js';
import { end, said, start } from '../children.mjs';
import { cpuMicros } from '../cpu-time.mjs';
import { listText, startPortico } from '../discovery/portico.mjs';
import { OTHER_CPU, scratch, startSurroundings } from '../stage.mjs';
import { median } from '../statistics.mjs';

/** What a call costs, and what there is to start and to hold, while one thing at a time grows. */

const MOST_DEARER = 1.2;
const COMPLETE_LIMIT_MS = 120_000;
const WIDE = 20;
/** A thousand callers of one domain are let through: by default it takes 64 at once. */
const WIDE_OPEN = { DOMAIN_CONCURRENCY_LIMIT: '1000' };
const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };

/** Of what there is; each grows in turn from what the others stay at. */
const SMALLEST = { tools: 20, callers: 1, upstreams: 1, tenants: 1 };
/** @type {Record<keyof typeof SMALLEST, number[]>} */
const GROWTH = {
  tools: [20, 2_000, 20_000],
  callers: [1, 32, 1_000],
  upstreams: [1, 50, 500],
  tenants: [1, 100, 10_000],
};

/** As many keys, each of a tenant of its own. @param {number} count */
const keysOf = async (count) => {
  const made = Array.from({ length: count }, newApiKey);
  const folder = await mkdtemp(join(scratch, 'keys-'));
  const [file, policy] = [join(folder, 'keys.json'), join(folder, 'policy.yaml')];
  const entries = made.map(({ id, key }, n) => ({
    id,
    hash: hashOfApiKey(key).toString('hex'),
    subject: `agent-${n}`,
    tenant: `tenant-${n}`,
    scopes: ['portico:call'],
    createdAt: new Date().toISOString(),
  }));
  await writeFile(file, keyFileText(entries), { mode: 0o600 });
  // Where callers have keys they may read unless more is said, and an upstream's tools count as writes unless it is said.
  await writeFile(policy, JSON.stringify({ tools: [{ match: 'many-*.*', effect: 'read' }] }));
  const env = { AUTH_MODE: 'api-key', API_KEYS_FILE: file, POLICY_FILE: policy, ...UNLIMITED };
  return { keys: made.map(({ key }) => key), env };
};

/** A front door with so much of each, once it lists all its tools. @param {typeof SMALLEST} size @param {boolean} keyed */
const open = async ({ tools, callers, upstreams, tenants }, keyed) => {
  const wide = upstreams > 1 ? upstreams : tools > WIDE * 50 ? WIDE : 1;
  const each = Math.max(1, Math.round(tools / wide));
  const script = fileURLToPath(new URL('../servers/many-tools.mjs', import.meta.url));
  const upstream = start(OTHER_CPU, [process.execPath, script, String(each)]);
  const [address] = await said(upstream, /http:\S+/);
  const servers = Object.fromEntries(
    Array.from({ length: wide }, (_, n) => [
      `many-${n}`,
      { url: `${new URL(address).origin}/many-${n}/mcp`, allowPrivate: true },
    ]),
  );
  const { keys, env } = keyed ? await keysOf(tenants) : { keys: undefined, env: {} };
  const { child, url, begun } = await startPortico(servers, { ...WIDE_OPEN, ...env });
  const agent = new Agent({ headersTimeout: 60_000 });
  const via =
    keys === undefined
      ? agent
      : agent.compose(
          (next) => (options, handler) =>
            next(
              { ...options, headers: { .../** @type {any} */ (options.headers), authorization: `Bearer ${keys[0]}` } },
              handler,
            ),
        );
  for (let found = 0; found < wide * each; await delay(100)) {
    found = (await listText(url, via)).split('"name":"many-').length - 1;
    if (performance.now() - begun > COMPLETE_LIMIT_MS) throw new Error(`${found} of ${wide * each} tools are listed`);
  }
  const completeMs = performance.now() - begun;
  await agent.close();
  const pid = Number(child.pid);
  return { child, upstream, url, pid, completeMs, callers, keys, cpu: /** @type {number[]} */ ([]), errors: 0 };
};

/** @param {number} pid */
const residentMB = async (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_000;

/** @param {{ repeats: number, warmupMs: number, measureMs: number }} plan */
export const measureGrowth = async ({ repeats, warmupMs, measureMs }) => {
  const { callFor, upstream } = await startSurroundings();
  const rows = [];
  for (const [what, sizes] of /** @type {[keyof typeof SMALLEST, number[]][]} */ (Object.entries(GROWTH))) {
    const doors = [];
    for (const size of sizes) {
      process.stderr.write(`growth: ${size} ${what}\n`);
      doors.push({ size, ...(await open({ ...SMALLEST, [what]: size }, what === 'tenants')) });
    }
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const door of repeat % 2 === 0 ? doors : doors.toReversed()) {
        const { url, callers, keys } = door;
        // The same load for all: what is held against what, is what is behind it.
        const connections = what === 'callers' ? callers : 16;
        const job = { url, tool: 'many-0.find_record_0', connections, ...(keys && { keys }) };
        if (repeat === 0) await callFor({ ...job, milliseconds: 4 * warmupMs });
        await callFor({ ...job, milliseconds: warmupMs });
        const before = cpuMicros([door.pid]);
        const { calls, errors } = await callFor({ ...job, milliseconds: measureMs });
        door.cpu.push((cpuMicros([door.pid]) - before) / calls);
        door.errors += errors;
      }
    }
    const [first] = doors;
    for (const { size, completeMs, pid, cpu, errors } of doors) {
      const micros = median(cpu);
      const dearer = micros / median(first.cpu);
      const memoryMB = await residentMB(pid);
      rows.push({ what, size, completeMs, memoryMB, micros, dearer, errors, reached: dearer <= MOST_DEARER });
      process.stderr.write(`${JSON.stringify(rows.at(-1))}\n`);
    }
    await end(doors.flatMap((door) => [door.child, door.upstream]));
  }
  await end([upstream]);
  return rows;
};
