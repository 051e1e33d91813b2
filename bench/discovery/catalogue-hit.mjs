import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryBus } from '@portico/bus';
import { discoverCatalogue, discoverSource } from '@portico/contracts';
import { readConfig, startDiscovery } from '@portico/discovery';
import { serveSource } from '@portico/domain-kit';
import { createLog } from '@portico/observe';
import { scratch } from '../stage.mjs';

// What discovery's answers cost when it has them: asked on the bus in process, of 40 sources with 50 tools each.

const SOURCES = 40;
const TOOLS = 50;

/** @param {import('@portico/contracts').SourceAddress} address @param {() => void} onAsked @returns {import('@portico/domain-kit').SourceService} */
const service = (address, onAsked) => ({
  address,
  version: '1.0.0',
  configuration: 'bench',
  connectTimeoutMs: 5_000,
  async catalogue() {
    onAsked();
    return {
      identity: {
        description: 'A source of the benchmark.',
        era: 'modern',
        protocolVersion: '2026-07-28',
        capabilities: { tools: {} },
        mount: 'namespace',
        callTimeoutMs: 30_000,
      },
      tools: Array.from({ length: TOOLS }, (_, n) => ({
        definition: {
          name: `find_record_${n}`,
          description: 'Looks a record up and answers with its fields, newest first.',
          inputSchema: { type: 'object', properties: { query: { type: 'string' }, limit: { type: 'integer' } } },
        },
        policy: { effect: 'read' },
      })),
      resources: [],
      resourceTemplates: [],
      prompts: [],
    };
  },
  callTool: async () => ({ content: [] }),
});

/** CPU milliseconds of this process: what an ask costs when others are on the machine too. */
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** @param {() => Promise<unknown>} ask @param {number} times */
const timesOf = async (ask, times) => {
  const latencies = [];
  const cpu = [];
  for (let n = 0; n < times; n++) {
    const cpuBefore = cpuMs();
    const begun = performance.now();
    await ask();
    latencies.push(performance.now() - begun);
    cpu.push(cpuMs() - cpuBefore);
  }
  return { latencies, cpu };
};

/** @param {number} times asks of each kind that are measured */
export const measureCatalogueHit = async (times) => {
  const log = createLog({ name: 'bench', level: 'error', format: 'json' });
  const bus = memoryBus({ log });
  const home = await mkdtemp(join(scratch, 'discovery-'));
  const discovery = await startDiscovery(bus, readConfig({ PORTICO_HOME: home }), log);
  let probes = 0;
  const addresses = Array.from({ length: SOURCES }, (_, n) => /** @type {const} */ (`domain.bench-${n}`));
  const served = await Promise.all(
    addresses.map((address) =>
      serveSource(
        bus,
        service(address, () => probes++),
        { instance: 'bench', log },
      ),
    ),
  );
  try {
    let turn = 0;
    const asks = {
      'discovery.catalogue from memory': () => bus.ask(discoverCatalogue, { probe: false }),
      'discovery.source from memory': () => bus.ask(discoverSource, { source: addresses[turn++ % SOURCES] }),
    };
    for (const source of addresses) await bus.ask(discoverSource, { source });
    const known = probes;
    const rows = [];
    for (const [name, ask] of Object.entries(asks)) {
      await timesOf(ask, times / 4);
      rows.push({ name, concurrency: 1, ...(await timesOf(ask, times)), errors: 0 });
    }
    if (known !== SOURCES || probes !== known) throw new Error(`a hit asked a source: ${probes} probes`);
    return rows;
  } finally {
    await Promise.all(served.map((source) => source.close()));
    await discovery.close();
    await bus.close();
  }
};
