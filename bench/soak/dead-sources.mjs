import { setTimeout as delay } from 'node:timers/promises';
import { memoryBus } from '@portico/bus';
import { CONTRACTS_VERSION, discoverCatalogue, discoverSource, sourceHello } from '@portico/contracts';
import { readConfig, startDiscovery } from '@portico/discovery';
import { emptyHome, log } from './room.mjs';

// Sources that announce themselves, are asked for by name once, never answer, and are never heard of again.

const AT_ONCE = 500;
const MAX_ENTRIES = 256;
const FORGOTTEN_WITHIN_MS = 20_000;
let next = 0;

export const deadSources = {
  title: 'distinct dead sources, each asked for once',
  async open() {
    const bus = memoryBus({ log });
    const config = readConfig({
      PORTICO_HOME: await emptyHome(),
      MCP_DISCOVERY_CACHE_MAX_ENTRIES: String(MAX_ENTRIES),
    });
    const discovery = await startDiscovery(bus, config, log);
    return {
      /** @param {number} count */
      async run(count) {
        let left = count;
        const asking = async () => {
          while (left-- > 0) {
            const source = /** @type {const} */ (`upstream.dead-${next++}`);
            bus.tell(sourceHello, {
              source,
              instance: 'soak',
              version: '1',
              contracts: CONTRACTS_VERSION,
              configuration: 'soak',
              connectTimeoutMs: 2_000,
            });
            // Announcements arrive in their own turn.
            await delay(1);
            const answer = await bus.ask(discoverSource, { source }).catch(() => undefined);
            if (answer !== undefined) throw new Error(`${source} can not have answered`);
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, asking));
        let known = 0;
        for (const begun = performance.now(); performance.now() - begun < FORGOTTEN_WITHIN_MS; await delay(500)) {
          known = (await bus.ask(discoverCatalogue, { probe: false })).sources.length;
          if (known <= MAX_ENTRIES) return;
        }
        throw new Error(`${known} sources are still known, more than ${MAX_ENTRIES}`);
      },
      async close() {
        await discovery.close();
        await bus.close();
      },
    };
  },
};
