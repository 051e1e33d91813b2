import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { end, said, start } from '../children.mjs';
import { MEASURED_CPU, OTHER_CPU, freePort, scratch } from '../stage.mjs';
import { median, percentile } from '../statistics.mjs';
import { openSessions } from './session.mjs';

/** What is measured of one gateway: each time of a new process of it, with an upstream of its own. */

const START_LIMIT_MS = 40_000;
const AWAY_MS = 2_000;
const RECOVER_LIMIT_MS = 40_000;
const CALL_TIMEOUT_MS = 2_000;
const IDLE_AFTER_MS = 3_000;
const RECOVERING_CALLERS = 8;
const LONG_LIST = 2_000;
const UPSTREAM = fileURLToPath(new URL('./upstream.mjs', import.meta.url));

/** @typedef {import('./gateways.mjs').Gateway} Gateway */

/** @param {number} tools beside `echo` */
export const startUpstream = async (tools) => {
  const begin = async (/** @type {string} */ port) => {
    const child = start(MEASURED_CPU, [process.execPath, UPSTREAM, port, String(tools)]);
    const [url] = await said(child, /http:\S+/);
    return { child, url };
  };
  const { url, child: first } = await begin('0');
  let child = first;
  return {
    url,
    end: () => end([child]),
    kill: () => child.kill('SIGKILL'),
    again: async () => void ({ child } = await begin(new URL(url).port)),
  };
};

/** Processes below this one, and itself. @param {number} pid */
const familyOf = (pid) => {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }];
      } catch {
        return [];
      }
    });
  const family = new Set([pid]);
  for (let size = 0; size < family.size;) {
    size = family.size;
    for (const each of parents) if (family.has(each.parent)) family.add(each.pid);
  }
  return [...family];
};

/** Resident memory of a process, MB; 0 once it is gone. @param {number} pid */
const residentMB = (pid) => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
};

/** Starts it, and waits until it lists the echo tool. @param {Gateway} gateway @param {string} upstreamUrl @param {number} tools */
const startGateway = async (gateway, upstreamUrl, tools) => {
  const home = await mkdtemp(join(scratch, 'peer-'));
  const downFile = join(home, 'down');
  const port = await freePort();
  const stdio = [process.execPath, UPSTREAM, 'stdio', String(tools), downFile];
  const { command, env } = gateway.start({ port, home, upstreamUrl, stdio });
  const begun = performance.now();
  const child = start(MEASURED_CPU, command, { cwd: home, ...(env && { env }) });
  let words = '';
  for (const output of [child.stdout, child.stderr])
    output?.on('data', (chunk) => (words = (words + chunk).slice(-1_000)));
  const url = `http://127.0.0.1:${port}${gateway.path ?? '/mcp'}`;
  for (let last = ''; ; await delay(10)) {
    try {
      const { close } = await openSessions(url, 1, gateway.modern === true);
      const startMs = performance.now() - begun;
      await close();
      const pid = Number(child.pid);
      return { child, url, downFile, startMs, family: () => familyOf(pid), end: () => end([child]) };
    } catch (error) {
      last = String(error);
    }
    if (performance.now() - begun < START_LIMIT_MS && child.exitCode === null) continue;
    await end([child]);
    throw new Error(`${gateway.name} does not list its tools: ${last}\n${words}`);
  }
};

/** Milliseconds to the first list, and MB once it idles. @param {Gateway} gateway */
export const startAndIdle = async (gateway) => {
  const upstream = await startUpstream(20);
  try {
    const door = await startGateway(gateway, upstream.url, 20);
    await delay(IDLE_AFTER_MS);
    const idleMB = door.family().reduce((sum, pid) => sum + residentMB(pid), 0);
    await door.end();
    return { startMs: door.startMs, idleMB };
  } finally {
    await upstream.end();
  }
};

/** Median milliseconds of a whole list of 2,000 tools. @param {Gateway} gateway @param {number} lists */
export const longList = async (gateway, lists) => {
  const upstream = await startUpstream(LONG_LIST);
  try {
    const door = await startGateway(gateway, upstream.url, LONG_LIST);
    const { sessions, close } = await openSessions(door.url, 1, gateway.modern === true);
    const latencies = [];
    for (let n = -3; n < lists; n++) {
      const begun = performance.now();
      const tools = await sessions[0].list(60_000);
      if (n >= 0) latencies.push(performance.now() - begun);
      if (tools.length < LONG_LIST) throw new Error(`${tools.length} tools are listed`);
    }
    await close();
    await door.end();
    return percentile(
      latencies.sort((a, b) => a - b),
      0.5,
    );
  } finally {
    await upstream.end();
  }
};

