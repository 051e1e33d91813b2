import type { Bus, Subscription } from '@portico/bus';
import { Fault, Stop, upstreamsAlive } from '@portico/contracts';
import type { PayloadOf, StopSignal } from '@portico/contracts';
import { watchdog } from '@portico/mcp-session';
import type { Log } from '@portico/observe';
import { stopping } from '../stopped.js';
import { Changes } from './changes.js';
import type { Holding, Peer } from './holding.js';
import { PACE } from './pace.js';
import type { Pace } from './pace.js';
import { ownerOf } from './rendezvous.js';

type Beat = PayloadOf<typeof upstreamsAlive>;

/**
 * Which instance holds what. Everything with a key (a server's process, a caller's session) is held by one instance at a
 * time, which all of them work out alike from who is alive on the bus. Nobody takes what another says it holds; a newcomer
 * takes nothing until it would have heard of everyone that lives.
 */
export class Peers {
  readonly #peers = new Map<string, Peer>();
  readonly #held = new Map<string, Holding>();
  readonly #changes = new Changes();
  #listening: Subscription | undefined;
  #beating: NodeJS.Timeout | undefined;
  #fence: NodeJS.Timeout | undefined;
  /** When we last said what we then heard ourselves; and since when without a gap. By `performance.now()`. */
  #heardUpTo = -Infinity;
  #heardSince: number | undefined;
  #leaving = false;

  private constructor(
    private readonly bus: Bus,
    private readonly instance: string,
    private readonly log: Log,
    private readonly pace: Pace,
  ) {}

  static async open(bus: Bus, instance: string, log: Log, pace = PACE): Promise<Peers> {
    const peers = new Peers(bus, instance, log, pace);
    peers.#listening = await bus.listen(upstreamsAlive, (beat) => peers.#hear(beat));
    peers.#beating = setInterval(() => peers.#turn(), pace.beatMs);
    peers.#beat();
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
      const peer = owner === undefined ? undefined : this.#peers.get(owner);
      if (owner === undefined || peer === undefined) {
        if (this.#leaving) throw stopping();
        await this.#changes.next(stop);
        continue;
      }
      try {
        return await there(owner, peer.gone);
      } catch (error) {
        // Nobody took it there. One that lives will say so soon; of one that is gone, or gave it away, the next is found.
        const { code, executed } = Fault.from(error);
        if (code !== 'BACKEND_UNAVAILABLE' || executed !== 'no' || stop.aborted) throw error;
        if ((await this.#lives(owner, stop)) && this.#owner(key) === owner) throw error;
      }
    }
  }

  /** What was held under the key has ended by itself, unless it is in use again already. */
  released(key: string): void {
    if (this.#held.get(key)?.running !== 0) return;
    this.#held.delete(key);
    this.#beat();
  }

  /** Takes nothing more; what is held is the caller's to end, each with `released`. */
  leave(): void {
    this.#leaving = true;
    this.#beat();
    this.#changes.tell();
  }

  async close(): Promise<void> {
    this.#leaving = true;
    clearInterval(this.#beating);
    await Promise.all([...this.#held].map(([key, holding]) => this.#letGo(key, holding, true)));
    this.#beat();
    this.#changes.tell();
    await this.#listening?.close();
    clearTimeout(this.#fence);
    watchdog.disarm();
  }

  /** The holding of a key that is ours, taken now if need be; undefined when it is not, or not yet. */
  #mine(key: string, letGo: () => Promise<void>): Holding | undefined {
    const holding = this.#held.get(key);
    if (holding !== undefined) return holding.going ? undefined : holding;
    if (this.#owner(key) !== undefined || !this.#mayTake(key)) return undefined;
    const taken: Holding = { running: 0, letGo, going: false };
    this.#held.set(key, taken);
    this.#beat();
    return taken;
  }

  #mayTake(key: string): boolean {
    if (this.#leaving || this.#heardSince === undefined) return false;
    const now = performance.now();
    if (now - this.#heardSince < this.pace.silentMs || now - this.#heardUpTo > this.pace.unheardMs) return false;
    return [...this.#peers.values()].every(({ holds }) => !holds.has(key));
  }

  /** The instance whose the key is to hold; undefined: ours. */
  #owner(key: string): string | undefined {
    const takers = [...this.#peers].filter(([, { leaving }]) => !leaving).map(([instance]) => instance);
    if (!this.#leaving) takers.push(this.instance);
    const owner = ownerOf(key, takers);
    return owner === this.instance ? undefined : owner;
  }

  async #lives(instance: string, stop: StopSignal): Promise<boolean> {
    const askedAt = performance.now();
    for (;;) {
      const peer = this.#peers.get(instance);
      if (peer === undefined || peer.leaving) return false;
      if (peer.heardAt > askedAt) return true;
      await this.#changes.next(stop);
    }
  }

  #hear(beat: Beat): void {
    if (beat.instance === this.instance) return this.#hearOurselves(beat.sentAt);
    const known = this.#peers.get(beat.instance);
    if (beat.leaving && beat.holds.length === 0) {
      this.#peers.delete(beat.instance);
    } else {
      const { holds, leaving } = beat;
      const peer: Peer = known ?? { heardAt: 0, holds: new Set(), leaving, gone: new Stop() };
      peer.heardAt = performance.now();
      peer.holds = new Set(holds);
      peer.leaving = leaving;
      this.#peers.set(beat.instance, peer);
      // It has yet to hear what we hold.
      if (known === undefined) this.#beat();
    }
    this.#rebalance();
    this.#changes.tell();
  }

  #hearOurselves(sentAt: number): void {
    const now = performance.now();
    if (now - sentAt > this.pace.unheardMs) return;
    this.#heardUpTo = sentAt;
    this.#heardSince ??= sentAt;
    // Should this process be suspended, what it runs ends all the same before another takes over.
    watchdog.beat();
    clearTimeout(this.#fence);
    this.#fence = setTimeout(() => this.#unheard(), this.pace.unheardMs - (now - sentAt));
  }

  /** Others may take us for dead soon: whatever is held ends before they do. */
  #unheard(): void {
    this.#heardSince = undefined;
    if (this.#held.size > 0) this.log.warn('upstreams.bus-lost', { ending: [...this.#held.keys()] });
    for (const [key, holding] of this.#held) void this.#letGo(key, holding, true);
  }

  #turn(): void {
    // After a pause of this process the timer of the fence may be late as well.
    const now = performance.now();
    if (this.#heardSince !== undefined && now - this.#heardUpTo > this.pace.unheardMs) this.#unheard();
    for (const [instance, peer] of this.#peers) {
      if (now - peer.heardAt < this.pace.silentMs) continue;
      this.#peers.delete(instance);
      this.log.warn('upstreams.instance-lost', { instance, held: [...peer.holds] });
      peer.gone.abort(new Fault('BACKEND_UNAVAILABLE', 'The service that held this stopped.', { executed: 'unknown' }));
    }
    this.#beat();
    this.#rebalance();
    this.#changes.tell();
  }

  #rebalance(): void {
    for (const [key, holding] of this.#held) if (this.#owner(key) !== undefined) void this.#letGo(key, holding, false);
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
    this.#beat();
    this.#changes.tell();
  }

  #beat(): void {
    try {
      this.bus.tell(upstreamsAlive, {
        instance: this.instance,
        sentAt: performance.now(),
        holds: [...this.#held.keys()],
        leaving: this.#leaving,
      });
    } catch (error) {
      this.log.debug('upstreams.not-told', { error });
    }
  }
}
