import type { OnApplicationShutdown } from '@nestjs/common';
import type { Bus } from '@portico/bus';
import {
  CUT_META_KEY,
  type CacheQuestion,
  type ServedFrom,
  type StopSignal,
  type ToolResult,
  cacheHoldings,
  storeAnswer,
} from '@portico/contracts';
import type { Log, Metrics } from '@portico/observe';
import { type McpRequest, isRecord } from '../mcp-request.js';
import type { PublishedTool } from '../published-tool.js';
import { CacheAsking } from './cache-asking.js';
import { CacheCounts, type ToolCounts } from './cache-counts.js';
import type { CacheConfig } from './cache-settings.js';
import { Flights } from './flights.js';
import { Invalidations, LONGEST_TTL_MS } from './invalidations.js';
import { isCacheable, questionOf } from './question.js';
import { ShadowChecks } from './shadow-checks.js';

/** `_meta` key by which a caller has a call go past the cache, or has its answer renewed. */
const CACHE_META_KEY = 'portico/cache';
/** Most answers that are on their way to the cache; further ones are not kept. */
const MOST_STORING = 256;

type CheckRun = (args: Record<string, unknown>) => Promise<ToolResult>;

export interface CacheStats {
  readonly entries: number;
  readonly bytes: number;
  readonly tools: readonly (ToolCounts & { readonly precision?: number })[];
}

/** A result, and where it came from. */
export interface Served {
  readonly result: ToolResult;
  readonly servedFrom: ServedFrom;
  readonly ageMs?: number;
  readonly similarity?: number;
  /** Of a semantic hit: the texts that its entry answered. */
  readonly texts?: readonly string[];
}

/** What the cache knows of a call: its answer, or how to go on without one. */
export type Found =
  | { readonly kind: 'hit'; readonly served: Served; readonly question: CacheQuestion }
  /** Whoever asks the same now shares one call; its answer is kept. */
  | { readonly kind: 'miss'; readonly question: CacheQuestion; readonly epoch: number; readonly shares: boolean }
  /** Nothing is looked up and nothing kept. */
  | { readonly kind: 'past' };

const PAST: Found = Object.freeze({ kind: 'past' });

/** The cache as the path of a call sees it: asked within its budget, and passed by whenever it does not answer. */
export class ResponseCache implements OnApplicationShutdown {
  private readonly flights = new Flights();
  private readonly checks: ShadowChecks;
  private readonly asking: CacheAsking;
  private storing = 0;

  constructor(
    private readonly bus: Bus,
    private readonly config: CacheConfig,
    private readonly invalidations: Invalidations,
    readonly counts: CacheCounts,
    private readonly log: Log,
  ) {
    this.asking = new CacheAsking(bus, config.budgetMs);
    this.checks = new ShadowChecks(bus, config.shadowShare, log);
  }

  static async open(bus: Bus, config: CacheConfig, metrics: Metrics, log: Log): Promise<ResponseCache> {
    const invalidations = await Invalidations.open(bus, { budgetMs: config.budgetMs, log });
    return new ResponseCache(bus, config, invalidations, new CacheCounts(metrics), log);
  }

  /** Looks the answer of a call up. Never rejects, and never takes longer than the budget. */
  async lookUp(tool: PublishedTool, args: Record<string, unknown>, request: McpRequest): Promise<Found> {
    const { config, counts } = this;
    if (!config.on || !isCacheable(tool) || isAnswerToQuestion(request)) return PAST;
    const wish = request.meta[CACHE_META_KEY];
    const { tenant } = request.principal;
    const pastBy = (): Found => {
      counts.count(tenant, tool.fullName, 'bypass');
      return PAST;
    };
    if (wish === 'bypass' || this.ttlSeconds(tool) === 0) return pastBy();
    if (this.invalidations.awaited(tenant, tool.fullName)) return pastBy();
    const question = questionOf(tool, args, request.principal, config);
    const answer = await this.asking.ask(question, request.signal);
    // An invalidation may have begun meanwhile: what was found before it is not given after it.
    if (answer === undefined || this.invalidations.awaited(tenant, tool.fullName)) return pastBy();
    // Whatever it was kept for: no answer is older than the policy says that is in force now.
    const outlived = answer.kind === 'hit' && answer.ageMs > this.ttlSeconds(tool) * 1_000;
    if (answer.kind === 'hit' && !outlived && wish !== 'refresh') {
      counts.count(tenant, tool.fullName, answer.lane);
      const { lane, result, ageMs, similarity, texts } = answer;
      const served = { result, servedFrom: lane, ageMs, ...(similarity !== undefined && { similarity, texts }) };
      return { kind: 'hit', served: served as Served, question };
    }
    if (answer.kind === 'hit' && !outlived) return { kind: 'miss', question, epoch: answer.epoch, shares: false };
    counts.count(tenant, tool.fullName, 'miss', answer.kind === 'miss' ? answer.refused : undefined);
    return { kind: 'miss', question, epoch: answer.epoch, shares: wish !== 'refresh' };
  }

