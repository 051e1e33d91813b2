import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { table } from './report.mjs';
import { abandoned } from './soak/abandoned.mjs';
import { connections } from './soak/connections.mjs';
import { day } from './soak/day/day.mjs';
import { deadSources } from './soak/dead-sources.mjs';
import { flapping } from './soak/flapping.mjs';
import { held, settled } from './soak/leftovers.mjs';
import { MARK } from './soak/room.mjs';

// `npm run soak`: does the same thing thousands of times, and then counts what is left behind.

const PARTS = {
  connections: { part: connections, full: 1_000, short: 200, warmUp: 40 },
  'dead-sources': { part: deadSources, full: 10_000, short: 3_000, warmUp: 500 },
  flapping: { part: flapping, full: 60_000, short: 5_000, warmUp: 1_000 },
  abandoned: { part: abandoned, full: 10_000, short: 500, warmUp: 200 },
  // Ten minutes, the first of which warms it up: what it holds is compared with what it held then.
  day: { part: day, full: 540, short: 12, warmUp: 60, within: 0.05 },
};
const HELP = `npm run soak [-- --short] [--only part,part]

  --short           about two minutes: less of everything
  --only part,part  only these
  --help            this

The part day takes about 11 minutes. Exits 1 when a process, a socket, a timer or memory is left behind.
parts: ${Object.keys(PARTS).join(', ')}`;

/** @typedef {import('./soak/leftovers.mjs').Held} Held */

/** While it is open: connections kept for reuse and timers of the moment come and go. A leak grows with what is done. */
const OPEN = {
  processes: 1,
  files: 12,
  active: 12,
  timers: 40,
  sockets: 12,
  children: 4,
  signals: 60,
  heap: 3_000_000,
};
/** After it is closed nothing is left but what the modules themselves keep. */
const CLOSED = { processes: 0, files: 0, active: 0, timers: 1, sockets: 1, children: 1, signals: 4, heap: 3_000_000 };
const FEW = 4;
/** What may come and go: a share of each count, and of a small one the few connections that a pool may have more. @param {Held} warm @param {number} share @returns {Held} */
const shareOf = (warm, share) =>
  /** @type {any} */ (
    Object.fromEntries(Object.entries(warm).map(([what, value]) => [what, Math.max(FEW, Math.ceil(value * share))]))
  );
const SETTLE_MS = 20_000;

/** Does one part, and gives what it held at each point. @param {keyof typeof PARTS} name @param {boolean} short */
const soak = async (name, short) => {
  const { part, full, short: less, warmUp: warmUpFull, ...more } = PARTS[name];
  const times = short ? less : full;
  const warmUp = Math.min(warmUpFull, times);
  // For what is loaded at first use, and what the engine makes of it at the second.
  for (let n = 0; n < 2; n++) {
    const first = await part.open();
    await first.run(Math.min(warmUp, 20));
    await first.close();
    await delay(1_000);
  }
  const before = held(MARK);
  const room = await part.open();
  await room.run(warmUp);
  const { after: warm } = await settled(MARK, before, OPEN, 2_000);
  const begun = performance.now();
  await room.run(times);
  const seconds = (performance.now() - begun) / 1_000;
  const open = await settled(MARK, warm, 'within' in more ? shareOf(warm, more.within) : OPEN, SETTLE_MS);
  await room.close();
  const closed = await settled(MARK, before, CLOSED, SETTLE_MS);
  const note = 'note' in room ? `; ${room.note()}` : '';
  console.log(`\n${name}: ${times} ${part.title}, ${seconds.toFixed(1)} s${note}`);
  const points = { 'before it': before, 'warmed up': warm, done: open.after, closed: closed.after };
  const cells = Object.entries(points).map(([point, of]) => [
    point,
    ...Object.entries(of).map(([what, value]) => (what === 'heap' ? `${(value / 1e6).toFixed(2)} MB` : value)),
  ]);
  console.log(table(['', ...Object.keys(before)], cells));
  for (const [left, when] of /** @type {const} */ ([
    [open.left, 'done'],
    [closed.left, 'closed'],
  ]))
    if (left.length > 0) console.log(`LEFT BEHIND once ${when}: ${left.join(', ')}`);
  return open.left.length + closed.left.length === 0;
};

const readOptions = () => {
  try {
    const options = { short: { type: 'boolean' }, only: { type: 'string' }, help: { type: 'boolean' } };
    const { short, only, help } = parseArgs({ options: /** @type {any} */ (options) }).values;
    const names = only === undefined ? Object.keys(PARTS) : String(only).split(',');
    const unknown = names.find((name) => !(name in PARTS));
    if (unknown !== undefined) throw new Error(`There is no part "${unknown}".\n\n${HELP}`);
    return { short: short === true, names: /** @type {(keyof typeof PARTS)[]} */ (names), help };
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    return process.exit(2);
  }
};

const { short, names, help } = readOptions();
if (help) {
  console.log(HELP);
} else {
  const clean = [];
  for (const name of names) {
    try {
      clean.push(await soak(name, short));
    } catch (error) {
      console.error(`${name}: ${/** @type {Error} */ (error).stack}`);
      clean.push(false);
    }
  }
  const all = clean.every(Boolean);
  console.log(`\n${all ? 'Nothing is left behind.' : 'SOMETHING IS LEFT BEHIND.'}`);
  process.exit(all ? 0 : 1);
}
