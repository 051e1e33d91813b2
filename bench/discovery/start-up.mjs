import { createServer } from 'node:net';
import { Agent } from 'undici';
import { end } from '../children.mjs';
import { median } from '../statistics.mjs';
import { listText, startPortico } from './portico.mjs';

// What 50 servers that will never answer cost the start, and the first list: nothing, and never more than 2 s.

const DEAD = 50;

/** A port that takes connections and answers nothing, and one that refuses them. */
const deadPorts = async () => {
  const listening = () =>
    new Promise((resolve) => {
      const server = createServer((socket) => socket.on('error', () => {}).resume());
      server.listen(0, '127.0.0.1', () => resolve(server));
    });
  const [silent, refusing] = [await listening(), await listening()];
  const ports = { silent: silent.address().port, refusing: refusing.address().port };
  await new Promise((resolve) => refusing.close(resolve));
  return { ports, close: () => silent.close() };
};

/** As many, a quarter of each kind. @param {{ silent: number, refusing: number }} ports */
const deadServers = ({ silent, refusing }) => {
  const kinds = [
    () => ({ command: 'portico-bench-no-such-command' }),
    () => ({ command: 'sleep', args: ['600'] }),
    (/** @type {number} */ n) => ({ url: `http://127.0.0.1:${refusing}/${n}/mcp`, allowPrivate: true }),
    (/** @type {number} */ n) => ({ url: `http://127.0.0.1:${silent}/${n}/mcp`, allowPrivate: true }),
  ];
  return Object.fromEntries(Array.from({ length: DEAD }, (_, n) => [`dead-${n}`, kinds[n % kinds.length](n)]));
};

/** One start up to the first list that is answered. @param {Record<string, object>} servers */
const sample = async (servers) => {
  const { child, url, begun, listeningMs, listeningCpuMs } = await startPortico(servers);
  const agent = new Agent();
  try {
    await listText(url, agent);
    const listMs = performance.now() - begun;
    return { listeningMs, listeningCpuMs, listMs, listAfterMs: listMs - listeningMs };
  } finally {
    await agent.close();
    await end([child]);
  }
};

/** Interleaved, every second repeat in the other order. @param {number} repeats */
export const measureStartUp = async (repeats) => {
  const { ports, close } = await deadPorts();
  const kinds = { none: {}, dead: deadServers(ports) };
  const samples = { none: /** @type {any[]} */ ([]), dead: /** @type {any[]} */ ([]) };
  try {
    // The first start reads everything from disk.
    await sample({});
    for (let repeat = 0; repeat < repeats; repeat++) {
      process.stderr.write(`start-up ${repeat + 1} of ${repeats}\n`);
      const order = /** @type {('none' | 'dead')[]} */ (['none', 'dead']);
      for (const kind of repeat % 2 === 0 ? order : order.reverse()) samples[kind].push(await sample(kinds[kind]));
    }
  } finally {
    close();
  }
  const ratioOf = (/** @type {string} */ what) =>
    median(samples.dead.map((dead, i) => dead[what] / samples.none[i][what]));
  const rowOf = (/** @type {'none' | 'dead'} */ kind, /** @type {string} */ what, /** @type {string} */ name) => {
    const values = samples[kind].map((taken) => taken[what]);
    return { name, concurrency: 1, latencies: values, errors: 0 };
  };
  return {
    rows: [
      rowOf('none', 'listeningMs', 'start to listening, no upstream'),
      rowOf('dead', 'listeningMs', `start to listening, ${DEAD} dead`),
      rowOf('none', 'listMs', 'start to a tools/list answer, no upstream'),
      rowOf('dead', 'listMs', `start to a tools/list answer, ${DEAD} dead`),
    ],
    ratios: {
      startDead: ratioOf('listeningMs'),
      startDeadCpu: ratioOf('listeningCpuMs'),
      listeningCpuMs: median(samples.none.map(({ listeningCpuMs }) => listeningCpuMs)),
      listNoneMs: median(samples.none.map(({ listMs }) => listMs)),
      listDeadMs: median(samples.dead.map(({ listMs }) => listMs)),
      listDeadAfterMs: median(samples.dead.map(({ listAfterMs }) => listAfterMs)),
    },
  };
};
