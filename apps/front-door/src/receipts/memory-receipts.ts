import type { Bus, Subscription } from '@portico/bus';
import { type Receipt, receiptsWritten } from '@portico/contracts';
import { KEPT_RECEIPTS, type ReceiptStore } from './receipt-store.js';

/** Most tenants whose receipts are remembered; beyond, the one that was longest silent is forgotten. */
const TENANTS = 1_000;

/** Receipts in memory: this front door's own, and those of the others as they tell them. */
export class MemoryReceipts implements ReceiptStore {
  private readonly tenants = new Map<string, Receipt[]>();
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
    return Promise.resolve((this.tenants.get(tenant) ?? []).slice(-KEPT_RECEIPTS).reverse());
  }

  async close(): Promise<void> {
    await this.subscription?.close();
  }

  private keep(receipts: readonly Receipt[]): void {
    for (const receipt of receipts) {
      const kept = this.tenants.get(receipt.tenant) ?? this.begin(receipt.tenant);
      kept.push(receipt);
      // Cut back in strides: taking one from the front of a list for each that is added would move them all each time.
      if (kept.length >= 2 * KEPT_RECEIPTS) kept.splice(0, kept.length - KEPT_RECEIPTS);
    }
  }

  private begin(tenant: string): Receipt[] {
    const kept: Receipt[] = [];
    this.tenants.set(tenant, kept);
    if (this.tenants.size > TENANTS) this.tenants.delete(this.longestSilent());
    return kept;
  }

  private longestSilent(): string {
    let longest = { tenant: '', at: '\uffff' };
    for (const [tenant, kept] of this.tenants) {
      const at = kept.at(-1)?.at ?? '\uffff';
      if (at < longest.at) longest = { tenant, at };
    }
    return longest.tenant;
  }
}
