import type { Bus } from '@portico/bus';
import { catalogueChanged, rollCall } from '@portico/contracts';
import type { PayloadOf, SourceAddress, sourceBye, sourceHeartbeat, sourceHello } from '@portico/contracts';
import type { Log } from '@portico/observe';
import type { Catalogue } from './catalogue.js';
import { SILENCE_MS } from './known-sources.js';
import type { KnownSources } from './known-sources.js';
import { OtherVersions } from './other-versions.js';

const TICK_MS = 250;
/** A tick that comes so late says that nothing else was heard either: the process was busy, or slept. */
const LATE_MS = 1_000;
/** For so long after its start there may be sources that have not been heard yet, though they are there. */
const SETTLING_MS = SILENCE_MS;
/** What was remembered and is not heard for so long after the start is not coming soon. */
const REMEMBERED_MS = 60_000;

export interface AttendanceOptions {
  readonly graceMs: number;
  /** Most silent sources that are still shown as unavailable. */
  readonly maxSilent: number;
  readonly log: Log;
}

/** Who is there: hears sources come and go, and notices those that fall silent. One timer for all of them. */
export class Attendance {
  readonly #begun = performance.now();
  readonly #gone = new Set<SourceAddress>();
  readonly #others: OtherVersions;
  readonly #timer: NodeJS.Timeout;
  #tickedAt = this.#begun;
  #calledAt = -Infinity;
  #settled = false;

  constructor(
    private readonly bus: Bus,
    private readonly known: KnownSources,
    private readonly catalogue: Catalogue,
    private readonly options: AttendanceOptions,
  ) {
    this.#others = new OtherVersions(options.log);
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  hello(hello: PayloadOf<typeof sourceHello>): void {
    if (this.#others.has(hello)) return;
    const { source } = hello;
    const arrival = this.known.hello(hello, performance.now());
    this.#gone.delete(source);
    if (arrival === 'arrived' || arrival === 'returned') return this.catalogue.arrived(source);
    this.catalogue.reconfigured(source);
    if (arrival === 'joined') this.catalogue.joined(source);
  }

  bye(bye: PayloadOf<typeof sourceBye>): void {
    const { source, instance } = bye;
    if (this.#others.knows(source, instance)) return this.#others.forget(source, instance);
    const wasLast = this.known.bye(bye);
    // Who asks may hold what this process has never heard of.
    if (!this.#settled && !this.known.get(source)) this.#gone.add(source);
    if (wasLast) this.catalogue.gone(source);
    else this.catalogue.reconfigured(source);
  }

  heartbeat(beat: PayloadOf<typeof sourceHeartbeat>): void {
    const now = performance.now();
    const sources = beat.sources.filter((source) => !this.#others.knows(source, beat.instance));
    if (this.known.heartbeat({ ...beat, sources }, now) || now - this.#calledAt < SILENCE_MS / 2) return;
    this.#calledAt = now;
    this.bus.tell(rollCall, {});
  }

  /** Sources that an earlier process knew are there until they have had time to say so. */
  remember(sources: readonly SourceAddress[]): void {
    for (const source of sources) {
      if (this.known.get(source)) continue;
      this.known.remember(source, performance.now());
      this.catalogue.unheard(source, false);
    }
  }

  /** Added to what is told of all sources while there may be more. */
  settling(): { settling?: { gone: SourceAddress[] } } {
    return this.#settled ? {} : { settling: { gone: [...this.#gone] } };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = performance.now();
    if (now - this.#tickedAt > LATE_MS) this.known.listenedAgain(now);
    this.#tickedAt = now;
    for (const { address, instances } of this.known.dropSilent(now)) {
      if (instances.size === 0) this.catalogue.silent(address);
      else this.catalogue.reconfigured(address);
    }
    this.#dropAbsent(now);
    this.catalogue.tick();
    if (this.#settled || now - this.#begun < SETTLING_MS) return;
    this.#settled = true;
    this.#gone.clear();
    // Who asked meanwhile asks again, and hears the whole.
    this.bus.tell(catalogueChanged, { revision: this.catalogue.overview(false).revision, sources: [] });
  }

  #dropAbsent(now: number): void {
    const silent = [...this.known.all()].filter(({ instances }) => instances.size === 0);
    for (const { address, heard, silentSince } of silent) {
      if (heard) continue;
      const forMs = now - silentSince;
      this.catalogue.unheard(address, forMs > SETTLING_MS);
      if (forMs > Math.min(REMEMBERED_MS, Math.max(this.options.graceMs, SETTLING_MS))) this.#drop(address);
    }
    const excess = silent.length - this.options.maxSilent;
    if (excess <= 0) return;
    silent.sort((a, b) => a.silentSince - b.silentSince);
    for (const { address } of silent.slice(0, excess)) this.#drop(address);
  }

  #drop(source: SourceAddress): void {
    this.known.forget(source);
    this.catalogue.gone(source);
  }
}
