import type { PayloadOf, SourceAddress, sourceBye, sourceHeartbeat, sourceHello } from '@portico/contracts';

type Hello = PayloadOf<typeof sourceHello>;

interface Instance {
  hello: Hello;
  heardAt: number;
}

/** One source as its instances have announced it. A source that went and came again is another one. */
export interface KnownSource {
  readonly address: SourceAddress;
  /** Those that have been heard within the silence limit; none: the source is silent. */
  readonly instances: Map<string, Instance>;
  /** Since when it is silent, on the clock that `KnownSources` is given. */
  silentSince: number;
  /** Whether it has ever been heard; one that has not is known from what was remembered. */
  heard: boolean;
}

/** What a hello means: `returned` is one that was silent, `joined` one more instance of a source that was there. */
export type Arrival = 'arrived' | 'returned' | 'joined' | 'known';

/** An instance that is silent for longer is taken for dead. */
export const SILENCE_MS = 3_000;

/** Who has announced itself, and has not said bye. Times are milliseconds on the caller's clock. */
export class KnownSources {
  readonly #sources = new Map<SourceAddress, KnownSource>();
  /** Nobody was heard before it, because nobody listened. */
  #listeningSince = 0;

  hello(hello: Hello, now: number): Arrival {
    const known = this.#sources.get(hello.source);
    const instance: Instance = { hello, heardAt: now };
    if (known === undefined) {
      const instances = new Map([[hello.instance, instance]]);
      this.#sources.set(hello.source, { address: hello.source, instances, silentSince: now, heard: true });
      return 'arrived';
    }
    const { size } = known.instances;
    known.instances.set(hello.instance, instance);
    known.heard = true;
    return size === 0 ? 'returned' : size < known.instances.size ? 'joined' : 'known';
  }

  /** A source that was there before this process, and has not been heard yet. */
  remember(address: SourceAddress, now: number): void {
    if (this.#sources.has(address)) return;
    this.#sources.set(address, { address, instances: new Map(), silentSince: now, heard: false });
  }

  /** True when that was its last instance, or it had none left: the source is gone. */
  bye({ source, instance }: PayloadOf<typeof sourceBye>): boolean {
    const known = this.#sources.get(source);
    if (known === undefined) return false;
    known.instances.delete(instance);
    return known.instances.size === 0 && this.#sources.delete(source);
  }

  /** Whether all that it speaks of is known; somebody unknown must say hello first. */
  heartbeat({ instance, sources }: PayloadOf<typeof sourceHeartbeat>, now: number): boolean {
    let allKnown = true;
    for (const source of sources) {
      const known = this.#sources.get(source)?.instances.get(instance);
      if (known) known.heardAt = now;
      else allKnown = false;
    }
    return allKnown;
  }

  /** Nothing was heard meanwhile because this process did not listen: nobody is blamed for it. */
  listenedAgain(now: number): void {
    this.#listeningSince = now;
  }

  /** Drops instances that have been silent for too long; returns the sources that lost one. */
  dropSilent(now: number): KnownSource[] {
    const losing = new Set<KnownSource>();
    for (const known of this.#sources.values()) {
      for (const [id, { heardAt }] of known.instances) {
        if (now - Math.max(heardAt, this.#listeningSince) <= SILENCE_MS) continue;
        known.instances.delete(id);
        known.silentSince = now;
        losing.add(known);
      }
    }
    return [...losing];
  }

  get(source: SourceAddress): KnownSource | undefined {
    return this.#sources.get(source);
  }

  forget(source: SourceAddress): void {
    this.#sources.delete(source);
  }

  /** In order of address. */
  addresses(): SourceAddress[] {
    return [...this.#sources.keys()].sort();
  }

  all(): IterableIterator<KnownSource> {
    return this.#sources.values();
  }
}

/** Milliseconds a source's first answer may take: whichever instance answers, it is given its time. */
export const connectTimeoutMs = ({ instances }: KnownSource): number =>
  Math.max(0, ...[...instances.values()].map(({ hello }) => hello.connectTimeoutMs));

/** All configurations in use: while instances are exchanged one by one there are two, in whatever order they speak. */
export const configurationOf = ({ instances }: KnownSource): string =>
  [...new Set([...instances.values()].map(({ hello }) => hello.configuration))].sort().join('\n');
