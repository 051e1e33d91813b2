import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startCallers } from './faults/callers.mjs';
import { FAULTS } from './faults/rows.mjs';
import { startSystem } from './faults/system.mjs';
import { machine, table } from './report.mjs';

// `npm run bench:faults`: what callers see while parts of the system die. docs/faults.md explains, and has the table.

const CALLERS = 32;
const BEFORE_MS = 1_500;
const AFTER_MS = 4_000;
const QUIET_MS = 2_000;
/** Connections that a pool keeps for the next time come and go. */
const POOLED = 8;
const HELP = `npm run bench:faults [-- --json FILE] [--only text]

  --json FILE   writes the machine and the rows as JSON too
  --only text   only faults whose name has this in it
  --help        this

Starts two processes of each service, a nats-server, a redis-server and a PostgreSQL on the loopback; takes about seven
minutes. Exits 1 when a call was lost, done twice, failed untyped, or was answered with an untruth about what ran.
faults:
${FAULTS.map(({ name }) => `  ${name}`).join('\n')}`;

/** @typedef {import('./faults/rows.mjs').System} System @typedef {import('./faults/rows.mjs').Fault} Fault */

/** @param {System} system */
const handles = (system) =>
  new Map(system.instances.map((instance) => [instance.pid, instance.handles() + instance.children()]));

/** What is open that was not before, of the processes that lived through it. @param {System} system @param {Map<number, number>} before */
const leaked = (system, before) => {
  const now = handles(system);
  return system.instances
    .map(({ service, pid }) => ({ service, more: (now.get(pid) ?? 0) - (before.get(pid) ?? now.get(pid) ?? 0) }))
    .filter(({ more }) => more > POOLED);
};

/** @param {System} system @param {Fault} fault */
const measure = async (system, fault) => {
  const warm = startCallers(system.doors, CALLERS);
  await delay(BEFORE_MS);
  await warm.stop();
  await delay(QUIET_MS);
  const before = handles(system);

  const load = startCallers(system.doors, CALLERS);
  await delay(BEFORE_MS);
  await fault.break(system);
  await delay(fault.holdMs);
  await fault.mend?.(system);
  const back = performance.now();
  await delay(AFTER_MS);
  const outcomes = await load.stop();
  await delay(QUIET_MS);

  const left = leaked(system, before);
  const { ledger } = system.backends;
  const writes = outcomes.filter(({ kind }) => kind === 'ledger.append');
  const times = (/** @type {{ line: string }} */ { line }) => ledger.get(line) ?? 0;
  const of = (/** @type {string} */ what) => outcomes.filter(({ outcome }) => outcome === what);
  const late = outcomes.filter(({ outcome, begunAt }) => outcome !== 'ok' && begunAt > back);
  const failures = new Map();
  for (const { outcome, code, kind, executed } of outcomes) {
    if (outcome === 'ok') continue;
    const key = `${outcome} ${code ?? ''} ${kind} executed=${executed ?? ''}`;
    failures.set(key, (failures.get(key) ?? 0) + 1);
  }
  for (const { service, more } of left) failures.set(`handles of ${service}`, more);
  return {
    name: fault.name,
    calls: outcomes.length,
    ok: of('ok').length,
    typed: of('typed').length,
    untyped: of('untyped').length + of('silent').length,
    held: of('held').length,
    lost: writes.filter((write) => write.outcome === 'ok' && times(write) === 0).length + of('silent').length,
    twice: writes.filter((write) => times(write) > 1).length,
    untrue: writes.filter((write) => write.executed === 'no' && times(write) > 0).length,
    leaked: left.reduce((sum, { more }) => sum + more, 0),
    longestMs: Math.round(Math.max(...outcomes.map(({ ms }) => ms))),
    recoveredS: Number((Math.max(0, ...late.map(({ begunAt }) => begunAt - back)) / 1_000).toFixed(2)),
    failures: Object.fromEntries(failures),
  };
};

/** @param {string | undefined} jsonFile @param {string} only */
const run = async (jsonFile, only) => {
  const on = machine();
  const faults = FAULTS.filter(({ name }) => name.includes(only));
  if (faults.length === 0) throw new Error(`No fault has ${JSON.stringify(only)} in its name.`);
  const system = await startSystem();
  const rows = [];
  try {
    // The lists of both front doors must have every source.
    await delay(QUIET_MS);
    for (const fault of faults) {
      if (fault.needs === 'disk' && system.disk === undefined) {
        console.log(`${fault.name}: not run: this user may not mount a small disk`);
        continue;
      }
      const row = await measure(system, fault);
      rows.push(row);
      console.error(`${row.name}: ${row.calls} calls, ${row.typed} typed errors, recovered after ${row.recoveredS} s`);
      for (const [what, count] of Object.entries(row.failures)) console.error(`    ${count} x ${what}`);
    }
  } finally {
    await system.close();
  }
  const columns = /** @type {const} */ ([
    ['calls', 'calls'],
    ['typed', 'typed errors'],
    ['untyped', 'untyped'],
    ['held', 'held by the door'],
    ['lost', 'lost'],
    ['twice', 'twice'],
    ['untrue', 'untrue'],
    ['leaked', 'leaked'],
    ['longestMs', 'longest ms'],
    ['recoveredS', 'recovered s'],
  ]);
  console.log(
    table(
      ['fault', ...columns.map(([, title]) => title)],
      rows.map((row) => [row.name, ...columns.map(([key]) => row[key])]),
    ),
  );
  if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify({ machine: on, rows }, null, 2)}\n`);
  return rows.every(({ untyped, lost, twice, untrue, leaked: open }) => untyped + lost + twice + untrue + open === 0);
};

const options = { json: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean' } };
const { json, only, help } = (() => {
  try {
    return parseArgs({ options: /** @type {any} */ (options) }).values;
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n\n${HELP}`);
    return process.exit(2);
  }
})();
if (help) console.log(HELP);
else {
  const clean = await run(json === undefined ? undefined : String(json), String(only ?? '')).catch((error) => {
    console.error(error);
    return false;
  });
  process.exit(clean ? 0 : 1);
}
