import type { Incoming } from '@portico/bus';
import type { CacheAnswer, CacheQuestion, CacheRefusal } from '@portico/contracts';
import type { QueryOptions } from '@portico/storage';
import type { CacheMetrics } from './cache-metrics.js';
import { MOST_TEXTS, unpackTexts, vectorOf, verifyTexts } from './kept-texts.js';
import { asFault } from './store/cache-database.js';
import type { CacheDatabase, OpenedStore } from './store/cache-database.js';
import { isKeepable, isKeepableTool } from './store/as-tenant.js';
import { findEqual } from './store/find-equal.js';
import type { FoundAnswer } from './store/find-equal.js';
import { findNear } from './store/find-near.js';
import type { UseCounts } from './store/use-counts.js';
import type { TextReader } from './text-reader.js';
import type { Verifier } from './verifier.js';

/** Texts with the model at a time: more would wait longer than anybody waits for the cache, and keep the others from their turn. */
const MOST_READING = 4;
/** What an answer needs from the moment that it is one's turn, its way back included, while there is much to do. */
const ANSWER_MS = 10;
/** Least that a statement gets: giving one up costs a connection. */
const LEAST_MS = 250;

export interface LookUpParts {
  readonly database: CacheDatabase;
  readonly reader: TextReader;
  readonly verifier: Verifier;
  readonly uses: UseCounts;
  readonly metrics: CacheMetrics;
}

type Asked = Pick<Incoming, 'remainingMs'>;
interface Near {
  readonly keyHash: string;
  readonly texts: readonly string[];
  readonly score: number;
}

/** Answers questions, equal ones first. */
export class LookUp {
  private reading = 0;

  constructor(private readonly parts: LookUpParts) {}

  /** A miss while the store starts. Throws BACKEND_UNAVAILABLE when it can not be asked, or has enough to do. */
  async answer(question: CacheQuestion, incoming: Asked): Promise<CacheAnswer> {
    const { database, metrics } = this.parts;
    const count = (outcome: string): void => metrics.lookUps.inc({ lane: 'exact', outcome });
    if (!isKeepable(question.tenant) || !isKeepableTool(question.tool))
      return (count('unkeepable'), { kind: 'miss', epoch: 0 });
    const began = performance.now();
    try {
      const store = database.ready();
      if (store === undefined) return (count('starting'), { kind: 'miss', epoch: 0 });
      const answer = await this.ask(store, question, incoming);
      const lane = answer.kind === 'hit' ? answer.lane : 'miss';
      metrics.lookUpSeconds.observe({ answer: lane }, (performance.now() - began) / 1_000);
      return answer;
    } catch (error) {
      count('failed');
      throw asFault(error);
    }
  }

  private async ask(store: OpenedStore, question: CacheQuestion, incoming: Asked): Promise<CacheAnswer> {
    const { uses, metrics } = this.parts;
    const { tenant, keyHash, similar } = question;
    const { epoch, suspended, found } = await inTurn(store, incoming, (limits) =>
      findEqual(store.database, question, limits),
    );
    metrics.lookUps.inc({ lane: 'exact', outcome: found ? 'hit' : 'miss' });
    if (found) {
      uses.note(tenant, keyHash);
      return { kind: 'hit', lane: 'exact', ...found, epoch };
    }
    if (similar === undefined) return { kind: 'miss', epoch };
    const count = (outcome: string): void => metrics.lookUps.inc({ lane: 'semantic', outcome });
    if (suspended || similar.texts.length === 0 || similar.texts.length > MOST_TEXTS) {
      count(suspended ? 'suspended' : 'skipped');
      return { kind: 'miss', epoch };
    }
    const near = await this.nearest(store, question, incoming).catch(() => 'failed' as const);
    if (near === undefined || typeof near === 'string') {
      count(near ?? 'miss');
      return { kind: 'miss', epoch, ...(isRefusal(near) && { refused: near }) };
    }
    // What it said may have been dropped meanwhile.
    const entry = await this.fetch(store, question, near.keyHash, incoming);
    count(entry ? 'hit' : 'miss');
    if (entry === undefined) return { kind: 'miss', epoch };
    uses.note(tenant, near.keyHash);
    return { kind: 'hit', lane: 'semantic', ...entry, epoch, similarity: near.score, texts: [...near.texts] };
  }

  private async nearest(
    store: OpenedStore,
    { tenant, keyHash, similar }: CacheQuestion,
    incoming: Asked,
  ): Promise<Near | CacheRefusal | 'skipped' | undefined> {
    const { structHash, texts, candidates, threshold, verify, guards } = similar!;
    if (incoming.remainingMs() <= 0) return 'skipped';
    if (this.reading >= MOST_READING) return 'skipped';
    this.reading += 1;
    const read = await this.parts.reader
      .read(keyHash, texts, incoming.remainingMs())
      .finally(() => (this.reading -= 1));
    if (read === undefined || incoming.remainingMs() <= 0) return 'skipped';
    if (read.cut) return this.refused('length');
    const wanted = { tenant, structHash, embedder: read.fingerprint, vector: vectorOf(read.texts) };
    // Of several texts the one vector says roughly what is near: each is held to `candidates` by itself.
    const least = texts.length === 1 ? candidates : 0;
    const search = store.structures.searchOf(tenant, structHash);
    const entries = await inTurn(store, incoming, (limits) =>
      findNear(store.database, { ...wanted, candidates: least }, search, limits),
    );
    let best: Near | undefined;
    let refusal: CacheRefusal | undefined;
    for (const { keyHash: near, freeText, tokenVectors, cosine } of entries) {
      try {
        const stored = unpackTexts(freeText, tokenVectors);
        const whole = { cosine, candidates, mode: { verify, guards } };
        const verdict = verifyTexts(read.texts, stored, whole, this.parts.verifier);
        if ('refused' in verdict) refusal ??= this.refused(verdict.refused);
        else if (verdict.score < threshold) refusal ??= this.refused('score');
        else if (best === undefined || verdict.score > best.score)
          best = { keyHash: near, texts: stored.map(({ text }) => text), score: Math.min(1, verdict.score) };
      } catch {
        // A guard or a score that fails serves nothing.
        refusal ??= this.refused('score');
      }
    }
    return best ?? refusal;
  }

  private refused(kind: CacheRefusal): CacheRefusal {
    this.parts.metrics.refusals.inc({ kind });
    return kind;
  }

  private async fetch(
    store: OpenedStore,
    { tenant, tool }: CacheQuestion,
    keyHash: string,
    incoming: Asked,
  ): Promise<FoundAnswer | undefined> {
    if (incoming.remainingMs() <= 0) return undefined;
    const asked = { tenant, tool, keyHash };
    return (await inTurn(store, incoming, (limits) => findEqual(store.database, asked, limits))).found;
  }
}

const isRefusal = (near: string | undefined): near is CacheRefusal =>
  near !== undefined && near !== 'skipped' && near !== 'failed';

/** Embedded, a statement that is given up takes the database with it: there none is. */
const inTurn = <T>(
  { database, turns }: OpenedStore,
  incoming: Asked,
  work: (limits: QueryOptions) => Promise<T>,
): Promise<T> =>
  turns.run(
    () => incoming.remainingMs() > ANSWER_MS,
    () => work(database.embedded ? {} : { timeoutMs: Math.max(LEAST_MS, incoming.remainingMs()) }),
  );
