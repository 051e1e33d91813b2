import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { canPin, end, endWithUs } from './children.mjs';
import { cpuMicros } from './cpu-time.mjs';
import { ratios } from './ratios.mjs';
import { measureGrowth } from './growth/growth.mjs';
import { machine, ratioTable, rowTable, summary, table } from './report.mjs';
import { ROWS, obstacle } from './rows.mjs';
import { hasNats, startRow, startSurroundings } from './stage.mjs';

// `npm run bench`: what a call costs through Portico, beside what it costs through less. docs/benchmarks.md explains.

const CONNECTIONS = [1, 16, 32];
const FULL = { repeats: 5, warmupCalls: 8_000, firstWarmupMs: 8_000, warmupMs: 300, measureMs: 1_700 };
const QUICK = { repeats: 3, warmupCalls: 3_000, firstWarmupMs: 2_000, warmupMs: 150, measureMs: 600 };
const HELP = `npm run bench [-- --json FILE] [--quick] [--only row,row]

  --json FILE      writes machine, rows and ratios as JSON too
  --quick          shorter and rougher: under 90 seconds instead of about 5 minutes
  --only row,row   only these; a ratio needs both of its rows
  --only growth    what a call costs with 20 to 20,000 tools, 1 to 1,000 callers, 1 to 500 upstreams and 1 to 10,000
                   tenants, and how long the list takes to be whole; a part of its own
  --help           this

rows: ${ROWS.map(({ name }) => name).join(', ')}`;

/** @typedef {Awaited<ReturnType<typeof startRow>>} Started @typedef {import('./ratios.mjs').Sample} Sample */

/** @param {string} sentence @returns {never} */
const refuse = (sentence) => {
  console.error(sentence);
  process.exit(2);
};

const readOptions = () => {
  try {
    const options = {
      json: { type: 'string' },
      quick: { type: 'boolean' },
      only: { type: 'string' },
      help: { type: 'boolean' },
    };
    return parseArgs({ options: /** @type {any} */ (options) }).values;
  } catch (error) {
    return refuse(/** @type {Error} */ (error).message);
  }
};

/** Starts each row that can run. @param {import('./rows.mjs').Row[]} rows @param {string} upstreamUrl */
const startRows = async (rows, upstreamUrl) => {
  const started = /** @type {Started[]} */ ([]);
  const notRun = /** @type {{ name: string, reason: string }[]} */ ([]);
  let failed = false;
  for (const row of rows) {
    const reason = obstacle(row, hasNats);
    if (reason !== undefined) {
      notRun.push({ name: row.name, reason });
      continue;
    }
    try {
      started.push(await startRow(row, upstreamUrl));
    } catch (error) {
      failed = true;
      console.error(`${row.name}: ${/** @type {Error} */ (error).message}`);
      notRun.push({ name: row.name, reason: 'it did not start' });
    }
  }
  return { started, notRun, failed };
};

/**
 * All rows at all connection counts, each repeat in the other order than the one before, so that a drift of the machine
 * falls on both rows of a pair.
 * @param {Started[]} started @param {Awaited<ReturnType<typeof startSurroundings>>} surroundings @param {typeof FULL} plan
 */
const measure = async (started, { upstream, callFor }, plan) => {
  const samples = /** @type {Map<string, Sample[]>} */ (new Map());
  for (const { url, row } of started) {
    const job = { url, tool: row.tool, connections: 32, milliseconds: 250 };
    const start = performance.now();
    for (let calls = 0; calls < plan.warmupCalls && performance.now() - start < plan.firstWarmupMs;)
      calls += (await callFor(job)).calls;
  }
  for (let repeat = 0; repeat < plan.repeats; repeat++) {
    process.stderr.write(`repeat ${repeat + 1} of ${plan.repeats}\n`);
    for (const connections of CONNECTIONS) {
      for (const { url, row, pids } of repeat % 2 === 0 ? started : started.toReversed()) {
        const job = { url, tool: row.tool, connections };
        await callFor({ ...job, milliseconds: plan.warmupMs });
        const measured = pids.length > 0 ? pids : [upstream.pid ?? 0];
        const before = cpuMicros(measured);
        const { calls, ...seen } = await callFor({ ...job, milliseconds: plan.measureMs });
        const sample = { ...seen, cpuMicros: (cpuMicros(measured) - before) / calls };
        const key = `${row.name} ${connections}`;
        samples.set(key, [...(samples.get(key) ?? []), sample]);
      }
    }
  }
  return (/** @type {string} */ row, /** @type {number} */ connections) => samples.get(`${row} ${connections}`) ?? [];
};