  /**
   * Runs a call that the cache had no answer for, once for all who ask the same. An answer worked out since an invalidation
   * is no answer to who asks after it, so the epoch is part of what is asked.
   */
  async run(found: Found, request: McpRequest, run: (signal: StopSignal) => Promise<ToolResult>): Promise<Served> {
    if (found.kind !== 'miss' || !found.shares) return { result: await run(request.signal), servedFrom: 'backend' };
    const key = `${found.question.keyHash} ${found.epoch}`;
    const servedFrom = this.flights.has(key) ? 'coalesced' : 'backend';
    const result = await this.flights.join(key, request.signal, run);
    if (servedFrom === 'backend') return { result, servedFrom };
    // What a source asks back belongs to the conversation with the one who led.
    if (result.resultType === 'input_required') return { result: await run(request.signal), servedFrom: 'backend' };
    this.counts.count(request.principal.tenant, found.question.tool, 'coalesced');
    return { result, servedFrom };
  }

  /** Has an answer kept, if it may be; nobody waits for it. */
  keep(found: Found, tool: PublishedTool, { result, servedFrom }: Served): void {
    if (found.kind !== 'miss' || servedFrom !== 'backend' || !isWhole(result)) return;
    if (this.storing >= MOST_STORING || this.invalidations.awaited(found.question.tenant, tool.fullName)) return;
    this.storing += 1;
    const { question, epoch } = found;
    const ttlSeconds = Math.min(this.ttlSeconds(tool), LONGEST_TTL_MS / 1_000);
    this.bus
      .ask(storeAnswer, { question, epoch, result, ttlSeconds })
      .catch((error: unknown) => this.log.debug('cache.not-stored', { tool: tool.fullName, error }))
      .finally(() => (this.storing -= 1));
  }

  /** Has a share of the answers that were given for similar questions checked, behind them. */
  check(found: Found, tool: PublishedTool, args: Record<string, unknown>, run: CheckRun): void {
    if (found.kind !== 'hit' || found.served.servedFrom !== 'semantic') return;
    this.checks.begin(tool, args, found.question, found.served.texts ?? [], run);
  }

  /** What is held for a tenant, and what this front door had from it. Rejects with a Fault when the cache does not answer. */
  async statsOf(tenant: string): Promise<CacheStats> {
    const { entries, bytes, tools } = await this.bus.ask(cacheHoldings, { tenant });
    const precision = new Map(tools.map((held) => [held.tool, held.precision]));
    const counted = this.counts.ofTenant(tenant).map((counts) => {
      const known = precision.get(counts.tool);
      return { ...counts, ...(known !== undefined && { precision: known }) };
    });
    return { entries, bytes, tools: counted };
  }

  /** Drops what a call of the tool makes stale, whatever came of it: what timed out may have acted. Never rejects. */
  async invalidate(tool: PublishedTool, tenant: string): Promise<void> {
    const { invalidates = [], effect } = tool.policy;
    if (!this.config.on || effect === 'read' || invalidates.length === 0) return;
    await this.invalidations.drop(tenant, invalidates);
  }

  async onApplicationShutdown(): Promise<void> {
    this.asking.close();
    await this.invalidations.close();
  }

  private ttlSeconds({ policy }: PublishedTool): number {
    return policy.cache?.ttlSeconds ?? this.config.ttlSeconds;
  }
}

/** A call that answers a source's own question is a step of a conversation, and nobody else's. */
const isAnswerToQuestion = ({ params }: McpRequest): boolean =>
  params['inputResponses'] !== undefined || params['requestState'] !== undefined;

/** Whether a result is the whole of a success. */
const isWhole = (result: ToolResult): boolean =>
  result.isError !== true &&
  (result.resultType === undefined || result.resultType === 'complete') &&
  !(isRecord(result._meta) && result._meta[CUT_META_KEY] === true);
