import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { end, endWithUs } from './children.mjs';
import { ROWS, obstacle } from './rows.mjs';
import { whereTimeWent } from './self-time.mjs';
import { hasNats, scratch, startRow, startSurroundings } from './stage.mjs';

// Where the CPU time of one row's call goes: `node bench/profile.mjs ROW`.

const HELP = `node bench/profile.mjs ROW [--connections 16] [--seconds 5] [--top 40] [--keep FOLDER]

Prints, for each measured Node process, the microseconds a call spends in each owner's code, in each function itself,
and, with all that it calls, in each function that is ours or that ours calls. --keep leaves the .cpuprofile files in FOLDER, for a browser's developer tools.

rows: ${ROWS.map(({ name }) => name).join(', ')}`;
const WARMUP_MS = 3_000;
const WRITTEN_LIMIT_MS = 10_000;

/** @param {string} path */
const written = async (path) => {
  for (const start = Date.now(); Date.now() - start < WRITTEN_LIMIT_MS;) {
    if (existsSync(path)) {
      try {
        return JSON.parse(await readFile(path, 'utf8'));
      } catch {
        // Half written: it is looked at again.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`no profile was written to ${path}`);
};

/** @param {[string, number][]} entries @param {number} calls @param {number} total @param {number} top */
const print = (entries, calls, total, top) => {
  for (const [name, micros] of entries.slice(0, top)) {
    console.log(
      `${(micros / calls).toFixed(2).padStart(8)} ${((100 * micros) / total).toFixed(1).padStart(6)} %  ${name}`,
    );
  }
};

/** @param {import('./rows.mjs').Row} row @param {{ connections: number, seconds: number, top: number, folder: string }} options */
const profile = async (row, { connections, seconds, top, folder }) => {
  const { upstreamUrl, callFor } = await startSurroundings();
  const hook = new URL('./profile-hook.mjs', import.meta.url).href;
  const { url, nodes } = await startRow(row, upstreamUrl, {
    nodeFlags: ['--import', hook],
    env: { BENCH_PROFILES: folder },
  });
  const job = { url, tool: row.tool, connections };
  await callFor({ ...job, milliseconds: WARMUP_MS });
  for (const child of nodes) child.kill('SIGUSR2');
  const { calls, perSecond, p50Ms, errors } = await callFor({ ...job, milliseconds: seconds * 1_000 });
  for (const child of nodes) child.kill('SIGUSR2');
  console.log(
    `${row.name}: ${calls} calls, ${perSecond.toFixed(0)} a second while profiled, p50 ${p50Ms.toFixed(3)} ms, ${errors} errors`,
  );
  for (const child of nodes) {
    const { total, owners, functions, inclusive } = whereTimeWent(
      await written(join(folder, `${child.pid}.cpuprofile`)),
    );
    const script = child.spawnargs.find((arg) => /^\/.*\.m?js$/.test(arg));
    console.log(`\n${script}: ${(total / calls).toFixed(1)} us a call\n\n us/call    share  owner`);
    print(owners, calls, total, 20);
    console.log('\n us/call    share  function itself');
    print(functions, calls, total, top);
    console.log('\n us/call    share  function that is ours or called by ours, with all that it calls');
    print(inclusive, calls, total, top);
  }
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '5' },
    top: { type: 'string', default: '40' },
    keep: { type: 'string' },
    help: { type: 'boolean' },
  },
});
const row = ROWS.find(({ name }) => name === positionals[0]);
const reason = row === undefined ? HELP : obstacle(row, hasNats);
if (values.help) {
  console.log(HELP);
} else if (row === undefined || reason !== undefined) {
  console.error(reason);
  process.exitCode = 2;
} else {
  endWithUs();
  const folder = values.keep === undefined ? scratch : resolve(values.keep);
  await mkdir(folder, { recursive: true });
  try {
    const { connections, seconds, top } = values;
    await profile(row, { connections: Number(connections), seconds: Number(seconds), top: Number(top), folder });
  } finally {
    await end();
  }
}
