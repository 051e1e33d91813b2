import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { text } from './cache/ask.mjs';
import { measure } from './cache/measure.mjs';
import { end, endWithUs } from './children.mjs';
import { machine, ratioTable, table } from './report.mjs';
import { median, percentile } from './statistics.mjs';

// `npm run bench:cache`: what a look-up in the response cache costs, by lane, size and database.

const FULL = { asks: 1_000, tenants: 100, rows: 1_000, crowd: 10_000, recall: 200, callers: 20_000 };
const QUICK = { asks: 200, tenants: 20, rows: 200, crowd: 6_000, recall: 40, callers: 4_000 };
const HELP = `npm run bench:cache [-- --json FILE] [--quick]

  --json FILE   writes machine, rows and ratios as JSON too
  --quick       fewer rows, shorter and rougher
  --help        this

Look-ups by lane at 100 and 100,000 rows on PostgreSQL with pgvector and 10,000 on PGlite, what is stored and dropped, the embedder,
recall against a scan, and two replicas under 64 callers.`;

/** @param {import('./cache/measure.mjs').Measured} measured */
const rowOf = ({ name, concurrency, latencies, errors, seconds }) => {
  const sorted = [...latencies].sort((a, b) => a - b);
  const round = (/** @type {number} */ value) => Number(value.toFixed(3));
  const perSecond = round(latencies.length / seconds);
  return { name, concurrency, perSecond, p50Ms: round(median(sorted)), p99Ms: round(percentile(sorted, 0.99)), errors };
};

/** @param {string} name @param {string} means @param {string} unit @param {number} value @param {{ atMost?: number, atLeast?: number }} [target] */
const ratio = (name, means, unit, value, { atMost, atLeast } = {}) => ({
  name,
  means,
  unit,
  value,
  target: atMost !== undefined ? `<= ${atMost} ${unit}` : atLeast !== undefined ? `>= ${atLeast}` : '',
  reached:
    atMost === undefined && atLeast === undefined
      ? undefined
      : value <= (atMost ?? Infinity) && value >= (atLeast ?? 0),
});

const measureEmbedder = async (/** @type {number} */ asks) => {
  const { openEmbedder } = await import('@portico/embedding');
  const embedder = await openEmbedder();
  try {
    const row = await measure('embedder, one text of 20 tokens', { count: asks, warm: 50 }, (n) =>
      embedder.embed([text(3_000_000 + n)]),
    );
    return { row, fingerprint: embedder.fingerprint };
  } finally {
    await embedder.close();
  }
};

/**
 * A loop that counts for as long as `ms` and needs nothing from anybody: how much later than usual the slowest of a hundred is done
 * says what this machine takes from everybody.
 * @param {number} ms @param {number} count
 */
const measureMachine = async (ms, count) => {
  let turns = 1_000_000;
  const loop = () => {
    let sum = 0;
    for (let n = 0; n < turns; n += 1) sum += n % 7;
    return sum;
  };
  const once = (/** @type {number} */ began) => (loop(), performance.now() - began);
  for (let n = 0; n < 20; n += 1) loop();
  turns *= ms / median(Array.from({ length: 21 }, () => once(performance.now())));
  return measure('the machine alone, a loop as long as a semantic look-up', { count }, async () => loop());
};

