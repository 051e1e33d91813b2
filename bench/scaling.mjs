import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from './report.mjs';
import { FACTORS, MIX, ONE, limits, plan } from './scaling/model.mjs';
import { simulate, waits } from './scaling/queue.mjs';

// `npm run scaling`: what ten, a hundred and ten thousand times the load take. docs/scaling.md explains, and has the tables.

const SHIPPED = join(import.meta.dirname, 'scaling/measured.json');
const HELP = `npm run scaling [-- --measured FILE] [--measure FILE] [--json FILE]

  --measured FILE   what calls cost, instead of the figures that are shipped
  --measure FILE    measures it here first, which takes two minutes, and writes it to FILE
  --json FILE       writes what was found as JSON too
  --help            this

Measuring needs a nats-server, a redis-server and a PostgreSQL with pgvector, and starts its own on the loopback.
`;
const count = (/** @type {number} */ value) => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en'));
const percent = (/** @type {number} */ share) => `${Math.round(share * 100).toLocaleString('en')} %`;

/** @param {Record<string, string | boolean | undefined>} options */
const run = async ({ measure: into, measured: from, json }) => {
  if (typeof into === 'string') {
    const { measure } = await import('./scaling/measure.mjs');
    await writeFile(into, `${JSON.stringify(await measure(), null, 2)}\n`);
  }
  const measured = JSON.parse(await readFile(String(into ?? from ?? SHIPPED), 'utf8'));
  const { cpu, cpus, node, at } = measured.machine;
  console.log(`Measured on ${cpu}, ${cpus} CPUs, Node ${node}, ${at}. A load of 1 is ${ONE.callsPerSecond} calls/s.\n`);

  const parts = [
    'front-door',
    'upstreams',
    'adapter-dagger',
    'task-runtime',
    'semantic-cache',
    'nats-server',
    'redis-server',
    'PostgreSQL',
  ];
  const costs = Object.keys(MIX).map((kind) => {
    const { cpuMicros, busSent, busDelivered, redisCommands, transactions } = measured.calls[kind];
    return [kind, ...parts.map((part) => cpuMicros[part]), busSent + busDelivered, redisCommands, transactions].map(
      (cell) => (typeof cell === 'number' ? Number(cell.toFixed(1)) : cell),
    );
  });
  console.log(`${table(['CPU us a call', ...parts, 'bus msgs', 'Redis cmds', 'transactions'], costs)}\n`);

  const first = limits(measured);
  console.log(
    `${table(
      ['of one Portico is used up', 'calls/s'],
      first.map(({ resource, callsPerSecond }) => [resource, count(callsPerSecond)]),
    )}\n`,
  );

  const plans = FACTORS.map((factor) => plan(measured, factor));
  const rows = /** @type {[string, (plan: ReturnType<typeof plan>) => string][]} */ ([
    ['calls/s', ({ calls }) => count(calls)],
    ['cells', ({ cells }) => String(cells)],
    ...Object.keys(plans[0].cell.processes).map((service) => [
      `${service}, of a cell`,
      (/** @type {any} */ { cell }) => String(cell.processes[service]),
    ]),
    ['NATS connections, of a cell', ({ cell }) => count(cell.connections)],
    ['NATS messages/s in + out, of a cell', ({ cell }) => `${count(cell.busSent)} + ${count(cell.busDelivered)}`],
    ['Redis commands/s, of a cell', ({ cell }) => count(cell.redisCommands)],
    ['PostgreSQL transactions/s, of a cell', ({ cell }) => count(cell.transactions)],
    ['PostgreSQL rows written/s, of a cell', ({ cell }) => count(cell.rowsWritten)],
    ['PostgreSQL rows, all', ({ rows: kept, rowsGiB }) => `${count(kept)} (${count(rowsGiB)} GiB)`],
    ['memory of the services, of a cell', ({ cell }) => `${count(cell.memoryMiB / 1_024)} GiB`],
    ['wait at a front door, p99', ({ cell }) => `${cell.waitP99Ms.toFixed(1)} ms`],
    ...first.map(({ resource }) => [
      `in one cell: ${resource}`,
      (/** @type {any} */ { alone }) => percent(alone[resource]),
    ]),
  ]);
  console.log(
    `${table(
      ['load', ...FACTORS.map((factor) => `${factor.toLocaleString('en')}x`)],
      rows.map(([name, of]) => [name, ...plans.map(of)]),
    )}\n`,
  );

  const serviceSeconds = 0.000_5;
  const queues = [0.3, 0.6, 0.9].map((busy) => {
    const load = { perSecond: (4 * busy) / serviceSeconds, serviceSeconds, servers: 4, requests: 400_000 };
    const ms = (/** @type {number} */ seconds) => (seconds * 1_000).toFixed(2);
    return [
      percent(busy),
      ms(waits({ ...load, perSecond: load.perSecond / 4, servers: 1 }).p99),
      ms(simulate({ ...load, split: 'random' }).p99),
      ms(waits(load).p99),
      ms(simulate({ ...load, split: 'shared' }).p99),
    ];
  });
  console.log(
    table(['4 processes, 0.5 ms a call, busy', 'a queue each, p99 ms', 'simulated', 'one queue', 'simulated'], queues),
  );
  if (typeof json === 'string')
    await writeFile(json, `${JSON.stringify({ machine: measured.machine, limits: first, plans }, null, 2)}\n`);
};

const text = /** @type {const} */ ({ type: 'string' });
const options = { measured: text, measure: text, json: text, help: /** @type {const} */ ({ type: 'boolean' }) };
try {
  const { values } = parseArgs({ options });
  if (values.help) console.log(HELP);
  else await run(values);
} catch (error) {
  console.error(`${/** @type {Error} */ (error).message}\n\n${HELP}`);
  process.exitCode = 1;
}
