import type { Incoming } from '@portico/bus';
import type { RequestOf, storeAnswer } from '@portico/contracts';
import type { CacheMetrics } from './cache-metrics.js';
import { MOST_TEXTS, joinTexts, packTexts, vectorOf } from './kept-texts.js';
import { isKeepable, isKeepableTool } from './store/as-tenant.js';
import type { CacheDatabase } from './store/cache-database.js';
import { bytesOf, putAnswers } from './store/put-answers.js';
import type { KeptAnswer } from './store/put-answers.js';
import type { UseCounts } from './store/use-counts.js';
import type { TextReader } from './text-reader.js';
import type { Verifier } from './verifier.js';

/** Largest result that is kept. */
const MOST_BYTES = 256 * 1_024;
const MOST_WAITING = 512;
const MOST_WAITING_BYTES = 32 * 1_048_576;
/** Texts that the model reads, and rows that are written, before somebody who looks up has a turn. */
const BATCH = 8;
/** What the model gets for a batch: without it, an answer is kept for equal questions. */
const MODEL_MS = 5_000;

export interface StoreParts {
  readonly database: CacheDatabase;
  readonly reader: TextReader;
  readonly verifier: Verifier;
  readonly uses: UseCounts;
  readonly metrics: CacheMetrics;
  readonly quota: number;
}

type StoreRequest = RequestOf<typeof storeAnswer>;
type Asked = Pick<Incoming, 'remainingMs'>;
interface Waiting {
  readonly request: StoreRequest;
  readonly payload: string;
  readonly incoming: Asked;
  done(stored: boolean): void;
}

/** Answers on their way into the store: read and written a few at a time, while nobody waits. */
export class PendingAnswers {
  private waiting: Waiting[] = [];
  private bytes = 0;
  private working: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly parts: StoreParts) {}

  /** Whether it was stored; never rejects. */
  async keep(request: StoreRequest, incoming: Asked): Promise<boolean> {
    const payload = payloadOf(request);
    const refused = this.refusal(request, payload);
    if (refused !== undefined || payload === undefined) {
      this.parts.metrics.stores.inc({ outcome: refused ?? 'unfit' });
      return false;
    }
    return new Promise((done) => {
      this.waiting.push({ request, payload, incoming, done });
      this.bytes += payload.length;
      this.working ??= this.work();
    });
  }

  /** What waits is not stored; what is being written is. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { done } of this.waiting.splice(0)) done(false);
    await this.working;
  }

  private refusal({ question, ttlSeconds }: StoreRequest, payload: string | undefined): string | undefined {
    if (payload === undefined || !isKeepable(question.tenant) || !isKeepableTool(question.tool)) return 'unfit';
    if (ttlSeconds === 0) return 'no_ttl';
    if (Buffer.byteLength(payload) > MOST_BYTES) return 'too_large';
    const full = this.waiting.length >= MOST_WAITING || this.bytes + payload.length > MOST_WAITING_BYTES;
    return full || this.closed ? 'full' : undefined;
  }

  private async work(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH);
      for (const { payload } of batch) this.bytes -= payload.length;
      const live = batch.filter(({ incoming }) => incoming.remainingMs() > 0);
      for (const late of batch.filter((one) => !live.includes(one))) this.end(late, 'late');
      await this.write(live);
    }
    this.working = undefined;
  }

  private async write(batch: readonly Waiting[]): Promise<void> {
    // The model first: without it nothing but equal questions would ever be answered by what comes while it loads.
    if (batch.some(({ request }) => request.question.similar)) await this.parts.reader.opened(MODEL_MS);
    const read = await Promise.all(batch.map(async (one) => ({ one, answer: await this.prepare(one) })));
    const tenants = new Set(batch.map(({ request }) => request.question.tenant));
    for (const tenant of tenants) {
      await this.put(
        tenant,
        read.filter(({ one }) => one.request.question.tenant === tenant),
      );
    }
  }

  private async put(
    tenant: string,
    answers: readonly { readonly one: Waiting; readonly answer: KeptAnswer }[],
  ): Promise<void> {
    const { database, uses, metrics, quota } = this.parts;
    const began = performance.now();
    try {
      const store = await database.open();
      const kept = answers.map(({ answer }) => answer);
      const { stored, evicted } = await putAnswers(store.database, tenant, kept, { quota, uses });
      metrics.evictions.inc({}, evicted);
      for (const { one, answer } of answers) this.end(one, stored.has(answer) ? 'stored' : this.why(answer));
    } catch {
      // The database has told its log.
      for (const { one } of answers) this.end(one, 'failed');
    }
    metrics.storeSeconds.observe({}, (performance.now() - began) / 1_000);
  }

  private why(answer: KeptAnswer): string {
    return bytesOf(answer) > this.parts.quota ? 'too_large' : 'outdated';
  }

  private end({ done }: Waiting, outcome: string): void {
    this.parts.metrics.stores.inc({ outcome });
    done(outcome === 'stored');
  }

  /** As it will be kept: for equal questions alone if its texts can not be read. */
  private async prepare({ request, payload }: Waiting): Promise<KeptAnswer> {
    const { question, epoch, ttlSeconds } = request;
    const near = await this.near(question).catch(() => undefined);
    return { tool: question.tool, keyHash: question.keyHash, epoch, payload, ttlSeconds, near };
  }

  private async near({ keyHash, similar }: StoreRequest['question']): Promise<KeptAnswer['near']> {
    if (similar === undefined || similar.texts.length === 0 || similar.texts.length > MOST_TEXTS) return undefined;
    const { reader, verifier } = this.parts;
    const read = await reader.read(keyHash, similar.texts, MODEL_MS);
    reader.forget(keyHash);
    if (read === undefined || read.cut) return undefined;
    return {
      structHash: similar.structHash,
      freeText: joinTexts(similar.texts),
      vector: vectorOf(read.texts),
      tokenVectors: packTexts(read.texts, verifier),
      embedder: read.fingerprint,
    };
  }
}

/** The result as JSON; nothing of one that is an error, asks for more, or has no JSON. */
const payloadOf = ({ result }: StoreRequest): string | undefined => {
  if (result.isError === true || (result.resultType !== undefined && result.resultType !== 'complete'))
    return undefined;
  try {
    return JSON.stringify(result);
  } catch {
    return undefined;
  }
};