/** @param {import('./rows.mjs').Row[]} rows @param {typeof FULL} plan @param {string | undefined} jsonFile */
const run = async (rows, plan, jsonFile) => {
  const on = machine();
  if (on.load > 0.5) console.error(`The machine is busy (load ${on.load}): trust ratios and CPU time more than speed.`);
  if (!canPin) console.error('Not pinned: no taskset here.');
  const surroundings = await startSurroundings();
  const { started, notRun, failed } = await startRows(rows, surroundings.upstreamUrl);
  const samplesOf = await measure(started, surroundings, plan);

  const measured = started.flatMap(({ row }) =>
    CONNECTIONS.map((at) => summary(row.name, at, samplesOf(row.name, at))),
  );
  const compared = ratios(samplesOf);
  console.log(`\n${on.cpu}, ${on.cpus} CPUs, Node ${on.node}, medians of ${plan.repeats} repeats\n`);
  console.log(`${rowTable(measured, notRun)}\n\n${ratioTable(compared)}`);
  if (jsonFile !== undefined) {
    const values = Object.fromEntries(
      compared.map(({ name, value }) => [name, value === null ? null : Number(value.toFixed(3))]),
    );
    await writeFile(jsonFile, `${JSON.stringify({ machine: on, rows: measured, notRun, ratios: values }, null, 2)}\n`);
  }
  return failed || measured.some(({ errors }) => errors > 0) ? 1 : 0;
};

/** @param {{ repeats: number, warmupMs: number, measureMs: number }} plan @param {string | undefined} jsonFile */
const grow = async (plan, jsonFile) => {
  const on = machine();
  const rows = await measureGrowth(plan);
  console.log(`\n${on.cpu}, ${on.cpus} CPUs, Node ${on.node}, load ${on.load}, medians of ${plan.repeats} repeats\n`);
  const cells = rows.map(({ what, size, completeMs, memoryMB, micros, dearer, errors, reached }) => [
    what,
    size,
    (completeMs / 1_000).toFixed(2),
    memoryMB.toFixed(0),
    micros.toFixed(0),
    `${dearer.toFixed(2)}${reached ? '' : ' missed'}`,
    errors,
  ]);
  console.log(table(['of what', 'how many', 'listed s', 'memory MB', 'CPU us/call', 'to the first', 'errors'], cells));
  if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify({ machine: on, rows }, null, 2)}\n`);
  return rows.some(({ errors }) => errors > 0) ? 1 : 0;
};

const { json, quick, only, help } = readOptions();
if (help) {
  console.log(HELP);
} else if (only === 'growth') {
  endWithUs();
  try {
    process.exitCode = await grow(quick ? QUICK : FULL, json);
  } finally {
    await end();
  }
} else {
  const names = only === undefined ? undefined : String(only).split(',');
  const unknown = names?.find((name) => !ROWS.some((row) => row.name === name));
  if (unknown !== undefined) refuse(`There is no row "${unknown}".\n\n${HELP}`);
  endWithUs();
  const rows = ROWS.filter(({ name }) => names?.includes(name) ?? true);
  try {
    process.exitCode = await run(rows, quick ? QUICK : FULL, json);
  } finally {
    await end();
  }
}
