import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { end, isHere, said, start } from './children.mjs';
import { callBody, callHeaders, isRight } from './message.mjs';

/** CPU of what is measured, and of load and upstream. */
export const MEASURED_CPU = 0;
export const OTHER_CPU = 1;
const READY_LIMIT_MS = 20_000;

const script = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** Everything that this run writes; removed at its end. */
export const scratch = mkdtempSync(join(tmpdir(), 'portico-bench-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

export const hasNats = isHere('nats-server', '--version');

/** Load and upstream, on the CPU that is not measured. */
export const startSurroundings = async () => {
  const upstream = start(OTHER_CPU, [process.execPath, script('./servers/echo.mjs')]);
  const [upstreamUrl] = await said(upstream, /http:\S+/);
  const load = start(OTHER_CPU, [process.execPath, script('./load.mjs')], { ipc: true });
  load.stderr?.pipe(process.stderr);

  /**
   * Calls `tool` at `url` from that many connections for that long.
   * @param {{ url: string, tool: string, connections: number, milliseconds: number, keys?: string[] }} job
   * @returns {Promise<{ calls: number, perSecond: number, p50Ms: number, p99Ms: number, errors: number }>}
   */
  const callFor = (job) =>
    new Promise((resolve, reject) => {
      const gone = () => reject(new Error('the load client ended'));
      load.once('exit', gone);
      load.once('message', (seen) => {
        load.off('exit', gone);
        resolve(/** @type {any} */ (seen));
      });
      load.send(job);
    });
  return { upstream, upstreamUrl, callFor };
};

/** A port that was free a moment ago: nats-server has no way to say which one it picked. @returns {Promise<number>} */
export const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });

/**
 * Starts a row, with a nats-server of its own when it needs one, and waits until it answers a call correctly.
 * @param {import('./rows.mjs').Row} row @param {string} upstreamUrl
 * @param {{ nodeFlags?: string[], env?: Record<string, string> }} [options] of each measured Node process
 */
export const startRow = async (row, upstreamUrl, { nodeFlags = [], env = {} } = {}) => {
  const home = await mkdtemp(join(scratch, `${row.name}-`));
  const children = /** @type {import('node:child_process').ChildProcess[]} */ ([]);
  try {
    let natsUrl;
    if (row.nats) {
      const port = await freePort();
      const server = start(MEASURED_CPU, ['nats-server', '-a', '127.0.0.1', '-p', String(port)]);
      children.push(server);
      await said(server, /Server is ready/);
      natsUrl = `nats://127.0.0.1:${port}`;
    }
    const nodes = /** @type {typeof children} */ ([]);
    /** @type {import('./rows.mjs').Stage['node']} */
    const node = (path, args = [], more = {}) => {
      const child = start(MEASURED_CPU, [process.execPath, ...nodeFlags, path, ...args], {
        env: { ...env, ...more },
        cwd: home,
      });
      child.stdout?.resume();
      child.stderr?.resume();
      children.push(child);
      nodes.push(child);
      return child;
    };
    const url = await row.start({ upstreamUrl, natsUrl, home, node });
    await answersRight(url, row.tool);
    return { row, url, nodes, pids: children.map(({ pid }) => pid ?? 0) };
  } catch (error) {
    await end(children);
    throw error;
  }
};

/** @param {string} url @param {string} tool */
const answersRight = async (url, tool) => {
  let last = 'nothing';
  for (const start = Date.now(); Date.now() - start < READY_LIMIT_MS;) {
    try {
      const answer = await fetch(url, { method: 'POST', headers: callHeaders(tool, url), body: callBody(tool, 0) });
      last = await answer.text();
      if (isRight(last, 0)) return;
    } catch (error) {
      last = String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${tool} at ${url} does not answer as it must; the last answer was ${last.slice(0, 500)}`);
};
