import { memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { eraseAnswers, invalidateAnswers, lookUpAnswer, storeAnswer } from '@portico/contracts';
import type { CacheAnswer, CacheQuestion, ToolResult } from '@portico/contracts';
import type { Embedder } from '@portico/embedding';
import { Metrics, createLog } from '@portico/observe';
import type { Database } from '@portico/storage';
import { SemanticCache } from '../src/semantic-cache.js';
import type { Verifier } from '../src/verifier.js';
import { PlacedEmbedder, answer, plainVerifier } from './questions.js';

export interface CacheOptions {
  readonly databaseUrl: string;
  readonly tenantBytes?: number;
  readonly embedder?: Embedder;
  readonly openEmbedder?: () => Promise<Embedder>;
  readonly verifier?: Verifier;
}

/** A running cache, its bus, and the words that tests use for asking it. */
export class RunningCache {
  private constructor(
    readonly bus: Bus,
    readonly service: SemanticCache,
    private readonly counted: Metrics,
    /** What it has logged. */
    readonly lines: readonly string[],
  ) {}

  static async start(options: CacheOptions): Promise<RunningCache> {
    const { databaseUrl, tenantBytes = 104_857_600, verifier = plainVerifier } = options;
    const embedder = options.embedder ?? new PlacedEmbedder();
    const metrics = new Metrics();
    const bus = memoryBus({ log: { info: () => {}, warn: () => {}, error: () => {} } });
    const lines: string[] = [];
    const log = createLog({ name: 'test', level: 'debug', format: 'json', write: (line) => void lines.push(line) });
    const openEmbedder = options.openEmbedder ?? (async () => embedder);
    const parts = { databaseUrl, tenantBytes, openEmbedder, verifier, metrics, mayHoldEntries: () => true };
    const service = new SemanticCache(bus, parts, log);
    await service.onApplicationBootstrap();
    return new RunningCache(bus, service, metrics, lines);
  }

  async lookUp(asked: CacheQuestion, deadlineMs = 20_000): Promise<CacheAnswer> {
    return this.bus.ask(lookUpAnswer, asked, { deadlineMs });
  }

  /** Stores as a front door does: after a look-up that missed. */
  async store(asked: CacheQuestion, result: ToolResult = answer('stored'), ttlSeconds = 300): Promise<boolean> {
    const { epoch } = await this.lookUp(asked);
    return this.storeAt(epoch, asked, result, ttlSeconds);
  }

  async storeAt(
    epoch: number,
    asked: CacheQuestion,
    result: ToolResult = answer('stored'),
    ttlSeconds = 300,
  ): Promise<boolean> {
    return (await this.bus.ask(storeAnswer, { question: asked, epoch, result, ttlSeconds }, { deadlineMs: 60_000 }))
      .stored;
  }

  invalidate(tenant: string, ...patterns: string[]) {
    return this.bus.ask(invalidateAnswers, { tenant, patterns }, { deadlineMs: 60_000 });
  }

  erase(tenant: string, tool?: string) {
    return this.bus.ask(eraseAnswers, { tenant, ...(tool !== undefined && { tool }) }, { deadlineMs: 60_000 });
  }

  /** What the metrics say of a series, or 0. */
  async metric(series: string): Promise<number> {
    const line = (await this.counted.text()).split('\n').find((one) => one.startsWith(`portico_${series} `));
    return Number(line?.slice(line.lastIndexOf(' ') + 1) ?? 0);
  }

  /** What has been stored is there at once, and the database has started. */
  async opened(): Promise<Database> {
    return (await this.service.database.open()).database;
  }

  async close(): Promise<void> {
    await this.service.onApplicationShutdown();
    await this.bus.close();
  }
}
