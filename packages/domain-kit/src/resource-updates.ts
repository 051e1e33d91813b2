import { type Bus } from '@portico/bus';
import { type SourceAddress, resourceUpdated } from '@portico/contracts';

/** Updates that come in a burst are told once each, after this. */
const REST_MS = 50;
/** Most that are held back: a burst of more is told of earlier, and none is lost. */
const MOST = 1_000;

/** A source's word that its resources change, however often it says so. */
export class ResourceUpdates {
  private readonly pending = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly source: SourceAddress,
  ) {}

  add(uri: string): void {
    this.pending.add(uri);
    if (this.pending.size >= MOST) this.tell();
    else this.timer ??= setTimeout(() => this.tell(), REST_MS);
  }

  close(): void {
    clearTimeout(this.timer);
    this.pending.clear();
  }

  private tell(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const told = [...this.pending];
    this.pending.clear();
    for (const uri of told) this.bus.tell(resourceUpdated, { source: this.source, uri });
  }
}
