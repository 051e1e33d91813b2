import type { Database, QueryOptions } from '@portico/storage';
import { readAs, sqlText } from './as-tenant.js';
import { LIVE } from './find-equal.js';
import { precisionOf } from './tool-checks.js';

export interface Holdings {
  readonly entries: number;
  readonly bytes: number;
  readonly tools: { readonly tool: string; readonly precision?: number }[];
}

type Held = { tool: string; entries: number; bytes: number; recent: string | null };

/** What lives of a tenant, and how its tools did in shadow checks. Rejects with a StorageError. */
export const holdingsOf = async (database: Database, tenant: string, options?: QueryOptions): Promise<Holdings> => {
  const { rows } = await readAs<Held>(
    database,
    tenant,
    `SELECT c.tool_name AS tool, count(*)::int AS entries, sum(c.bytes)::float8 AS bytes, min(s.recent) AS recent
     FROM semantic_cache c LEFT JOIN cache_tools s ON s.tool_name = c.tool_name
     WHERE c.tenant_id = ${sqlText(tenant)} AND ${LIVE} GROUP BY c.tool_name ORDER BY c.tool_name`,
    options,
  );
  return {
    entries: rows.reduce((sum, { entries }) => sum + entries, 0),
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    tools: rows.map(({ tool, recent }) => ({ tool, ...(recent ? { precision: precisionOf(recent) } : {}) })),
  };
};
