import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { end, said, start } from '../children.mjs';
import { listText, startPortico } from './portico.mjs';

// `tools/list` at the front door, whole answers over HTTP, from servers of 50 tools each.

const TOOLS_EACH = 50;
const LARGEST = 80;
const OTHER_CPU = 1;
const COMPLETE_LIMIT_MS = 30_000;

/** @param {string} address of the process that all servers are in @param {number} count */
const servers = (address, count) => {
  const { origin } = new URL(address);
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`many-${n}`, { url: `${origin}/many-${n}/mcp`, allowPrivate: true }]),
  );
};

/** Waits until the list has so many tools. @param {string} url @param {number} tools @param {Agent} agent */
const complete = async (url, tools, agent) => {
  let found = 0;
  for (const begun = performance.now(); performance.now() - begun < COMPLETE_LIMIT_MS; await delay(200)) {
    const text = await listText(url, agent);
    const listed = /** @type {{ name: string }[]} */ (JSON.parse(text).result.tools);
    // The gateway's own are not counted.
    found = listed.filter(({ name }) => name.startsWith('many-')).length;
    if (found === tools) return text.length;
  }
  throw new Error(`the list has ${found} tools, not ${tools}`);
};

/**
 * @param {{ repeats: number, lists: number }} plan lists of each size in each repeat
 * @param {readonly number[]} sizes tools, multiples of 50
 */
export const measureLongLists = async ({ repeats, lists }, sizes) => {
  const upstream = start(OTHER_CPU, [
    process.execPath,
    fileURLToPath(new URL('../servers/many-tools.mjs', import.meta.url)),
    String(TOOLS_EACH),
  ]);
  const [address] = await said(upstream, /http:\S+/);
  if (Math.max(...sizes) > LARGEST * TOOLS_EACH) throw new Error('too many tools');
  const agent = new Agent({ keepAliveTimeout: 600_000 });
  const doors = [];
  for (const tools of sizes) {
    const { child, url } = await startPortico(servers(address, tools / TOOLS_EACH));
    doors.push({
      tools,
      child,
      url,
      bytes: await complete(url, tools, agent),
      latencies: /** @type {number[]} */ ([]),
    });
  }
  let errors = 0;
  try {
    for (let repeat = 0; repeat <= repeats; repeat++) {
      process.stderr.write(`lists ${repeat} of ${repeats}\n`);
      for (const { url, bytes, latencies } of repeat % 2 === 0 ? doors : doors.toReversed()) {
        for (let n = 0; n < lists; n++) {
          const begun = performance.now();
          const text = await listText(url, agent);
          // The first round warms up.
          if (repeat > 0) latencies.push(performance.now() - begun);
          if (text.length !== bytes) errors++;
        }
      }
    }
  } finally {
    await agent.close();
    await end([...doors.map(({ child }) => child), upstream]);
  }
  return doors.map(({ tools, bytes, latencies }, i) => ({
    name: `tools/list of ${tools} tools, ${(bytes / 1e6).toFixed(2)} MB`,
    tools,
    concurrency: 1,
    latencies,
    errors: i === 0 ? errors : 0,
  }));
};
