import type { Bus } from '@portico/bus';
import { catalogueChanged } from '@portico/contracts';
import type { SourceAddress } from '@portico/contracts';

/** Changes within so many milliseconds of the first are told together. */
const TOGETHER_MS = 50;

export interface Faces {
  /** What of one source concerns those who publish it, as text that differs when it does; undefined: nothing. */
  of(source: SourceAddress): string | undefined;
  /** Revision of the whole. */
  overall(): string;
}

/** Tells the bus of changed catalogues: only of those that differ from what was last told, and not of each by itself. */
export class ChangeAnnouncer {
  readonly #told = new Map<SourceAddress, string>();
  readonly #touched = new Set<SourceAddress>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    private readonly bus: Bus,
    private readonly faces: Faces,
  ) {}

  /** Something happened to a source; whether it changed anything is found out when it is told. */
  touch(source: SourceAddress): void {
    if (this.#closed || (!this.#touched.has(source) && this.faces.of(source) === this.#told.get(source))) return;
    this.#touched.add(source);
    this.#timer ??= setTimeout(() => this.#tell(), TOGETHER_MS);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#touched.clear();
  }

  #tell(): void {
    this.#timer = undefined;
    const sources = [...this.#touched].filter((source) => this.faces.of(source) !== this.#told.get(source)).sort();
    this.#touched.clear();
    if (sources.length === 0) return;
    for (const source of sources) {
      const face = this.faces.of(source);
      if (face === undefined) this.#told.delete(source);
      else this.#told.set(source, face);
    }
    this.bus.tell(catalogueChanged, { revision: this.faces.overall(), sources });
  }
}
