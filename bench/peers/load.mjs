import { percentile } from '../statistics.mjs';
import { openSessions } from './session.mjs';

// The load client, a process of its own: told by message what to call, it answers with what it saw.

const CALL_TIMEOUT_MS = 10_000;

/** @param {import('./session.mjs').Session[]} sessions @param {number} milliseconds */
const run = async (sessions, milliseconds) => {
  const latencies = /** @type {number[]} */ ([]);
  let errors = 0;
  const begun = performance.now();
  const caller = async (/** @type {import('./session.mjs').Session} */ session) => {
    for (let now = performance.now(); now - begun < milliseconds;) {
      const right = await session.call(CALL_TIMEOUT_MS).catch(() => false);
      const after = performance.now();
      if (right) latencies.push(after - now);
      else errors++;
      now = after;
    }
  };
  await Promise.all(sessions.map(caller));
  const perSecond = (latencies.length / (performance.now() - begun)) * 1_000;
  latencies.sort((a, b) => a - b);
  return { perSecond, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99), errors };
};

process.on('message', async ({ url, connections, modern, warmupMs, measureMs }) => {
  try {
    const { sessions, close } = await openSessions(url, connections, modern);
    await run(sessions, warmupMs);
    const seen = await run(sessions, measureMs);
    await close();
    process.send?.(seen);
  } catch (error) {
    process.send?.({ failed: String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
