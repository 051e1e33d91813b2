import type { Bus, Subscription } from '@portico/bus';
import { Fault, Stop, upstreamsAlive } from '@portico/contracts';
import type { PayloadOf } from '@portico/contracts';
import { watchdog } from '@portico/mcp-session';
import type { Log } from '@portico/observe';
import type { Pace } from './pace.js';
import type { Peer } from './peer.js';

type Beat = PayloadOf<typeof upstreamsAlive>;

/** What an instance tells of itself, and is told. */
export interface Presented {
  readonly instance: string;
  holds(): string[];
  /** Another has said something of itself, has gone or is taken for dead; or simply some time has passed. */
  changed(): void;
  /** Others may take us for dead soon. */
  unheard(): void;
}

/** Says that this instance lives and what it holds, hears the same of the others, and hears itself: who does is heard by them. */
export class Presence {
  /** The other instances that live. */
  readonly others = new Map<string, Peer>();
  #listening: Subscription | undefined;
  #beating: NodeJS.Timeout | undefined;
  #fence: NodeJS.Timeout | undefined;
  /** When we last said what we then heard ourselves; and since when without a gap. By `performance.now()`. */
  #heardUpTo = -Infinity;
  #heardSince: number | undefined;
  #leaving = false;

  constructor(
    private readonly bus: Bus,
    private readonly log: Log,
    private readonly pace: Pace,
    private readonly presented: Presented,
  ) {}

  async open(): Promise<void> {
    this.#listening = await this.bus.listen(upstreamsAlive, (beat) => this.#hear(beat));
    this.#beating = setInterval(() => this.#turn(), this.pace.beatMs);
    this.say();
  }

  get leaving(): boolean {
    return this.#leaving;
  }

  /** Whether by now we would have heard of everyone that lives, and are heard ourselves. */
  get isCertain(): boolean {
    const now = performance.now();
    const { silentMs, unheardMs } = this.pace;
    return this.#heardSince !== undefined && now - this.#heardSince >= silentMs && now - this.#heardUpTo <= unheardMs;
  }

  say(): void {
    try {
      this.bus.tell(upstreamsAlive, {
        instance: this.presented.instance,
        sentAt: performance.now(),
        holds: this.presented.holds(),
        leaving: this.#leaving,
      });
    } catch (error) {
      this.log.debug('upstreams.not-told', { error });
    }
  }

  /** From now on it says that it takes nothing more. */
  leave(): void {
    this.#leaving = true;
    this.say();
  }

  async close(): Promise<void> {
    this.#leaving = true;
    clearInterval(this.#beating);
    this.say();
    try {
      await this.#listening?.close();
    } finally {
      clearTimeout(this.#fence);
      watchdog.disarm();
    }
  }

  #hear(beat: Beat): void {
    if (beat.instance === this.presented.instance) return this.#hearOurselves(beat.sentAt);
    const known = this.others.get(beat.instance);
    if (beat.leaving && beat.holds.length === 0) {
      this.others.delete(beat.instance);
    } else {
      const { holds, leaving } = beat;
      const peer: Peer = known ?? { heardAt: 0, holds: new Set(), leaving, gone: new Stop() };
      peer.heardAt = performance.now();
      peer.holds = new Set(holds);
      peer.leaving = leaving;
      this.others.set(beat.instance, peer);
      // It has yet to hear what we hold.
      if (known === undefined) this.say();
    }
    this.presented.changed();
  }

  #hearOurselves(sentAt: number): void {
    const now = performance.now();
    const { freshMs, unheardMs } = this.pace;
    if (now - sentAt > unheardMs) return;
    this.#heardUpTo = sentAt;
    this.#heardSince ??= sentAt;
    // Should this process be suspended, what it runs ends all the same before another takes over.
    if (now - sentAt <= freshMs) watchdog.beat();
    clearTimeout(this.#fence);
    this.#fence = setTimeout(() => this.#unheard(), unheardMs - (now - sentAt));
  }

  #unheard(): void {
    this.#heardSince = undefined;
    this.presented.unheard();
  }

  #turn(): void {
    // After a pause of this process the timer of the fence may be late as well.
    if (this.#heardSince !== undefined && performance.now() - this.#heardUpTo > this.pace.unheardMs) this.#unheard();
    this.#missSilent();
    this.say();
    this.presented.changed();
  }

  /** Who does not hear himself can not tell that another is silent: it is he who may have missed it. */
  #missSilent(): void {
    if (this.#heardSince === undefined) return;
    const now = performance.now();
    for (const [instance, peer] of this.others) {
      if (now - Math.max(peer.heardAt, this.#heardSince) < this.pace.silentMs) continue;
      this.others.delete(instance);
      this.log.warn('upstreams.instance-lost', { instance, held: [...peer.holds] });
      peer.gone.abort(new Fault('BACKEND_UNAVAILABLE', 'The service that held this stopped.', { executed: 'unknown' }));
    }
  }
}
