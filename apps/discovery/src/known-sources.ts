import type { PayloadOf, SourceAddress, sourceBye, sourceHello } from '@portico/contracts';

type Hello = PayloadOf<typeof sourceHello>;

/** One source as its instances have announced it. A source that went and came again is another one. */
export interface KnownSource {
  readonly address: SourceAddress;
  readonly instances: Map<string, Hello>;
}

/** What an announcement means: `joined` is one more instance of a source that was there. */
export type Arrival = 'arrived' | 'reconfigured' | 'joined' | 'known';

/** Who has announced itself, and has not said bye. */
export class KnownSources {
  readonly #sources = new Map<SourceAddress, KnownSource>();

  hello(hello: Hello): Arrival {
    const known = this.#sources.get(hello.source);
    if (known === undefined) {
      this.#sources.set(hello.source, { address: hello.source, instances: new Map([[hello.instance, hello]]) });
      return 'arrived';
    }
    const before = configurationOf(known);
    const joined = !known.instances.has(hello.instance);
    known.instances.set(hello.instance, hello);
    if (configurationOf(known) !== before) return 'reconfigured';
    return joined ? 'joined' : 'known';
  }

  /** True when that was its last instance: the source is gone. */
  bye({ source, instance }: PayloadOf<typeof sourceBye>): boolean {
    const known = this.#sources.get(source);
    if (known === undefined || !known.instances.delete(instance) || known.instances.size > 0) return false;
    this.#sources.delete(source);
    return true;
  }

  get(source: SourceAddress): KnownSource | undefined {
    return this.#sources.get(source);
  }

  /** In order of address. */
  addresses(): SourceAddress[] {
    return [...this.#sources.keys()].sort();
  }
}

/** Milliseconds a source's first answer may take: whichever instance answers, it is given its time. */
export const connectTimeoutMs = ({ instances }: KnownSource): number =>
  Math.max(...[...instances.values()].map((hello) => hello.connectTimeoutMs));

/** All configurations in use: while instances are exchanged one by one there are two, in whatever order they speak. */
const configurationOf = ({ instances }: KnownSource): string =>
  [...new Set([...instances.values()].map(({ configuration }) => configuration))].sort().join('\n');
