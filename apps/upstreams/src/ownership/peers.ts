import type { Bus } from '@portico/bus';
import { Fault } from '@portico/contracts';
import type { StopSignal } from '@portico/contracts';
import type { Log } from '@portico/observe';
import { closeTogether } from '../closed.js';
import { stopping } from '../stopped.js';
import { Changes } from './changes.js';
import { PACE } from './pace.js';
import { Presence } from './presence.js';
import { ownerOf } from './rendezvous.js';

/** One that has just come lives a moment before it serves: so long nobody answering there is no answer. */
const COMING_MS = 5_000;

/** Something that this instance holds. */
interface Holding {
  running: number;
  letGo(): Promise<void>;
  going: boolean;
}

/**
 * Which instance holds what. Everything with a key (a server's process, a caller's session) is held by one instance at a
 * time, which all of them work out alike from who is alive on the bus. Nobody takes what another says it holds; a newcomer
 * takes nothing until it would have heard of everyone that lives.
 */
export class Peers {
  readonly #held = new Map<string, Holding>();
  readonly #changes = new Changes();
  readonly #presence: Presence;

  private constructor(
    bus: Bus,
    private readonly instance: string,
    private readonly log: Log,
    private readonly pace = PACE,
  ) {
    this.#presence = new Presence(bus, log, pace, {
      instance,
      holds: () => [...this.#held.keys()],
      changed: () => this.#rebalance(),
      unheard: () => this.#dropAll(),
    });
  }

  /** Rejects, with nothing left open, when the bus takes no subscription. */
  static async open(bus: Bus, instance: string, log: Log, pace = PACE): Promise<Peers> {
    const peers = new Peers(bus, instance, log, pace);
    await peers.#presence.open();
    return peers;
  }

  /**
   * Runs `here` when this instance holds `key` or may take it, else `there` with the one that does. `letGo` ends what is
   * held; it is called when it is another's to hold. Waits while the key changes hands, until the signal aborts.
   */
  async run<Value>(
    key: string,
    stop: StopSignal,
    letGo: () => Promise<void>,
    here: () => Promise<Value>,
    there: (instance: string, gone: StopSignal) => Promise<Value>,
  ): Promise<Value> {
    const begun = performance.now();
    for (;;) {
      const holding = this.#mine(key, letGo);
      if (holding !== undefined) {
        holding.running++;
        try {
          return await here();
        } finally {
          holding.running--;
          if (holding.going && holding.running === 0) this.#changes.tell();
        }
      }
      const owner = this.#owner(key);
      const peer = owner === undefined ? undefined : this.#presence.others.get(owner);
      if (owner === undefined || peer === undefined) {
        if (this.#presence.leaving) throw stopping();
        await this.#changes.next(stop);
        continue;
      }
      try {
        return await there(owner, peer.gone);
      } catch (error) {
        // Nobody took it there. One that lives will say so soon; of one that is gone, or gave it away, the next is found.
        const { code, executed, unserved } = Fault.from(error);
        if (code !== 'BACKEND_UNAVAILABLE' || executed !== 'no' || stop.aborted) throw error;
        const isComing = unserved && performance.now() - begun < COMING_MS;
        if ((await this.#lives(owner, stop)) && this.#owner(key) === owner && !isComing) throw error;
      }
    }
  }

  /** What was held under the key has ended by itself, unless it is in use again already. */
  released(key: string): void {
    if (this.#held.get(key)?.running !== 0) return;
    this.#held.delete(key);
    this.#presence.say();
  }

  /** Takes nothing more; what is held is the caller's to end, each with `released`. */
  leave(): void {
    this.#presence.leave();
    this.#changes.tell();
  }

  /** Ends what is still held, and then says so. */
  async close(): Promise<void> {
    this.#presence.leave();
    try {
      await closeTogether([...this.#held].map(([key, holding]) => ({ close: () => this.#letGo(key, holding, true) })));
    } finally {
      this.#changes.tell();
      await this.#presence.close();
    }
  }

  /** The holding of a key that is ours, taken now if need be; undefined when it is not, or not yet. */
  #mine(key: string, letGo: () => Promise<void>): Holding | undefined {
    const holding = this.#held.get(key);
    if (holding !== undefined) return holding.going ? undefined : holding;
    if (this.#owner(key) !== undefined || this.#presence.leaving || !this.#presence.isCertain) return undefined;
    for (const { holds } of this.#presence.others.values()) if (holds.has(key)) return undefined;
    const taken: Holding = { running: 0, letGo, going: false };
    this.#held.set(key, taken);
    this.#presence.say();
    return taken;
  }

  /** The instance whose the key is to hold; undefined: ours. */
  #owner(key: string): string | undefined {
    const takers = [...this.#presence.others].filter(([, { leaving }]) => !leaving).map(([instance]) => instance);
    if (!this.#presence.leaving) takers.push(this.instance);
    const owner = ownerOf(key, takers);
    return owner === this.instance ? undefined : owner;
  }

  async #lives(instance: string, stop: StopSignal): Promise<boolean> {
    const askedAt = performance.now();
    for (;;) {
      const peer = this.#presence.others.get(instance);
      if (peer === undefined || peer.leaving) return false;
      if (peer.heardAt > askedAt) return true;
      await this.#changes.next(stop);
    }
  }

  #rebalance(): void {
    for (const [key, holding] of this.#held) if (this.#owner(key) !== undefined) this.#handOver(key, holding, false);
    this.#changes.tell();
  }

  #dropAll(): void {
    if (this.#held.size > 0) this.log.warn('upstreams.bus-lost', { ending: [...this.#held.keys()] });
    for (const [key, holding] of this.#held) this.#handOver(key, holding, true);
  }

  #handOver(key: string, holding: Holding, atOnce: boolean): void {
    this.#letGo(key, holding, atOnce).catch((error: unknown) => {
      this.log.error('upstreams.not-handed-over', { key, error });
      // It may still be there: it is ours until an end of it succeeds.
      holding.going = false;
    });
  }

  async #letGo(key: string, holding: Holding, atOnce: boolean): Promise<void> {
    if (!holding.going) {
      holding.going = true;
      this.log.info('upstreams.handing-over', { key });
    } else if (!atOnce) return;
    // Calls that run get a moment to end.
    const until = performance.now() + (atOnce ? 0 : this.pace.handoverMs);
    while (holding.running > 0 && performance.now() < until) await this.#changes.next();
    await holding.letGo();
    if (this.#held.get(key) !== holding) return;
    this.#held.delete(key);
    this.#presence.say();
    this.#changes.tell();
  }
}
