import type { Database, Queries, QueryOptions, QueryResult, Row } from '@portico/storage';
import { ROLE } from './migrations.js';

/** Longest name of a tenant or tool, in bytes: both are parts of indexes. */
const NAME_BYTES = 1_024;

/** Whether PostgreSQL can keep a name so that no other name becomes the same. */
export const isKeepable = (name: string): boolean =>
  name !== '' && !name.includes('\u0000') && !/\p{Surrogate}/u.test(name) && Buffer.byteLength(name) <= NAME_BYTES;

/** Whether it is a tool whose answers may be kept: no pattern names one without a domain, so that nothing could drop them. */
export const isKeepableTool = (tool: string): boolean => isKeepable(tool) && tool.indexOf('.') > 0;

/** Any text as a part of a statement that no text can break out of: its bytes in hex. */
export const sqlText = (text: string): string =>
  `convert_from(decode('${Buffer.from(text, 'utf8').toString('hex')}', 'hex'), 'UTF8')`;

/** A hash as a literal that the planner can compare with the condition of an index. */
export const sqlHash = (hash: string): string => {
  if (!/^[0-9a-f]{1,64}$/.test(hash)) throw new TypeError('That is no hash.');
  return `'${hash}'`;
};

export const sqlNumber = (value: number): string => {
  if (!Number.isFinite(value)) throw new TypeError('That is no number.');
  return String(value);
};

export const vectorText = (vector: Float32Array): string => `[${vector.join(',')}]`;

export const sqlVector = (vector: Float32Array): string =>
  `'${vectorText(vector).replace(/[^0-9eE.,+\-[\]]/g, '')}'::vector`;

/**
 * Reads as one tenant in one message, which PostgreSQL takes as one transaction: who asks has milliseconds, and each message more is
 * one more. Everything that varies in `statement` comes from the functions above.
 */
export const readAs = <R extends Row>(
  database: Database,
  tenant: string,
  statement: string,
  options?: QueryOptions,
): Promise<QueryResult<R>> =>
  database.query<R>(
    `SET LOCAL ROLE ${ROLE}; SELECT set_config('portico.tenant', ${sqlText(tenant)}, true); ${statement}`,
    undefined,
    options,
  );

export interface TenantRow {
  readonly epoch: number;
  /** Of invalidations up to this one nobody knows any more what they named. */
  readonly pruned: number;
  readonly bytes: number;
}

/**
 * Writes as one tenant in one transaction. All writers lock the tenant's row first, so that an answer that is stored and an
 * invalidation come one after the other on every replica, and nobody waits for each other in a circle.
 */
export const writeAs = <T>(
  database: Database,
  tenant: string,
  work: (queries: Queries, before: TenantRow) => Promise<T>,
): Promise<T> =>
  database.transaction(async (queries) => {
    await queries.query(`SELECT set_config('role', $1, true), set_config('portico.tenant', $2, true)`, [ROLE, tenant]);
    const { rows } = await queries.query<Record<'epoch' | 'pruned' | 'bytes', string>>(
      `INSERT INTO cache_tenants (tenant_id) VALUES ($1)
       ON CONFLICT (tenant_id) DO UPDATE SET tenant_id = excluded.tenant_id RETURNING epoch, pruned, bytes`,
      [tenant],
    );
    const { epoch, pruned, bytes } = rows[0]!;
    return work(queries, { epoch: Number(epoch), pruned: Number(pruned), bytes: Number(bytes) });
  });
