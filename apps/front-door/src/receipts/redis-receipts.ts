import { Fault, Receipt } from '@portico/contracts';
import type { Log } from '@portico/observe';
import type { RedisScripts } from '@portico/storage';
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
    if (this.waiting.length > WAITING) this.lost += this.waiting.splice(0, this.waiting.length - WAITING).length;
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
    while (this.waiting.length > 0) {
      const [tenant, ...others] = new Set(this.waiting.map((receipt) => receipt.tenant));
      const batch = this.waiting.filter((receipt) => receipt.tenant === tenant);
      const rest = others.length === 0 ? [] : this.waiting.filter((receipt) => receipt.tenant !== tenant);
      this.waiting = rest;
      try {
        const lines = batch.slice(-KEPT_RECEIPTS).map((receipt) => JSON.stringify(receipt));
        await this.redis.run(APPEND, [keyOf(tenant ?? '')], [KEEP_MS, ...lines], 'write');
      } catch (error) {
        this.waiting = [...batch, ...this.waiting].slice(-WAITING);
        this.log.debug('receipts.not-kept', { waiting: this.waiting.length, lost: this.lost, error });
        return;
      }
    }
  }
}

const parsed = (json: unknown): unknown => {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
};
