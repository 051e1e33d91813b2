import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICES } from './system.mjs';

/** The faults, one row each. */

/** How long a fault lasts: longer than what notices it at once, shorter than what waits for its deadline. */
const HOLD_MS = 3_000;
const AWAY_MS = 1_000;
const SLOW_MS = 100;

/**
 * `break` does it, and `mend` undoes it and resolves when what was broken is there again; `mend` is absent when it is over
 * by then.
 * @typedef {Awaited<ReturnType<typeof import('./system.mjs').startSystem>>} System
 * @typedef {{ readonly name: string, readonly holdMs: number, break(system: System): Promise<void> | void,
 *   mend?(system: System): Promise<void> | void, readonly needs?: 'disk' }} Fault
 */

/** @param {System} system @param {string} service */
const first = (system, service) => /** @type {System['instances'][0]} */ (system.of(service)[0]);

/** @param {string} service @returns {Fault[]} */
const ofService = (service) => [
  {
    name: `${service}: kill -9`,
    holdMs: AWAY_MS,
    async break(system) {
      const instance = first(system, service);
      instance.diedAt = Number.POSITIVE_INFINITY;
      await instance.end('SIGKILL');
      instance.diedAt = performance.now();
    },
    mend(system) {
      first(system, service).start();
      return first(system, service).ready();
    },
  },
  {
    name: `${service}: each in turn stopped and started`,
    holdMs: 0,
    async break(system) {
      for (const instance of system.of(service)) {
        await instance.end('SIGTERM');
        instance.start();
        await instance.ready();
        await delay(AWAY_MS);
      }
    },
  },
  {
    name: `${service}: frozen`,
    holdMs: HOLD_MS,
    break: (system) => first(system, service).signal('SIGSTOP'),
    mend: (system) => first(system, service).signal('SIGCONT'),
  },
];

/** @param {'nats' | 'redis' | 'postgres'} store @param {string} name @returns {Fault} */
const restarted = (store, name) => ({
  name: `${name}: kill -9`,
  holdMs: AWAY_MS,
  break: (system) => system[store].kill(),
  mend: (system) => system[store].restart(),
});

/** @param {'redis' | 'postgres'} store @param {string} name @returns {Fault} */
const frozen = (store, name) => ({
  name: `${name}: frozen`,
  holdMs: HOLD_MS,
  break: (system) => system[store].freeze(),
  mend: (system) => system[store].thaw(),
});

const filler = (/** @type {System} */ system) => join(/** @type {string} */ (system.disk), 'filler');

/** @type {readonly Fault[]} */
export const FAULTS = [
  ...SERVICES.flatMap(ofService),
  restarted('nats', 'nats-server'),
  restarted('redis', 'redis-server'),
  frozen('redis', 'redis-server'),
  restarted('postgres', 'PostgreSQL'),
  frozen('postgres', 'PostgreSQL'),
  {
    name: 'PostgreSQL: full disk',
    needs: 'disk',
    holdMs: HOLD_MS,
    // Until nothing more fits.
    async break(system) {
      await writeFile(filler(system), Buffer.alloc(512 * 2 ** 20)).catch(() => undefined);
    },
    async mend(system) {
      await rm(filler(system), { force: true });
      // A server that found no room for its journal has stopped itself.
      await system.postgres.restart();
    },
  },
  {
    name: `network of the bus: ${SLOW_MS} ms slower`,
    holdMs: HOLD_MS,
    break: (system) => system.wire.slow(SLOW_MS),
    mend: (system) => system.wire.mend(),
  },
  {
    name: 'network of the bus: cut',
    holdMs: AWAY_MS,
    break: (system) => system.wire.cut(),
    mend: (system) => system.wire.mend(),
  },
];
