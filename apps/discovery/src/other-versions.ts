import { CONTRACTS_VERSION } from '@portico/contracts';
import type { PayloadOf, SourceAddress, sourceHello } from '@portico/contracts';
import type { Log } from '@portico/observe';

/** Most instances that are remembered; who is forgotten is told of again. */
const MOST = 1_000;

/** Instances that speak contracts of another major version: they are not published, and each is told of in the log once. */
export class OtherVersions {
  readonly #heard = new Set<string>();

  constructor(private readonly log: Log) {}

  /** Whether that is one; of a later minor version it is not, since that has only grown. */
  has({ source, instance, contracts }: PayloadOf<typeof sourceHello>): boolean {
    const key = keyOf(source, instance);
    if (majorOf(contracts) === majorOf(CONTRACTS_VERSION)) {
      this.#heard.delete(key);
      return false;
    }
    if (this.#heard.has(key)) return true;
    const [oldest] = this.#heard;
    if (this.#heard.size >= MOST && oldest !== undefined) this.#heard.delete(oldest);
    this.#heard.add(key);
    this.log.warn('source.other-contracts', { source, contracts: contracts.slice(0, 20), taken: CONTRACTS_VERSION });
    return true;
  }

  knows(source: SourceAddress, instance: string): boolean {
    return this.#heard.has(keyOf(source, instance));
  }

  forget(source: SourceAddress, instance: string): void {
    this.#heard.delete(keyOf(source, instance));
  }
}

/** What does not change while contracts only grow. */
export const majorOf = (version: string): string | undefined => version.split('.')[0];

const keyOf = (source: SourceAddress, instance: string): string => `${source} ${instance}`;
