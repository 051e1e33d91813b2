import type { Bus } from '@portico/bus';
import { catalogueChanged } from '@portico/contracts';
import type { SourceAddress } from '@portico/contracts';

/** Changes within so many milliseconds of the first are told together. */
const TOGETHER_MS = 50;

export interface Revisions {
  /** Of one source; undefined: nothing is published of it. */
  of(source: SourceAddress): string | undefined;
  overall(): string;
}

/** Tells the bus of changed catalogues: only of those that differ from what was last told, and not of each by itself. */
export class ChangeAnnouncer {
  readonly #told = new Map<SourceAddress, string>();
  readonly #touched = new Set<SourceAddress>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly revisions: Revisions,
  ) {}

  /** Something happened to a source; whether it changed anything is found out when it is told. */
  touch(source: SourceAddress): void {
    this.#touched.add(source);
    this.#timer ??= setTimeout(() => this.#tell(), TOGETHER_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#touched.clear();
  }

  #tell(): void {
    this.#timer = undefined;
    const sources = [...this.#touched].filter((source) => this.revisions.of(source) !== this.#told.get(source)).sort();
    this.#touched.clear();
    if (sources.length === 0) return;
    for (const source of sources) {
      const revision = this.revisions.of(source);
      if (revision === undefined) this.#told.delete(source);
      else this.#told.set(source, revision);
    }
    this.bus.tell(catalogueChanged, { revision: this.revisions.overall(), sources });
  }
}
