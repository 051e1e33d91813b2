import { DotGlob } from '@portico/contracts';
import type { Database, Queries } from '@portico/storage';
import { isKeepable, writeAs } from './as-tenant.js';

export interface Dropped {
  readonly erased: number;
  readonly epoch: number;
}

/**
 * Deletes a tenant's answers of the tools that patterns name, and lets none in that was worked out before. When it resolves nothing of
 * them is served any more, by any replica. Rejects with a StorageError.
 */
export const invalidate = (database: Database, tenant: string, patterns: readonly string[]): Promise<Dropped> =>
  writeAs(database, tenant, async (queries) => {
    // What can not be kept names no tool that could be.
    const names = [...new Set(patterns)].filter(isKeepable);
    const epoch = await nextEpoch(queries, tenant, names);
    const parsed = names.map((pattern) => new DotGlob(pattern));
    const tools = (await toolsOf(queries, tenant)).filter((tool) => parsed.some((pattern) => pattern.matches(tool)));
    return { erased: tools.length === 0 ? 0 : await deleteOf(queries, tenant, tools), epoch };
  });

/** Deletes a tenant's answers, of one tool or all. Rejects with a StorageError. */
export const erase = (database: Database, tenant: string, tool?: string): Promise<Dropped> =>
  writeAs(database, tenant, async (queries) => {
    // A name with a star names more: what is on its way of those is not kept either.
    const epoch = await nextEpoch(queries, tenant, [tool ?? '**']);
    return { erased: await deleteOf(queries, tenant, tool === undefined ? undefined : [tool]), epoch };
  });

const nextEpoch = async (queries: Queries, tenant: string, patterns: readonly string[]): Promise<number> => {
  const { rows } = await queries.query<{ epoch: string }>(
    'UPDATE cache_tenants SET epoch = epoch + 1 WHERE tenant_id = $1 RETURNING epoch',
    [tenant],
  );
  const epoch = Number(rows[0]!.epoch);
  await queries.query(
    `INSERT INTO cache_invalidations (tenant_id, pattern, epoch, at) SELECT $1, p, $3, clock_timestamp() FROM unnest($2::text[]) AS p
     ON CONFLICT (tenant_id, pattern) DO UPDATE SET epoch = excluded.epoch, at = excluded.at`,
    [tenant, patterns, epoch],
  );
  return epoch;
};

/** Its distinct tools, by one step in the index each. */
const toolsOf = async (queries: Queries, tenant: string): Promise<readonly string[]> => {
  const { rows } = await queries.query<{ tool: string }>(
    `WITH RECURSIVE tools AS (
       (SELECT tool_name FROM semantic_cache WHERE tenant_id = $1 ORDER BY tool_name LIMIT 1)
       UNION ALL
       SELECT (SELECT c.tool_name FROM semantic_cache c WHERE c.tenant_id = $1 AND c.tool_name > tools.tool_name
               ORDER BY c.tool_name LIMIT 1)
       FROM tools WHERE tools.tool_name IS NOT NULL
     )
     SELECT tool_name AS tool FROM tools WHERE tool_name IS NOT NULL`,
    [tenant],
  );
  return rows.map(({ tool }) => tool);
};

const deleteOf = async (queries: Queries, tenant: string, tools: readonly string[] | undefined): Promise<number> => {
  const { rows } = await queries.query<{ erased: number }>(
    `WITH gone AS (
       DELETE FROM semantic_cache WHERE tenant_id = $1 AND ($2::text[] IS NULL OR tool_name = ANY($2)) RETURNING bytes
     ), counted AS (
       UPDATE cache_tenants SET bytes = greatest(0, bytes - (SELECT coalesce(sum(bytes), 0) FROM gone)) WHERE tenant_id = $1
     )
     SELECT count(*)::int AS erased FROM gone`,
    [tenant, tools ?? null],
  );
  return rows[0]!.erased;
};
