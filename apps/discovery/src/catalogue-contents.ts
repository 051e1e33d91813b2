import type { SourceAddress, SourceCatalogue } from '@portico/contracts';
import { snapshotOf } from '@portico/domain-kit';
import type { Snapshot } from '@portico/domain-kit';
import { singleFlight } from '@portico/resilience';
import type { Log } from '@portico/observe';
import type { CatalogueDocuments, RememberedCatalogue } from './catalogue-documents.js';

export interface ContentsOptions {
  /** Most catalogues in memory; at least 1. */
  readonly maxEntries: number;
  /** Most bytes of JSON of a page. */
  readonly pageLimit: number;
  readonly log: Log;
}

type Written = Pick<RememberedCatalogue, 'revision' | 'configuration' | 'at'>;

/**
 * The catalogues themselves. Those used last are in memory; every last known one is in a document, and is read again when
 * it is wanted. One that could not be written stays in memory whatever the limit.
 */
export class CatalogueContents {
  readonly #snapshots = new Map<SourceAddress, Snapshot>();
  /** What the document of a source has. */
  readonly #written = new Map<SourceAddress, Written>();
  /** Sources that are gone, and still have a document; who left first is first. */
  readonly #away = new Set<SourceAddress>();
  /** Sources whose newest catalogue is nowhere but in memory. */
  readonly #unwritten = new Set<SourceAddress>();
  readonly #share = singleFlight<SourceAddress, Snapshot | 'away' | undefined>();

  constructor(
    private readonly documents: CatalogueDocuments,
    private readonly options: ContentsOptions,
  ) {}

  /** What earlier processes left, oldest first, as soon as it can be read. */
  async remembered(signal: AbortSignal): Promise<RememberedCatalogue[]> {
    const all = await this.documents.list(signal);
    for (const { source, revision, configuration, at, gone } of all) {
      if (!this.#written.has(source)) {
        this.#written.set(source, { revision, configuration, at });
        if (gone) this.#away.add(source);
      } else if (gone && !this.#away.has(source)) {
        // It came, and was written, before this could be read.
        this.documents.markBack(source);
      }
    }
    this.#trimAway();
    return all.filter(({ source }) => this.#written.has(source));
  }

  snapshotOf(catalogue: Omit<SourceCatalogue, 'revision'>): Snapshot {
    return snapshotOf(catalogue, this.options.pageLimit, this.options.log);
  }

  /** Keeps it, and writes it down when it differs from what is written. */
  keep(source: SourceAddress, snapshot: Snapshot, of: { configuration: string; at: number }): void {
    this.#put(source, snapshot);
    const before = this.#written.get(source);
    if (before?.revision === snapshot.revision && before.configuration === of.configuration) return;
    const writing: Written = { ...of, revision: snapshot.revision };
    this.#written.set(source, writing);
    this.#unwritten.add(source);
    void this.documents.write(source, catalogueOfSnapshot(snapshot), of).then((written) => {
      // Followed by another one already: what becomes of that one counts.
      if (this.#written.get(source) !== writing) return;
      if (written) this.#unwritten.delete(source);
      else this.#written.delete(source);
      this.#trim();
    });
    this.#trim();
  }

  /** From memory, or from its document; undefined: there is none; `away`: nobody can tell now. */
  get(source: SourceAddress): Promise<Snapshot | 'away' | undefined> | Snapshot {
    const held = this.#snapshots.get(source);
    if (held) {
      this.#put(source, held);
      return held;
    }
    return this.#share(source, async () => {
      const catalogue = await this.documents.read(source);
      const newer = this.#snapshots.get(source);
      if (newer) return newer;
      if (!catalogue || catalogue === 'away') return catalogue;
      const snapshot = this.snapshotOf(catalogue);
      this.#put(source, snapshot);
      this.#trim();
      return snapshot;
    });
  }

  /** The source is here again; what is written of it. */
  back(source: SourceAddress): Written | undefined {
    if (this.#away.delete(source)) this.documents.markBack(source);
    return this.#written.get(source);
  }

  /** The source is gone for now: what is written of it is for when it comes again. */
  gone(source: SourceAddress): void {
    this.#snapshots.delete(source);
    this.#unwritten.delete(source);
    if (!this.#written.has(source)) return;
    this.#away.add(source);
    this.documents.markGone(source);
    this.#trimAway();
  }

  /** Catalogues in memory. */
  get size(): number {
    return this.#snapshots.size;
  }

  written(): Promise<void> {
    return this.documents.written();
  }

  /** Last in the map is used last. */
  #put(source: SourceAddress, snapshot: Snapshot): void {
    this.#snapshots.delete(source);
    this.#snapshots.set(source, snapshot);
  }

  #trim(): void {
    for (const source of this.#snapshots.keys()) {
      if (this.#snapshots.size <= this.options.maxEntries) return;
      if (!this.#unwritten.has(source)) this.#snapshots.delete(source);
    }
  }

  #trimAway(): void {
    for (const source of this.#away) {
      if (this.#away.size <= this.options.maxEntries) return;
      this.#away.delete(source);
      this.#written.delete(source);
      this.documents.forget(source);
    }
  }
}

/** What is written of it. */
export const catalogueOfSnapshot = ({ revision, identity, items }: Snapshot): SourceCatalogue => {
  const catalogue: SourceCatalogue = {
    revision,
    identity,
    tools: [],
    resources: [],
    resourceTemplates: [],
    prompts: [],
  };
  for (const { kind, value } of items) (catalogue[kind] as unknown[]).push(value);
  return catalogue;
};
