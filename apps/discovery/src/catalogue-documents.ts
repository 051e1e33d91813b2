import { CONTRACTS_VERSION, SourceAddress, SourceCatalogue } from '@portico/contracts';
import type { Log } from '@portico/observe';
import type { Documents, Json } from '@portico/storage';
import { z } from 'zod';

const CATALOGUES = 'catalogues';
/** Sources that said bye: what is remembered of them counts when they come again, and does not list them before. */
const GONE = 'catalogues-gone';

/** Enough to know what there is, without reading all of it. */
const Remembered = z.looseObject({
  contracts: z.string(),
  configuration: z.string(),
  at: z.number(),
  revision: z.string(),
  catalogue: z.unknown(),
});

export interface RememberedCatalogue {
  readonly source: SourceAddress;
  readonly revision: string;
  readonly configuration: string;
  /** Milliseconds since the epoch at which this content was first fetched. */
  readonly at: number;
  readonly gone: boolean;
}

const majorOf = (version: string): string => version.split('.')[0]!;

/**
 * The last known good catalogue of each source, beyond the life of this process. What can not be read is as if it were
 * not there; what can not be written is told in the log, and is written again with the next change.
 */
export class CatalogueDocuments {
  readonly #writing = new Map<SourceAddress, Promise<void>>();

  constructor(
    private readonly documents: Documents,
    private readonly log: Log,
  ) {}

  /** All that is remembered, oldest first. Never rejects. */
  async list(): Promise<RememberedCatalogue[]> {
    try {
      const [found, gone] = await Promise.all([this.documents.list(CATALOGUES), this.documents.list(GONE)]);
      const isGone = new Set(gone.map(({ id }) => id));
      return found
        .flatMap(({ id, value }): RememberedCatalogue[] => {
          const source = SourceAddress.safeParse(id);
          const remembered = this.#usable(id, value);
          if (!source.success || !remembered) return [];
          const { revision, configuration, at } = remembered;
          return [{ source: source.data, revision, configuration, at, gone: isGone.has(id) }];
        })
        .sort((a, b) => a.at - b.at);
    } catch (error) {
      this.log.warn('discovery.nothing-remembered', { error });
      return [];
    }
  }

  /** What is remembered of one source; undefined: nothing that can be used. Never rejects. */
  async read(source: SourceAddress): Promise<SourceCatalogue | undefined> {
    try {
      await this.#writing.get(source);
      const remembered = this.#usable(source, await this.documents.get(CATALOGUES, source));
      if (!remembered) return undefined;
      const catalogue = SourceCatalogue.safeParse(remembered.catalogue);
      if (catalogue.success) return catalogue.data;
      this.log.warn('discovery.document-ignored', { source, reason: 'malformed' });
    } catch (error) {
      this.log.warn('discovery.document-not-read', { source, error });
    }
    return undefined;
  }

  /** Whether it was written. */
  write(
    source: SourceAddress,
    catalogue: SourceCatalogue,
    of: { configuration: string; at: number },
  ): Promise<boolean> {
    const { revision } = catalogue;
    const value = { contracts: CONTRACTS_VERSION, ...of, revision, catalogue } as unknown as Json;
    return this.#inTurn(source, async () => this.documents.put(CATALOGUES, source, value));
  }

  markGone(source: SourceAddress): void {
    void this.#inTurn(source, () => this.documents.put(GONE, source, true));
  }

  markBack(source: SourceAddress): void {
    void this.#inTurn(source, async () => void (await this.documents.delete(GONE, source)));
  }

  forget(source: SourceAddress): void {
    void this.#inTurn(source, async () => {
      await this.documents.delete(CATALOGUES, source);
      await this.documents.delete(GONE, source);
    });
  }

  /** Resolves when nothing is being written. */
  async written(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  #usable(id: string, value: Json | undefined): z.infer<typeof Remembered> | undefined {
    if (value === undefined) return undefined;
    const remembered = Remembered.safeParse(value);
    if (remembered.success && majorOf(remembered.data.contracts) === majorOf(CONTRACTS_VERSION)) return remembered.data;
    this.log.warn('discovery.document-ignored', { source: id, reason: remembered.success ? 'version' : 'malformed' });
    return undefined;
  }

  /** Writes of one source one after another, so that the last one asked for is the one that stays. */
  async #inTurn(source: SourceAddress, write: () => Promise<void>): Promise<boolean> {
    let written = true;
    const turn = (this.#writing.get(source) ?? Promise.resolve()).then(write).catch((error: unknown) => {
      written = false;
      this.log.warn('discovery.document-not-written', { source, error });
    });
    this.#writing.set(source, turn);
    await turn;
    if (this.#writing.get(source) === turn) this.#writing.delete(source);
    return written;
  }
}
