import { setTimeout as delay } from 'node:timers/promises';
import { CONTRACTS_VERSION, SourceAddress, SourceCatalogue } from '@portico/contracts';
import type { Log } from '@portico/observe';
import type { Documents, Json } from '@portico/storage';
import { z } from 'zod';
import { majorOf } from './other-versions.js';
import { StoreUse } from './store-use.js';

const CATALOGUES = 'catalogues';
/** Sources that said bye: what is remembered of them counts when they come again, and does not list them before. */
const GONE = 'catalogues-gone';
/** Where nothing can be read at the start, it is tried again after so long: a database may start after us. */
const LIST_AGAIN_MS = 2_000;

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

type Listed = Awaited<ReturnType<Documents['list']>>;

/**
 * The last known good catalogue of each source, beyond the life of this process. What can not be read is as if it were
 * not there; what can not be written is written with the next probe. Nothing here rejects.
 */
export class CatalogueDocuments {
  readonly #writing = new Map<SourceAddress, Promise<void>>();
  readonly #use: StoreUse;

  constructor(
    private readonly documents: Documents,
    private readonly log: Log,
  ) {
    this.#use = new StoreUse('documents', log);
  }

  /** All that is remembered, oldest first, as soon as it can be read; nothing once the signal aborts. */
  async list(signal: AbortSignal): Promise<RememberedCatalogue[]> {
    while (!signal.aborted) {
      const all = await this.#use
        .attempt(() => Promise.all([this.documents.list(CATALOGUES), this.documents.list(GONE)]))
        .catch(() => undefined);
      if (all) return this.#rememberedOf(...all);
      await delay(LIST_AGAIN_MS, undefined, { signal, ref: false }).catch(() => {});
    }
    return [];
  }

  /** What is remembered of one source; undefined: nothing that can be used; `away`: nobody can tell now. */
  async read(source: SourceAddress): Promise<SourceCatalogue | 'away' | undefined> {
    await this.#writing.get(source);
    let value: Json | undefined;
    try {
      value = await this.#use.attempt(() => this.documents.get(CATALOGUES, source));
    } catch {
      return 'away';
    }
    const remembered = this.#usable(source, value);
    if (!remembered) return undefined;
    const catalogue = SourceCatalogue.safeParse(remembered.catalogue);
    if (catalogue.success) return catalogue.data;
    this.log.warn('catalogue.ignored', { source, reason: 'malformed' });
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

  #rememberedOf(found: Listed, gone: Listed): RememberedCatalogue[] {
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
  }

  #usable(id: string, value: Json | undefined): z.infer<typeof Remembered> | undefined {
    if (value === undefined) return undefined;
    const remembered = Remembered.safeParse(value);
    if (remembered.success && majorOf(remembered.data.contracts) === majorOf(CONTRACTS_VERSION)) return remembered.data;
    this.log.warn('catalogue.ignored', { source: id, reason: remembered.success ? 'version' : 'malformed' });
    return undefined;
  }

  /** Writes of one source one after another, so that the last one asked for is the one that stays. */
  async #inTurn(source: SourceAddress, write: () => Promise<void>): Promise<boolean> {
    let written = true;
    const before = this.#writing.get(source) ?? Promise.resolve();
    const turn = before
      .then(() => this.#use.attempt(write))
      .catch(() => {
        written = false;
      });
    this.#writing.set(source, turn);
    await turn;
    if (this.#writing.get(source) === turn) this.#writing.delete(source);
    return written;
  }
}
