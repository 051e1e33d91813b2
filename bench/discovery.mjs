import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { end, endWithUs } from './children.mjs';
import { measureCatalogueHit } from './discovery/catalogue-hit.mjs';
import { measureLongLists } from './discovery/long-lists.mjs';
import { measureStartUp } from './discovery/start-up.mjs';
import { machine, ratioTable, table } from './report.mjs';
import { median, percentile } from './statistics.mjs';

// `npm run bench:discovery`: what servers cost that nobody has asked yet, that are dead, and that are many.

const SIZES = [500, 1_000, 2_000, 4_000];
const FULL = { starts: 9, hits: 20_000, repeats: 5, lists: 40 };
const QUICK = { starts: 3, hits: 4_000, repeats: 2, lists: 15 };
const HELP = `npm run bench:discovery [-- --json FILE] [--quick]

  --json FILE   writes machine, rows and ratios as JSON too
  --quick       shorter and rougher
  --help        this

Starts Portico with 0 and with 50 dead servers, asks discovery for what it has in memory, and lists ${SIZES.join(', ')} tools.`;

/** @typedef {{ name: string, concurrency: number, latencies: number[], errors: number }} Measured */

/** A row of the report. @param {Measured} measured */
const rowOf = ({ name, concurrency, latencies, errors }) => {
  const sorted = [...latencies].sort((a, b) => a - b);
  const round = (/** @type {number} */ value) => Number(value.toFixed(4));
  const p50Ms = median(sorted);
  const perSecond = round((concurrency * 1_000 * sorted.length) / sorted.reduce((sum, value) => sum + value, 0));
  return { name, concurrency, perSecond, p50Ms: round(p50Ms), p99Ms: round(percentile(sorted, 0.99)), errors };
};

/** @param {string} name @param {string} means @param {string} unit @param {number} value @param {number} [atMost] */
const ratio = (name, means, unit, value, atMost) => ({
  name,
  means,
  unit,
  value,
  target: atMost === undefined ? '' : `<= ${atMost} ${unit}`,
  reached: atMost === undefined ? undefined : value <= atMost,
});

/** @param {typeof FULL} plan @param {string | undefined} jsonFile */
const run = async (plan, jsonFile) => {
  const on = machine();
  if (on.load > 0.5) console.error(`The machine is busy (load ${on.load}): trust ratios more than speed.`);
  const startUp = await measureStartUp(plan.starts);
  const hits = await measureCatalogueHit(plan.hits);
  const lists = await measureLongLists(plan, SIZES);

  const rows = [...startUp.rows, ...hits, ...lists].map(rowOf);
  const p99 = Math.max(...hits.map((hit) => rowOf(hit).p99Ms));
  const p99Cpu = Math.max(
    ...hits.map(({ cpu }) =>
      percentile(
        [...cpu].sort((a, b) => a - b),
        0.99,
      ),
    ),
  );
  const list = (/** @type {number} */ tools) => median(lists[SIZES.indexOf(tools)].latencies);
  const compared = [
    ratio('startDead', 'start to listening, 50 dead to none', 'x', startUp.ratios.startDead, 1.1),
    ratio('startDeadCpu', 'the same by CPU time', 'x', startUp.ratios.startDeadCpu),
    ratio('startCpuMs', 'CPU time from start to listening, no upstream', 'ms', startUp.ratios.listeningCpuMs),
    ratio(
      'firstListNoneMs',
      'start to the first tools/list answer, no upstream',
      'ms',
      startUp.ratios.listNoneMs,
      2_000,
    ),
    ratio('firstListDeadMs', 'the same, 50 dead', 'ms', startUp.ratios.listDeadMs, 2_000),
    ratio('firstListDeadAfterMs', 'the same, from listening on', 'ms', startUp.ratios.listDeadAfterMs),
    ratio('hitP99Ms', 'discovery from memory, p99 of the slower ask', 'ms', p99, 1),
    ratio('hitP99CpuMs', 'the same, by CPU time', 'ms', p99Cpu),
    ratio('list2000Ms', 'tools/list of 2,000 tools, p50', 'ms', list(2_000), 20),
    ratio('listGrowth', 'time a tool, 4,000 tools to 500', 'x', list(4_000) / list(500) / 8, 1.2),
  ];
  console.log(`\n${on.cpu}, ${on.cpus} CPUs, Node ${on.node}\n`);
  const cells = rows.map(({ name, concurrency, perSecond, p50Ms, p99Ms, errors }) => [
    name,
    concurrency,
    perSecond.toFixed(1),
    p50Ms.toFixed(3),
    p99Ms.toFixed(3),
    errors,
  ]);
  console.log(table(['row', 'callers', 'per second', 'p50 ms', 'p99 ms', 'errors'], cells));
  console.log(`\n${ratioTable(compared)}`);
  if (jsonFile !== undefined) {
    const ratios = Object.fromEntries(compared.map(({ name, value }) => [name, Number(value.toFixed(4))]));
    await writeFile(jsonFile, `${JSON.stringify({ machine: on, rows, ratios }, null, 2)}\n`);
  }
  return rows.some(({ errors }) => errors > 0) ? 1 : 0;
};

const readOptions = () => {
  try {
    return parseArgs({ options: { json: { type: 'string' }, quick: { type: 'boolean' }, help: { type: 'boolean' } } })
      .values;
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    return process.exit(2);
  }
};

const { json, quick, help } = readOptions();
if (help) {
  console.log(HELP);
} else if (!existsSync(new URL('../apps/local/dist/main.js', import.meta.url))) {
  console.error('Not built: npm run build');
  process.exitCode = 2;
} else {
  endWithUs();
  try {
    process.exitCode = await run(quick ? QUICK : FULL, json);
  } finally {
    await end();
  }
}
