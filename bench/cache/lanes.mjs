import { memoryBus } from '@portico/bus';
import { createLog } from '@portico/observe';
import { openDatabase } from '@portico/storage';
import { readConfig, startSemanticCache } from '../../apps/semantic-cache/dist/semantic-cache.module.js';
import { invalidate, lookUp, question, store, text } from './ask.mjs';
import { fill } from './fill.mjs';
import { measure } from './measure.mjs';

/**
 * The service in this process on a database: look-ups by lane, then what is stored and dropped, by one caller.
 * @param {string} label @param {{ databaseUrl: string, tenants: readonly string[], rows: number, asks: number, embedder: string, changes?: boolean }} plan
 */
export const measureLanes = async (label, { databaseUrl, tenants, rows, asks, embedder, changes = false }) => {
  const config = readConfig({ DATABASE_URL: databaseUrl });
  const quiet = createLog({ name: 'bench', level: 'error' });
  const bus = memoryBus({ log: quiet });
  // Embedded there is one user of the database: it is filled before the service starts, which made its tables.
  const prepare = await startSemanticCache(bus, config, quiet);
  await store(bus, question('warm', 'warm'));
  await prepare.close();
  const database = await openDatabase(databaseUrl, { log: quiet });
  await fill(database, tenants, rows, embedder);
  await database.close();

  const service = await startSemanticCache(bus, config, quiet);
  try {
    const tenantOf = (/** @type {number} */ n) => tenants[Math.abs(n) % tenants.length];
    for (const [n] of tenants.entries()) await store(bus, question(tenantOf(n), text(n)));
    const measured = [
      await measure(`exact hit, ${label}`, { count: asks * 4, warm: 100 }, (n) =>
        lookUp(bus, question(tenantOf(n), text(Math.abs(n) % tenants.length))),
      ),
      await measure(`exact miss, ${label}`, { count: asks * 4, warm: 20 }, (n) =>
        lookUp(bus, question(tenantOf(n), `none ${n}`, false)),
      ),
      await measure(`semantic look-up, ${label}`, { count: asks, warm: 50 }, (n) =>
        lookUp(bus, question(tenantOf(n), text(1_000_000 + n))),
      ),
    ];
    if (!changes) return measured;
    return [
      ...measured,
      await measure('store, with free text', { count: asks, warm: 10 }, (n) =>
        store(bus, question(tenantOf(n), text(2_000_000 + n))),
      ),
      await measure('store, equal only', { count: asks, warm: 10 }, (n) =>
        store(bus, question(tenantOf(n), `equal ${n}`, false)),
      ),
      await measure('invalidate, none of it kept', { count: asks, warm: 10 }, (n) =>
        invalidate(bus, tenantOf(n), 'other.*'),
      ),
      await measure(`invalidate, all ${rows} rows of a tenant`, { count: Math.min(20, tenants.length) }, (n) =>
        invalidate(bus, tenants[n], 'wiki.*'),
      ),
    ];
  } finally {
    await service.close();
    await bus.close();
  }
};