/** @param {typeof FULL} plan @param {string | undefined} jsonFile */
const run = async (plan, jsonFile) => {
  const on = machine();
  if (on.load > 0.5) console.error(`The machine is busy (load ${on.load}): trust comparisons more than milliseconds.`);
  const { startPostgresServer } = await import('../packages/testkit/dist/postgres-server.js');
  const { openDatabase } = await import('@portico/storage');
  const { measureLanes } = await import('./cache/lanes.mjs');
  const { measureRecall } = await import('./cache/recall.mjs');
  const { measureReplicas } = await import('./cache/replicas.mjs');

  const { row: embedded, fingerprint: embedder } = await measureEmbedder(plan.asks);
  const many = Array.from({ length: plan.tenants }, (_, n) => `tenant-${n}`);
  const total = (plan.tenants * plan.rows).toLocaleString('en');
  const settings = { shared_buffers: '512MB', maintenance_work_mem: '256MB', max_wal_size: '4GB' };
  const server = await startPostgresServer({ vectors: true, settings });
  const folder = await mkdtemp(join(tmpdir(), 'portico-bench-'));
  try {
    const admin = await openDatabase(server.url);
    await admin.query('CREATE DATABASE few');
    await admin.query('CREATE DATABASE many');
    const [few, lots] = ['few', 'many'].map((name) => server.url.replace(/postgres$/, name));
    const at = { asks: plan.asks, embedder };
    const small = await measureLanes('100 rows', { ...at, databaseUrl: few, tenants: ['alone'], rows: 100 });
    const filled = { ...at, databaseUrl: lots, tenants: many, rows: plan.rows };
    const large = await measureLanes(`${total} rows`, { ...filled, changes: false });
    const replicas = await measureReplicas(lots, many, plan.callers);
    const database = await openDatabase(lots, { statementTimeoutMs: 600_000 });
    const recalled = await measureRecall(database, { rows: plan.crowd, asks: plan.recall });
    await database.close();
    const changed = await measureLanes('again', { ...filled, databaseUrl: few, rows: 100, changes: true });
    await admin.close();
    const tenth = plan.rows / 10;
    const pglite = await measureLanes(`${(plan.tenants * tenth).toLocaleString('en')} rows on PGlite`, {
      ...at,
      databaseUrl: `pglite:${folder}/data`,
      tenants: many,
      rows: tenth,
    });
    const machineRow = await measureMachine(rowOf(large[2]).p50Ms, plan.asks);
    const rows = [
      machineRow,
      embedded,
      ...small,
      ...large,
      ...changed.slice(3),
      ...recalled.rows,
      ...pglite,
      ...replicas.rows,
    ].map(rowOf);
    const [exact, , semantic] = large.map(rowOf);
    const compared = [
      ratio('exactP99Ms', `exact hit at ${total} rows, p99`, 'ms', exact.p99Ms, { atMost: 5 }),
      ratio('semanticP99Ms', `semantic look-up at ${total} rows, p99, embedding included`, 'ms', semantic.p99Ms, {
        atMost: 23,
      }),
      ratio('semanticP50Ms', 'the same, p50', 'ms', semantic.p50Ms),
      ratio('machineP99Ms', 'the machine alone, a loop as long as that p50: its p99', 'ms', rowOf(machineRow).p99Ms),
      ratio('embedP50Ms', 'embedder, p50 of 20 tokens', 'ms', rowOf(embedded).p50Ms, { atMost: 10 }),
      ratio('recall', `eight nearest of ${plan.crowd} rows, index to scan`, '', recalled.recall, { atLeast: 0.99 }),
      ratio('skipped64', 'skipped by the budget, 64 callers, a fifth new', '', replicas.skipped),
      ratio('skippedExact64', 'skipped by the budget, 64 callers, all equal', '', replicas.skippedExact),
    ];
    console.log(`\n${on.cpu}, ${on.cpus} CPUs, Node ${on.node}, load ${on.load} at the start\n`);
    const cells = rows.map((row) => [
      row.name,
      row.concurrency,
      row.perSecond.toFixed(1),
      row.p50Ms.toFixed(3),
      row.p99Ms.toFixed(3),
      row.errors,
    ]);
    console.log(table(['row', 'callers', 'per second', 'p50 ms', 'p99 ms', 'errors'], cells));
    console.log(`\n${ratioTable(compared)}`);
    if (jsonFile !== undefined) {
      const ratios = Object.fromEntries(compared.map(({ name, value }) => [name, Number(value.toFixed(4))]));
      await writeFile(jsonFile, `${JSON.stringify({ machine: on, rows, ratios }, null, 2)}\n`);
    }
    const one = rows.filter(({ concurrency }) => concurrency === 1);
    return one.some(({ errors }) => errors > 0) ? 1 : 0;
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
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
} else if (!existsSync(new URL('../apps/semantic-cache/dist/main.js', import.meta.url))) {
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
