import type { Log } from '@portico/observe';
import { serverRevision } from './configured-server.js';
import type { ConfiguredServer } from './configured-server.js';
import type { ServedServer } from './served-server.js';

interface Place {
  wanted: ConfiguredServer | undefined;
  running: { readonly configured: ConfiguredServer; readonly server: ServedServer } | undefined;
  settling: Promise<void> | undefined;
}

/**
 * Serves what is configured: each server in a place of its own, so that one that is slow to end delays no other, and one
 * that has not changed is not touched.
 */
export class RunningServers {
  readonly #places = new Map<string, Place>();
  #closed = false;

  constructor(
    private readonly serve: (configured: ConfiguredServer) => Promise<ServedServer>,
    private readonly log: Log,
  ) {}

  /** Resolves when exactly these are served. What is wanted last wins. */
  async apply(servers: readonly ConfiguredServer[]): Promise<void> {
    const wanted = new Map(
      this.#closed ? [] : servers.filter(({ entry }) => entry.enabled).map((server) => [server.entry.name, server]),
    );
    for (const name of wanted.keys())
      if (!this.#places.has(name))
        this.#places.set(name, { wanted: undefined, running: undefined, settling: undefined });
    await Promise.all(
      [...this.#places].map(([name, place]) => {
        place.wanted = wanted.get(name);
        return this.#settle(name, place);
      }),
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.apply([]);
  }

  #settle(name: string, place: Place): Promise<void> {
    place.settling ??= this.#steps(name, place).then((made) => {
      place.settling = undefined;
      if (made && !isSettled(place)) return this.#settle(name, place);
      if (place.running === undefined && place.wanted === undefined) this.#places.delete(name);
      return undefined;
    });
    return place.settling;
  }

  /** False: a step could not be made. It is tried again when the configuration is next applied. */
  async #steps(name: string, place: Place): Promise<boolean> {
    try {
      while (!isSettled(place)) await this.#step(name, place);
      return true;
    } catch (error) {
      this.log.error('upstream.not-served', { server: name, error });
      return false;
    }
  }

  async #step(name: string, place: Place): Promise<void> {
    const { running, wanted } = place;
    if (running === undefined) {
      place.running = { configured: wanted!, server: await this.serve(wanted!) };
    } else if (wanted !== undefined && running.server.adopt(wanted)) {
      place.running = { configured: wanted, server: running.server };
    } else {
      await running.server
        .close()
        .catch((error: unknown) => this.log.error('upstream.not-closed', { server: name, error }));
      place.running = undefined;
    }
  }
}

const isSettled = ({ running, wanted }: Place): boolean =>
  running === undefined || wanted === undefined
    ? running?.configured === wanted
    : serverRevision(running.configured) === serverRevision(wanted);
