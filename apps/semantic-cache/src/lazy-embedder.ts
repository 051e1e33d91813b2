import type { Embedder } from '@portico/embedding';
import type { Log } from '@portico/observe';

const RETRY_MS = 60_000;

/** The model, loaded when a text is first to be read. */
export class LazyEmbedder {
  private opened: Embedder | undefined;
  private opening: Promise<Embedder | undefined> | undefined;
  private retryAt = 0;
  private closed = false;

  constructor(
    private readonly load: () => Promise<Embedder>,
    private readonly log: Log,
  ) {}

  /** It, or nothing while it loads, which this begins, or can not be loaded. */
  ready(): Embedder | undefined {
    if (this.opened === undefined) void this.open();
    return this.opened;
  }

  /** It, once it is there; nothing when it can not be loaded, which is tried again after a minute. */
  async open(): Promise<Embedder | undefined> {
    if (this.opened || this.closed || (this.opening === undefined && performance.now() < this.retryAt))
      return this.opened;
    this.opening ??= this.start().finally(() => (this.opening = undefined));
    return this.opening;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.opening;
    const embedder = this.opened;
    this.opened = undefined;
    await embedder?.close();
  }

  private async start(): Promise<Embedder | undefined> {
    try {
      this.opened = await this.load();
    } catch (error) {
      this.retryAt = performance.now() + RETRY_MS;
      this.log.warn('cache.no-embedder', { reason: (error as Error).message });
    }
    return this.opened;
  }
}
