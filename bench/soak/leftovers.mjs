import { ChildProcess, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { queryObjects } from 'node:v8';

/** What a process holds, counted, so that what something has left behind shows. */

const timer = setTimeout(() => {}, 0);
clearTimeout(timer);
const Timeout = /** @type {Function} */ (timer.constructor);

/**
 * @typedef {object} Held
 * @property {number} processes children and theirs, and any other whose command line has the mark
 * @property {number} files open file descriptors @property {number} active what keeps the event loop alive
 * @property {number} timers timers still to fire, also those that let the process end @property {number} sockets
 * @property {number} children objects of child processes @property {number} signals @property {number} heap bytes
 */

/** Processes that are ours: by descent, and by mark when they have been left to init. @param {string} mark */
const ours = (mark) => {
  const { stdout, pid: ps } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const rows = stdout.split('\n').flatMap((line) => {
    const [, pid, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
  });
  const family = new Set([process.pid]);
  for (let size = 0; size < family.size;) {
    size = family.size;
    for (const { pid, parent } of rows) if (family.has(parent)) family.add(pid);
  }
  return rows.filter(
    ({ pid, args }) => pid !== process.pid && pid !== ps && (family.has(pid) || args.split(' ').includes(mark)),
  );
};

/** @param {Function} of @returns {number} */
const reachable = (of) => /** @type {any} */ (queryObjects)(of, { format: 'count' });

/** Timers that are still to fire; one that has fired, or was cleared, is memory and nothing more. @returns {number} */
const armedTimers = () =>
  /** @type {any} */ (queryObjects)(Timeout, { format: 'summary' }).filter(
    (/** @type {string} */ shown) => !shown.includes('_destroyed: true'),
  ).length;

/** What the system tells: cheap. @param {string} mark */
const outside = (mark) => ({
  processes: ours(mark).length,
  files: readdirSync('/proc/self/fd').length,
  active: process.getActiveResourcesInfo().length,
});

/** Takes about half a second, and needs `--expose-gc`. @param {string} mark an argument that no other process has @returns {Held} */
export const held = (mark) => {
  if (globalThis.gc === undefined) throw new Error('run it with node --expose-gc');
  // What finalisers of the first let go of is taken by the second.
  globalThis.gc();
  globalThis.gc();
  return {
    ...outside(mark),
    timers: armedTimers(),
    sockets: reachable(Socket),
    children: reachable(ChildProcess),
    signals: reachable(AbortSignal),
    heap: process.memoryUsage().heapUsed,
  };
};

/** Of what `after` has more than `before`, beyond the allowance. @param {Held} before @param {Partial<Held>} after @param {Held} allowed */
export const leftBehind = (before, after, allowed) =>
  /** @type {(keyof Held)[]} */ (Object.keys(after)).filter(
    (what) => (after[what] ?? 0) - before[what] > allowed[what],
  );

/**
 * Waits until nothing is left behind beyond the allowance, or the time is over: connections may be kept a few seconds for reuse.
 * @param {string} mark @param {Held} before @param {Held} allowed @param {number} limitMs
 */
export const settled = async (mark, before, allowed, limitMs) => {
  const begun = performance.now();
  const isOver = () => performance.now() - begun > limitMs;
  for (; ; await delay(500)) {
    if (!isOver() && leftBehind(before, outside(mark), allowed).length > 0) continue;
    const after = held(mark);
    const left = leftBehind(before, after, allowed);
    if (left.length === 0 || isOver()) return { after, left };
    await delay(1_500);
  }
};
