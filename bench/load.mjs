import { Pool } from 'undici';
import { callBody, callHeaders, isRight, looksRight } from './message.mjs';
import { percentile } from './statistics.mjs';

// The load client, a process of its own: one caller for each connection, each in a closed loop. It is told by message
// what to call and answers with what it saw. Every answer is looked at; one in PARSED_SHARE is parsed whole.

const PARSED_SHARE = 32;
let nextId = 1;

/**
 * One call; resolves to whether the answer was right. Handlers rather than `pool.request`: the client must cost less
 * than what it measures.
 * @param {Pool} pool @param {{ path: string, tool: string, headers: Record<string, string>, keys?: string[] }} to
 */
const call = (pool, { path, tool, headers: all, keys }) => {
  const id = nextId++;
  const headers = keys === undefined ? all : { ...all, authorization: `Bearer ${keys[id % keys.length]}` };
  const body = callBody(tool, id);
  return new Promise((resolve) => {
    let status = 0;
    const chunks = /** @type {Buffer[]} */ ([]);
    pool.dispatch(
      { path, method: 'POST', headers, body },
      {
        onRequestStart() {},
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          const answer = (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString();
          resolve(status === 200 && looksRight(answer, id) && (id % PARSED_SHARE !== 0 || isRight(answer, id)));
        },
        onResponseError: () => resolve(false),
      },
    );
  });
};

/** @param {Pool} pool @param {Parameters<typeof call>[1]} to @param {number} connections @param {number} milliseconds */
const run = async (pool, to, connections, milliseconds) => {
  const latencies = /** @type {number[]} */ ([]);
  let errors = 0;
  const start = performance.now();
  const caller = async () => {
    for (let now = performance.now(); now - start < milliseconds;) {
      const right = await call(pool, to);
      const after = performance.now();
      latencies.push(after - now);
      if (!right) errors++;
      now = after;
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  const perSecond = (latencies.length / (performance.now() - start)) * 1000;
  latencies.sort((a, b) => a - b);
  return {
    calls: latencies.length,
    perSecond,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    errors,
  };
};

const pools = /** @type {Map<string, Pool>} */ (new Map());

/** Pools stay open between measurements, as an agent's connections do. @param {string} origin @param {number} connections */
const poolFor = (origin, connections) => {
  const key = `${origin} ${connections}`;
  const pool = pools.get(key) ?? new Pool(origin, { connections, pipelining: 1, keepAliveTimeout: 600_000 });
  pools.set(key, pool);
  return pool;
};

process.on('message', async ({ url, tool, connections, milliseconds, keys }) => {
  const { origin, pathname: path } = new URL(url);
  const seen = await run(
    poolFor(origin, connections),
    { path, tool, headers: callHeaders(tool, url), keys },
    connections,
    milliseconds,
  );
  process.send?.(seen);
});
process.on('disconnect', () => process.exit(0));
