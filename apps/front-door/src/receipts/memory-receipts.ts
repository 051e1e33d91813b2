import type { Bus, Subscription } from '@portico/bus';
import { type Receipt, receiptsWritten } from '@portico/contracts';
import { KEPT_RECEIPTS, type ReceiptStore } from './receipt-store.js';

/** Most tenants whose receipts are remembered, and most receipts of all; beyond, the tenant that was longest silent is forgotten. */
const TENANTS = 1_000;
const RECEIPTS = 100_000;

interface Kept {
  readonly receipts: Receipt[];
  /** By what this process kept, not by the receipts' own times: other front doors have other clocks. */
  lastAt: number;
}

/** Receipts in memory: this front door's own, and those of the others as they tell them. */
export class MemoryReceipts implements ReceiptStore {
  private readonly tenants = new Map<string, Kept>();
  private size = 0;
  private count = 0;
  private subscription: Subscription | undefined;

  /** `own` is the front door whose receipts come by `append`. */
  static async open(bus: Bus, own: string): Promise<MemoryReceipts> {
    const store = new MemoryReceipts();
    store.subscription = await bus.listen(receiptsWritten, ({ receipts }) => {
      if (receipts[0]?.front_door !== own) store.keep(receipts);
    });
    return store;
  }

  append(receipts: readonly Receipt[]): Promise<void> {
    this.keep(receipts);
    return Promise.resolve();
  }

  newest(tenant: string): Promise<readonly Receipt[]> {
    return Promise.resolve((this.tenants.get(tenant)?.receipts ?? []).slice(-KEPT_RECEIPTS).reverse());
  }

  async close(): Promise<void> {
    await this.subscription?.close();
  }

  private keep(receipts: readonly Receipt[]): void {
    for (const receipt of receipts) {
      const kept = this.tenants.get(receipt.tenant) ?? this.begin(receipt.tenant);
      kept.lastAt = ++this.count;
      kept.receipts.push(receipt);
      this.size += 1;
      // Cut back in strides: taking one from the front of a list for each that is added would move them all each time.
      if (kept.receipts.length >= 2 * KEPT_RECEIPTS)
        this.size -= kept.receipts.splice(0, kept.receipts.length - KEPT_RECEIPTS).length;
      if (this.size > RECEIPTS || this.tenants.size > TENANTS) this.forgetLongestSilent();
    }
  }

  private begin(tenant: string): Kept {
    const kept: Kept = { receipts: [], lastAt: 0 };
    this.tenants.set(tenant, kept);
    return kept;
  }

  private forgetLongestSilent(): void {
    let silent: [string, Kept] | undefined;
    for (const entry of this.tenants) if (silent === undefined || entry[1].lastAt < silent[1].lastAt) silent = entry;
    if (silent === undefined) return;
    this.tenants.delete(silent[0]);
    this.size -= silent[1].receipts.length;
  }
}
