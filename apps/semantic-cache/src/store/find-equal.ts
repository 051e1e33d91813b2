import { ToolResult } from '@portico/contracts';
import type { Database, QueryOptions } from '@portico/storage';
import { readAs, sqlHash, sqlText } from './as-tenant.js';

export interface FoundAnswer {
  readonly result: ToolResult;
  readonly ageMs: number;
}

export interface Standing {
  /** Grows with every invalidation of the tenant. */
  readonly epoch: number;
  /** Failed shadow checks have taken the tool's semantic lane. */
  readonly suspended: boolean;
  readonly found: FoundAnswer | undefined;
}

type Found = { epoch: string | null; suspended: boolean | null; age: number | null; payload: string | null };

/**
 * What is live, by the store's clock. An entry of the future was made before that clock was set back: how long it has lived
 * nobody can tell.
 */
export const LIVE = 'expires_at > now() AND created_at <= now()';

/** The tenant's live answer of a key, and where tenant and tool stand. Rejects with a StorageError. */
export const findEqual = async (
  database: Database,
  { tenant, tool, keyHash }: { readonly tenant: string; readonly tool: string; readonly keyHash: string },
  options?: QueryOptions,
): Promise<Standing> => {
  const { rows } = await readAs<Found>(
    database,
    tenant,
    `SELECT t.epoch, s.suspended, e.age, e.payload FROM (SELECT ${sqlText(tenant)} AS tenant) AS asked
     LEFT JOIN cache_tenants t ON t.tenant_id = asked.tenant
     LEFT JOIN cache_tools s ON s.tool_name = ${sqlText(tool)}
     LEFT JOIN (
       SELECT response_payload #>> '{}' AS payload, extract(epoch FROM now() - created_at)::float8 * 1000 AS age
       FROM semantic_cache
       WHERE tenant_id = ${sqlText(tenant)} AND key_hash = ${sqlHash(keyHash)} AND ${LIVE}
     ) AS e ON true`,
    options,
  );
  const { epoch, suspended, age, payload } = rows[0]!;
  const result = payload === null ? undefined : resultOf(payload);
  return {
    epoch: Number(epoch ?? 0),
    suspended: suspended ?? false,
    found: result && { result, ageMs: age ?? 0 },
  };
};

/** Nothing of a row that is none of ours: it must not make a cache that works look as if it failed. */
const resultOf = (payload: string): ToolResult | undefined => {
  try {
    return ToolResult.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
};
