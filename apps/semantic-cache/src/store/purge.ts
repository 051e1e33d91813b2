import type { Database } from '@portico/storage';
import { writeAs } from './as-tenant.js';

/** Rows of one transaction: so long somebody who stores or invalidates may wait. */
const ROWS = 1_000;
const TENANTS = 500;

/**
 * Deletes what has expired, of every tenant, forgets invalidations that no answer on its way can be older than (an hour), and counts
 * each tenant's bytes anew. Returns the rows deleted. Rejects with a StorageError.
 */
export const purge = async (database: Database, signal: AbortSignal): Promise<number> => {
  let purged = 0;
  for (let last = ''; ;) {
    // Who the tenants are is the owner's to know; of their entries it sees none.
    const { rows } = await database.query<{ tenant: string }>(
      `SELECT tenant_id AS tenant FROM cache_tenants WHERE tenant_id > $1 ORDER BY tenant_id LIMIT ${TENANTS}`,
      [last],
    );
    for (const { tenant } of rows) {
      for (let gone = ROWS; gone === ROWS; purged += gone) {
        signal.throwIfAborted();
        gone = await purgeSome(database, tenant);
      }
    }
    if (rows.length < TENANTS) return purged;
    last = rows.at(-1)!.tenant;
  }
};

const purgeSome = (database: Database, tenant: string): Promise<number> =>
  writeAs(database, tenant, async (queries) => {
    const { count } = await queries.query(
      `DELETE FROM semantic_cache WHERE tenant_id = $1 AND ctid = ANY(ARRAY(
         SELECT ctid FROM semantic_cache WHERE tenant_id = $1 AND expires_at <= now() LIMIT ${ROWS}))`,
      [tenant],
    );
    await queries.query(
      `WITH old AS (
         DELETE FROM cache_invalidations WHERE tenant_id = $1 AND at < now() - interval '1 hour' RETURNING epoch
       )
       UPDATE cache_tenants SET pruned = greatest(pruned, (SELECT max(epoch) FROM old)),
         bytes = (SELECT coalesce(sum(bytes), 0) FROM semantic_cache WHERE tenant_id = $1)
       WHERE tenant_id = $1`,
      [tenant],
    );
    return count;
  });
