import { Fault, Receipt } from '@portico/contracts';
import type { Log } from '@portico/observe';
import { type RedisScripts, StorageError } from '@portico/storage';
import { KEPT_RECEIPTS, type ReceiptStore } from './receipt-store.js';

/** A tenant that calls nothing for so long is forgotten. */
const KEEP_MS = 30 * 24 * 3_600_000;
/** Receipts that wait for a Redis that is away; beyond, the oldest are in the log alone. */
const WAITING = 10_000;

const APPEND = {
  name: 'append-receipts',
  lua: `for index = 2, #ARGV do redis.call('xadd', KEYS[1], 'MAXLEN', '=', ${KEPT_RECEIPTS}, '*', 'receipt', ARGV[index]) end
redis.call('pexpire', KEYS[1], ARGV[1])
return 1`,
};
const NEWEST = { name: 'newest-receipts', lua: `return redis.call('xrevrange', KEYS[1], '+', '-', 'COUNT', ARGV[1])` };

/** A name may hold anything; a key of ours tells its parts apart. */
const keyOf = (tenant: string): string => `portico:receipts:${encodeURIComponent(tenant)}`;

/** Receipts of all front doors in Redis: a capped stream for each tenant. */
export class RedisReceipts implements ReceiptStore {
  private waiting: Receipt[] = [];
  private lost = 0;
  private appending: Promise<void> | undefined;

  constructor(
    private readonly redis: RedisScripts,
    private readonly log: Log,
  ) {}

  append(receipts: readonly Receipt[]): Promise<void> {
    this.waiting.push(...receipts);
    this.cut();
    this.appending ??= this.write().finally(() => (this.appending = undefined));
    return this.appending;
  }

  async newest(tenant: string): Promise<readonly Receipt[]> {
    let entries: unknown;
    try {
      entries = await this.redis.run(NEWEST, [keyOf(tenant)], [KEPT_RECEIPTS], 'read');
    } catch (cause) {
      throw new Fault('BACKEND_UNAVAILABLE', 'The store of receipts does not answer.', { executed: 'no', cause });
    }
    // One that was appended again, because its answer was lost, is one.
    const seen = new Set<string>();
    return (entries as [string, string[]][]).flatMap(([, [, json]]) => {
      const receipt = Receipt.safeParse(parsed(json)).data;
      if (receipt === undefined || seen.has(`${receipt.front_door} ${receipt.seq}`)) return [];
      seen.add(`${receipt.front_door} ${receipt.seq}`);
      return [receipt];
    });
  }

  async close(): Promise<void> {
    await this.appending;
  }

  /** What can not be written now goes with the next. */
  private async write(): Promise<void> {
    const failed: Receipt[] = [];
    let reason: unknown;
    while (this.waiting.length > 0) {
      const batches = byTenant(this.waiting);
      this.waiting = [];
      for (const [tenant, batch] of batches) {
        // One tenant's stream that can not be written is no reason to keep the others waiting.
        const failure = reason === undefined || isRejected(reason) ? await this.put(tenant, batch) : reason;
        if (failure === undefined) continue;
        reason = failure;
        failed.push(...batch);
      }
    }
    if (reason === undefined) return;
    this.waiting = failed;
    this.cut();
    this.log.debug('receipts.not-kept', { waiting: this.waiting.length, lost: this.lost, error: reason });
  }

  /** Why it could not be done, if it could not. */
  private async put(tenant: string, batch: readonly Receipt[]): Promise<unknown> {
    const lines = batch.slice(-KEPT_RECEIPTS).map((receipt) => JSON.stringify(receipt));
    try {
      await this.redis.run(APPEND, [keyOf(tenant)], [KEEP_MS, ...lines], 'write');
      return undefined;
    } catch (error) {
      return error;
    }
  }

  private cut(): void {
    if (this.waiting.length > WAITING) this.lost += this.waiting.splice(0, this.waiting.length - WAITING).length;
  }
}

const byTenant = (receipts: readonly Receipt[]): Map<string, Receipt[]> => {
  const batches = new Map<string, Receipt[]>();
  for (const receipt of receipts) {
    const batch = batches.get(receipt.tenant);
    if (batch === undefined) batches.set(receipt.tenant, [receipt]);
    else batch.push(receipt);
  }
  return batches;
};

const isRejected = (error: unknown): boolean => error instanceof StorageError && error.code === 'rejected';

const parsed = (json: unknown): unknown => {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
};
