import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { canPin, end, endWithUs } from './children.mjs';
import { GATEWAYS, installPeers } from './peers/gateways.mjs';
import { longList, recovery, startAndIdle, throughput } from './peers/measure.mjs';
import { machine, table } from './report.mjs';
import { median } from './statistics.mjs';

// `npm run bench:peers`: Portico beside other gateways, each before the same upstream. docs/benchmarks.md explains.

const CONNECTIONS = [1, 16, 32];
const FULL = { repeats: 3, warmupMs: 500, measureMs: 1_500, lists: 30, starts: 3 };
const QUICK = { repeats: 1, warmupMs: 300, measureMs: 800, lists: 10, starts: 1 };
const HELP = `npm run bench:peers [-- --json FILE] [--quick]

  --json FILE  writes machine and rows as JSON too
  --quick      shorter and rougher
  --help       this

Installs the peers at their exact versions into .cache/peers when they are not there: by cargo from crates.io, which
takes minutes, and by npm.`;

/** @param {typeof FULL} plan @param {string | undefined} jsonFile */
const run = async (plan, jsonFile) => {
  installPeers();
  const on = machine();
  if (on.load > 0.5) console.error(`The machine is busy (load ${on.load}): the ratios are what to read.`);
  if (!canPin) console.error('Not pinned: no taskset here.');
  const speedOf = await throughput(GATEWAYS, CONNECTIONS, plan);
  const rows = [];
  for (const gateway of GATEWAYS) {
    console.error(`${gateway.name}: start, list, recovery`);
    const starts = [];
    for (let n = 0; n < plan.starts; n++) starts.push(await startAndIdle(gateway));
    rows.push({
      name: gateway.name,
      upstream: gateway.upstream,
      speeds: CONNECTIONS.map((at) => speedOf(gateway.name, at)),
      startMs: median(starts.map(({ startMs }) => startMs)),
      idleMB: median(starts.map(({ idleMB }) => idleMB)),
      listMs: await longList(gateway, plan.lists),
      recovery: await recovery(gateway),
    });
    console.error(JSON.stringify(rows.at(-1)));
  }
  console.log(`\n${on.cpu}, ${on.cpus} CPUs, Node ${on.node}, load ${on.load}, medians of ${plan.repeats} repeats\n`);
  const header = [
    'gateway',
    'behind it',
    '1 conn.',
    '16',
    '32',
    'errors',
    'start ms',
    'idle MB',
    'list ms',
    'recovery s',
  ];
  const cells = rows.map(({ name, upstream, speeds, startMs, idleMB, listMs, recovery: { seconds, newSession } }) => [
    name,
    upstream,
    ...speeds.map(({ ratio }) => ratio.toFixed(3)),
    speeds.reduce((sum, { errors }) => sum + errors, 0),
    startMs.toFixed(0),
    idleMB.toFixed(0),
    listMs.toFixed(1),
    seconds === null ? (newSession ? 'never; new sessions do' : 'never') : seconds.toFixed(2),
  ]);
  console.log(table(header, cells));
  if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify({ machine: on, rows }, null, 2)}\n`);
  return rows
    .filter(({ name }) => name.startsWith('portico'))
    .some(({ speeds }) => speeds.some(({ errors }) => errors > 0))
    ? 1
    : 0;
};

const readOptions = () => {
  try {
    const options = { json: { type: 'string' }, quick: { type: 'boolean' }, help: { type: 'boolean' } };
    return parseArgs({ options: /** @type {any} */ (options) }).values;
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    return process.exit(2);
  }
};

const { json, quick, help } = readOptions();
if (help) {
  console.log(HELP);
} else {
  endWithUs();
  try {
    process.exitCode = await run(quick ? QUICK : FULL, /** @type {string | undefined} */ (json));
  } finally {
    await end();
  }
}
