import type { Queries } from '@portico/storage';

/** Entries whose uses are remembered until they are written down; of more the uses are forgotten. */
const MOST_ENTRIES = 20_000;

/** Which entries have answered since that was last written down: nobody who asks waits for it. */
export class UseCounts {
  private tenants = new Map<string, Map<string, number>>();
  private entries = 0;

  note(tenant: string, keyHash: string): void {
    let keys = this.tenants.get(tenant);
    if (keys === undefined) {
      keys = new Map<string, number>();
      this.tenants.set(tenant, keys);
    }
    const before = keys.get(keyHash);
    if (before === undefined) {
      if (this.entries >= MOST_ENTRIES) return;
      this.entries += 1;
    }
    keys.set(keyHash, (before ?? 0) + 1);
  }

  takeOf(tenant: string): ReadonlyMap<string, number> {
    const keys = this.tenants.get(tenant) ?? new Map<string, number>();
    this.tenants.delete(tenant);
    this.entries -= keys.size;
    return keys;
  }

  waiting(): readonly string[] {
    return [...this.tenants.keys()];
  }
}

/** Within the tenant's own transaction. */
export const recordUses = async (
  queries: Queries,
  tenant: string,
  uses: ReadonlyMap<string, number>,
): Promise<void> => {
  if (uses.size === 0) return;
  await queries.query(
    `UPDATE semantic_cache c SET hits = c.hits + used.n, last_used_at = now()
     FROM unnest($2::text[], $3::int[]) AS used (key, n) WHERE c.tenant_id = $1 AND c.key_hash = used.key`,
    [tenant, [...uses.keys()], [...uses.values()]],
  );
};