/**
 * Kills the upstream under load, and has it back after 2 s: seconds from then until every session has been answered
 * again, and whether a new session is once the old ones are given up. A process over stdio is the gateway's to start:
 * for 2 s it ends at once. @param {Gateway} gateway
 * @returns {Promise<{ seconds: number | null, newSession: boolean }>} null: not within 40 s
 */
export const recovery = async (gateway) => {
  const upstream = await startUpstream(20);
  try {
    const door = await startGateway(gateway, upstream.url, 20);
    const { sessions, close } = await openSessions(door.url, RECOVERING_CALLERS, gateway.modern === true);
    let backAt = Infinity;
    let isOver = false;
    const recovered = sessions.map(() => /** @type {number | null} */ (null));
    const callers = sessions.map(async (session, i) => {
      while (!isOver && recovered[i] === null) {
        const asked = performance.now();
        const right = await session.call(CALL_TIMEOUT_MS).catch(() => false);
        if (right && asked >= backAt) recovered[i] = (performance.now() - backAt) / 1_000;
        if (!right) await delay(20);
      }
    });
    await delay(1_000);
    if (gateway.upstream === 'HTTP') upstream.kill();
    else {
      await writeFile(door.downFile, '');
      for (const pid of door.family()) if (pid !== door.child.pid) killQuietly(pid);
    }
    await delay(AWAY_MS);
    await rm(door.downFile, { force: true });
    if (gateway.upstream === 'HTTP') await upstream.again();
    backAt = performance.now();
    const limit = setTimeout(() => (isOver = true), RECOVER_LIMIT_MS);
    await Promise.all(callers);
    clearTimeout(limit);
    const seconds = recovered.includes(null) ? null : Math.max(...recovered.map(Number));
    const newSession = await openSessions(door.url, 1, gateway.modern === true).then(
      async (opened) => {
        const right = await opened.sessions[0].call(CALL_TIMEOUT_MS).catch(() => false);
        await opened.close();
        return right;
      },
      () => false,
    );
    await close();
    await door.end();
    return { seconds, newSession };
  } finally {
    await upstream.end();
  }
};

/** @param {number} pid */
const killQuietly = (pid) => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
};

/**
 * Throughput at each count of connections, as a ratio to the upstream called directly in the same repeat.
 * @param {Gateway[]} gateways @param {number[]} connections @param {{ repeats: number, warmupMs: number, measureMs: number }} plan
 */
export const throughput = async (gateways, connections, { repeats, warmupMs, measureMs }) => {
  const load = start(OTHER_CPU, [process.execPath, fileURLToPath(new URL('./load.mjs', import.meta.url))], {
    ipc: true,
  });
  load.stderr?.pipe(process.stderr);
  /** @param {object} job @returns {Promise<{ perSecond: number, p50Ms: number, errors: number, failed?: string }>} */
  const loaded = (job) =>
    new Promise((resolve, reject) => {
      const gone = () => reject(new Error('the load client ended'));
      load.once('exit', gone);
      load.once('message', (seen) => {
        load.off('exit', gone);
        resolve(/** @type {any} */ (seen));
      });
      load.send({ ...job, warmupMs, measureMs });
    });
  const upstream = await startUpstream(20);
  const doors = [];
  for (const gateway of gateways) doors.push({ gateway, door: await startGateway(gateway, upstream.url, 20) });
  const samples = /** @type {Map<string, { ratio: number, perSecond: number, p50Ms: number, errors: number }[]>} */ (
    new Map()
  );
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const at of connections) {
      process.stderr.write(`repeat ${repeat + 1} of ${repeats}, ${at} connections\n`);
      const direct = await loaded({ url: upstream.url, connections: at, modern: false });
      for (const { gateway, door } of repeat % 2 === 0 ? doors : doors.toReversed()) {
        const seen = await loaded({ url: door.url, connections: at, modern: gateway.modern === true });
        if (seen.failed !== undefined) throw new Error(`${gateway.name}: ${seen.failed}`);
        const key = `${gateway.name} ${at}`;
        const ratio = seen.perSecond / direct.perSecond;
        samples.set(key, [...(samples.get(key) ?? []), { ...seen, ratio }]);
      }
    }
  }
  await end([...doors.map(({ door }) => door.child), load]);
  await upstream.end();
  return (/** @type {string} */ name, /** @type {number} */ at) => {
    const of = samples.get(`${name} ${at}`) ?? [];
    return {
      connections: at,
      ratio: median(of.map(({ ratio }) => ratio)),
      perSecond: median(of.map(({ perSecond }) => perSecond)),
      p50Ms: median(of.map(({ p50Ms }) => p50Ms)),
      errors: of.reduce((sum, { errors }) => sum + errors, 0),
    };
  };
};
