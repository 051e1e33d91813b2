import { connectBus } from '@portico/bus';
import { startNatsServer } from '../../packages/testkit/dist/nats-server.js';
import { end, said, start } from '../children.mjs';
import { lookUp, question, store, text } from './ask.mjs';
import { measure } from './measure.mjs';

/** What a front door waits for the cache. */
const BUDGET_MS = 50;
const CALLERS = 64;
const MAIN = new URL('../../apps/semantic-cache/dist/main.js', import.meta.url).pathname;

/**
 * Two replicas of the service on NATS and 64 callers, of whom one in five asks something new: the share that goes past the cache
 * because its budget is over.
 * @param {string} databaseUrl @param {readonly string[]} tenants @param {number} count
 */
export const measureReplicas = async (databaseUrl, tenants, count) => {
  const nats = await startNatsServer();
  const env = { BUS_URL: nats.url, DATABASE_URL: databaseUrl, OPS_PORT: '0', LOG_FORMAT: 'json' };
  const replicas = [start(0, ['node', MAIN], { env }), start(1, ['node', MAIN], { env })];
  const bus = await connectBus({ url: nats.url, name: 'bench', connectTimeoutMs: 10_000 });
  try {
    const opened = replicas.map((replica) => said(replica, /cache\.opened/));
    const models = replicas.map((replica) => said(replica, /embedder opened/));
    const ready = Promise.all([...opened, ...models]);
    let up = false;
    void ready.then(() => (up = true));
    while (!up) {
      await lookUp(bus, question(tenants[0], 'warm')).catch(() => new Promise((resolve) => setTimeout(resolve, 100)));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const tenantOf = (/** @type {number} */ n) => tenants[n % tenants.length];
    for (const [n] of tenants.entries()) await store(bus, question(tenantOf(n), text(n)));
    const ask = (/** @type {number} */ n) => {
      const asked = n % 5 === 4 ? text(500_000 + n) : text(n % tenants.length);
      return lookUp(bus, question(tenantOf(n), asked), BUDGET_MS);
    };
    for (let n = 0; n < 200; n += 1) await ask(n).catch(() => {});
    const all = await measure(
      `two replicas, ${CALLERS} callers, a fifth of them new`,
      { count, concurrency: CALLERS },
      ask,
    );
    const exact = await measure(`two replicas, ${CALLERS} callers, all equal`, { count, concurrency: CALLERS }, (n) =>
      lookUp(bus, question(tenantOf(n), text(n % tenants.length)), BUDGET_MS),
    );
    const skipped = (/** @type {import('./measure.mjs').Measured} */ { errors }) => errors / count;
    return { rows: [all, exact], skipped: skipped(all), skippedExact: skipped(exact) };
  } finally {
    await bus.close();
    await end(replicas);
    await nats.stop();
  }
};
