import { setTimeout as rest } from 'node:timers/promises';
import { ServiceProcess } from './service-process.js';

/** Before a service that died is started again: doubled by each death, and as short as at first once it has held. */
const FIRST_REST_MS = 100;
const LONGEST_REST_MS = 5_000;
const HELD_MS = 30_000;
const PROBE_EVERY_MS = 100;
const PROBE_LIMIT_MS = 1_000;

/**
 * A service that is started again whenever its process dies, once it has started: what ends before can not start so, and
 * would not the next time.
 */
export class SupervisedService {
  #stopping = new AbortController();
  /** @type {ServiceProcess} */
  #process;

  /**
   * @param {string} name
   * @param {string} main
   * @param {NodeJS.ProcessEnv} env
   * @param {string} readyz address that answers 200 once it is ready
   */
  constructor(name, main, env, readyz) {
    this.name = name;
    this.start = () => new ServiceProcess(name, main, env);
    this.#process = this.start();
    /** Whether it was ever ready. */
    this.ready = false;
    /** Resolves once it is ready, or has been stopped. @type {Promise<void>} */
    this.settled = this.#probe(readyz);
    /** How its last process ended: once it was stopped, or when its first could not start. @type {Promise<number | string>} */
    this.ended = this.#run();
  }

  async #run() {
    let everStarted = false;
    for (let restMs = FIRST_REST_MS; ; restMs = Math.min(restMs * 2, LONGEST_REST_MS)) {
      const began = Date.now();
      const how = await this.#process.ended;
      everStarted ||= this.#process.started;
      if (this.#stopping.signal.aborted) return how;
      const told = `${this.name} has ended (${typeof how === 'number' ? `status ${how}` : how}).`;
      if (!everStarted) {
        process.stderr.write(`${told} The other services are stopped.\n`);
        this.#stopping.abort();
        return how;
      }
      if (Date.now() - began > HELD_MS) restMs = FIRST_REST_MS;
      process.stderr.write(`${told} It is started again in ${restMs / 1000} s.\n`);
      await rest(restMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#stopping.signal.aborted) return 0;
      this.#process = this.start();
    }
  }

  /** @param {string} readyz */
  async #probe(readyz) {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // Until it has started, whoever answers there is somebody else.
      const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_LIMIT_MS)]);
      this.ready =
        this.#process.started &&
        (await fetch(readyz, { signal: limit }).then(
          async (response) => {
            await response.body?.cancel();
            return response.ok;
          },
          () => false,
        ));
      if (this.ready) return;
      await rest(PROBE_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves with how it ended. */
  stop() {
    this.#stopping.abort();
    return this.#process.stop().then(() => this.ended);
  }

  kill() {
    this.#process.child.kill('SIGKILL');
  }
}
