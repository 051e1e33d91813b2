import type { Bus, Handler, Subscription } from '@portico/bus';
import {
  Fault,
  cacheHoldings,
  eraseAnswers,
  invalidateAnswers,
  lookUpAnswer,
  reportShadowCheck,
  restoreTool,
  storeAnswer,
} from '@portico/contracts';
import type { Call } from '@portico/contracts';
import type { Embedder } from '@portico/embedding';
import type { Log, Metrics } from '@portico/observe';
import { cacheMetrics } from './cache-metrics.js';
import type { CacheMetrics } from './cache-metrics.js';
import { LazyEmbedder } from './lazy-embedder.js';
import { LookUp } from './look-up.js';
import { PendingAnswers } from './pending-answers.js';
import { isKeepable } from './store/as-tenant.js';
import { CacheDatabase, asFault } from './store/cache-database.js';
import { erase, invalidate } from './store/drop-answers.js';
import { holdingsOf } from './store/holdings.js';
import { noteCheck, restore } from './store/tool-checks.js';
import { UseCounts } from './store/use-counts.js';
import { TextReader } from './text-reader.js';
import { Upkeep } from './upkeep.js';
import type { Verifier } from './verifier.js';

export interface SemanticCacheParts {
  readonly databaseUrl: string;
  /** Bytes a tenant may have. */
  readonly tenantBytes: number;
  openEmbedder(): Promise<Embedder>;
  readonly verifier: Verifier;
  readonly metrics: Metrics;
  mayHoldEntries(): boolean;
}

/** The response cache on the bus: seven calls, one store. */
export class SemanticCache {
  private readonly served: Subscription[] = [];
  readonly database: CacheDatabase;
  readonly upkeep: Upkeep;
  private readonly embedder: LazyEmbedder;
  private readonly lookUp: LookUp;
  private readonly pending: PendingAnswers;
  private readonly metrics: CacheMetrics;

  constructor(
    private readonly bus: Bus,
    parts: SemanticCacheParts,
    private readonly log: Log,
  ) {
    const { verifier, tenantBytes: quota, mayHoldEntries } = parts;
    const metrics = (this.metrics = cacheMetrics(parts.metrics));
    const database = (this.database = new CacheDatabase(parts.databaseUrl, log));
    this.embedder = new LazyEmbedder(() => parts.openEmbedder(), log);
    const reader = new TextReader(this.embedder, metrics.embedSeconds);
    const uses = new UseCounts();
    this.lookUp = new LookUp({ database, reader, verifier, uses, metrics });
    this.pending = new PendingAnswers({ database, reader, verifier, uses, metrics, quota });
    this.upkeep = new Upkeep({ database, uses, metrics, log, mayHoldEntries });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.serve(lookUpAnswer, (question, incoming) => this.lookUp.answer(question, incoming));
    await this.serve(storeAnswer, async (request, incoming) => ({
      stored: await this.pending.keep(request, incoming),
    }));
    await this.serve(invalidateAnswers, async ({ tenant, patterns }) => {
      if (!isKeepable(tenant)) return { erased: 0, epoch: 0 };
      const { database } = await this.database.open();
      const dropped = await invalidate(database, tenant, patterns);
      this.metrics.erased.inc({ why: 'invalidated' }, dropped.erased);
      return dropped;
    });
    await this.serve(eraseAnswers, ({ tenant, tool }) => this.erase(tenant, tool));
    await this.serve(restoreTool, async ({ tool }) => {
      if (!isKeepable(tool)) return { restored: false };
      const restored = await restore((await this.database.open()).database, tool);
      if (restored) this.metrics.precision.delete(tool);
      if (restored) this.log.info('cache.tool-restored', { tool });
      return { restored };
    });
    await this.serve(reportShadowCheck, async ({ tool, agreed }) => {
      if (!isKeepable(tool)) return {};
      const { precision, suspended } = await noteCheck((await this.database.open()).database, tool, agreed);
      this.metrics.precision.set(tool, precision);
      if (suspended && !agreed) this.log.warn('cache.tool-suspended', { tool, precision });
      return {};
    });
    await this.serve(cacheHoldings, async ({ tenant }) => {
      const store = isKeepable(tenant) ? this.database.ready() : undefined;
      return store === undefined ? { entries: 0, bytes: 0, tools: [] } : holdingsOf(store.database, tenant);
    });
    this.upkeep.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.served.map((subscription) => subscription.close()));
    await this.pending.close();
    await this.upkeep.close();
    await this.embedder.close();
    await this.database.close();
  }

  private async erase(tenant: string, tool: string | undefined): Promise<{ erased: number }> {
    if (!isKeepable(tenant) || (tool !== undefined && !isKeepable(tool))) return { erased: 0 };
    const store = await this.database.open();
    const { erased } = await erase(store.database, tenant, tool);
    this.metrics.erased.inc({ why: 'erased' }, erased);
    this.log.info('cache.erased', { tenant, tool, erased });
    await this.upkeep.vacuum(store).catch((error: unknown) => {
      this.log.warn('cache.vacuum-failed', { reason: (error as Error).message });
    });
    return { erased };
  }

  private async serve<C extends Call>(call: C, handler: Handler<C>): Promise<void> {
    const checked: Handler<C> = async (request, incoming) => {
      if (incoming.remainingMs() <= 0) throw new Fault('TIMEOUT', 'It came too late.', { executed: 'no' });
      try {
        return await handler(request, incoming);
      } catch (error) {
        throw asFault(error);
      }
    };
    this.served.push(await this.bus.serve(call, checked));
  }
}
