import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/** A service stops within 10 s of a signal, or has hung. */
const STOP_LIMIT_MS = 15_000;
const END_WITH_PARENT = pathToFileURL(join(import.meta.dirname, 'end-with-parent.js')).href;

/**
 * One service as a process: its log goes where ours goes, what it says on standard error is told with its name. It has
 * a process group of its own, so that the terminal's Ctrl-C comes to us alone and all stop in order.
 */
export class ServiceProcess {
  /**
   * @param {string} name
   * @param {string} main
   * @param {NodeJS.ProcessEnv} env
   */
  constructor(name, main, env) {
    this.name = name;
    this.child = spawn(process.execPath, ['--import', END_WITH_PARENT, main], {
      env,
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      detached: true,
    });
    if (this.child.stderr)
      createInterface({ input: this.child.stderr }).on('line', (line) => process.stderr.write(`${name}: ${line}\n`));
    /** Whether it came so far that its settings, and whatever else may keep it from starting, were right. */
    this.started = false;
    this.child.on('message', (message) => (this.started ||= message === 'started'));
    /** How it ended: its status, the signal that ended it, or why it could not be run. @type {Promise<number | string>} */
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
      this.child.once('error', (error) => resolve(error.message));
    });
  }

  /** Resolves once it has ended: asked to by a signal, and by force when it does not. */
  async stop() {
    this.child.kill('SIGTERM');
    const late = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MS);
    const how = await this.ended;
    clearTimeout(late);
    return how;
  }
}
