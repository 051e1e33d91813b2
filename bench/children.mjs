import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';

/** Everything the benchmark starts, so that nothing outlives it: not on success, failure or Ctrl-C. */

const START_LIMIT_MS = 20_000;
const END_LIMIT_MS = 3_000;

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

const running = /** @type {Set<ChildProcess>} */ (new Set());

/** Whether a program is on PATH. @param {string} program @param {string} versionFlag */
export const isHere = (program, versionFlag) =>
  spawnSync(program, [versionFlag], { stdio: 'ignore' }).error === undefined;

/** Whether processes can be pinned; without it everything shares all CPUs and the report says so. */
export const canPin = isHere('taskset', '--version');

/**
 * Starts a program pinned to one CPU. `env` is added to ours; `ipc` opens a message channel.
 * @param {number} cpu @param {string[]} command @param {{ env?: Record<string, string>, ipc?: boolean, cwd?: string }} [options]
 */
export const start = (cpu, command, { env = {}, ipc = false, cwd } = {}) => {
  const [program, ...args] = canPin ? ['taskset', '-c', String(cpu), ...command] : command;
  const child = spawn(program, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? /** @type {const} */ (['ipc']) : [])],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
};

/**
 * Waits until the child says what `pattern` matches, on either of its outputs, and goes on draining them.
 * Rejects with its last words when it ends first or says nothing in time.
 * @param {ChildProcess} child @param {RegExp} pattern @returns {Promise<RegExpExecArray>}
 */
export const said = (child, pattern) =>
  new Promise((resolve, reject) => {
    let heard = '';
    const fail = (/** @type {string} */ why) =>
      reject(new Error(`${child.spawnargs.join(' ')}: ${why}\n${heard.slice(-2_000)}`));
    const timer = setTimeout(() => fail('did not get ready in time'), START_LIMIT_MS);
    const hear = (/** @type {Buffer} */ chunk) => {
      heard = (heard + chunk.toString()).slice(-20_000);
      const match = pattern.exec(heard);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', (error) => (clearTimeout(timer), fail(error.message)));
    child.once('exit', (code, signal) => (clearTimeout(timer), fail(`ended with ${code ?? signal}`)));
  });

/** Asks these to end, and makes those that do not within three seconds. @param {Iterable<ChildProcess>} [children] */
export const end = async (children = running) => {
  await Promise.all(
    [...children]
      .filter((child) => running.has(child))
      .map((child) => {
        const gone = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGTERM');
        const timer = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
        return gone.finally(() => clearTimeout(timer));
      }),
  );
};

/** Ends all of them on Ctrl-C and its like, with the exit code a shell expects; on any other way out, at once. */
export const endWithUs = () => {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, () => void end().finally(() => process.exit(128 + constants.signals[signal])));
  }
  process.on('exit', () => {
    for (const child of running) child.kill('SIGKILL');
  });
};
