import { DotGlob } from '@portico/contracts';
import type { Database, Queries } from '@portico/storage';
import { vectorText, writeAs } from './as-tenant.js';
import type { TenantRow } from './as-tenant.js';
import { recordUses } from './use-counts.js';
import type { UseCounts } from './use-counts.js';

export interface KeptAnswer {
  readonly tool: string;
  readonly keyHash: string;
  /** Of the look-up that it was not found by. */
  readonly epoch: number;
  /** The result as JSON. */
  readonly payload: string;
  readonly ttlSeconds: number;
  /** Absent: it answers equal questions alone. */
  readonly near?:
    | {
        readonly structHash: string;
        readonly freeText: string;
        readonly vector: Float32Array;
        readonly tokenVectors: Uint8Array;
        readonly embedder: string;
      }
    | undefined;
}

export interface Put {
  readonly stored: ReadonlySet<KeptAnswer>;
  readonly evicted: number;
}

/** A row's and its index entries' own, about. */
const ROW_BYTES = 256;
const VECTOR_BYTES = 1_544;
/** An interval that PostgreSQL can add to any date of ours. */
const MOST_SECONDS = 365 * 86_400;

export const bytesOf = ({ payload, near }: KeptAnswer): number =>
  ROW_BYTES +
  Buffer.byteLength(payload) +
  (near === undefined ? 0 : Buffer.byteLength(near.freeText) + near.tokenVectors.byteLength + VECTOR_BYTES);

/**
 * Keeps answers of a tenant, at most one a key, unless an invalidation that names the tool came after the answer's look-up; then makes
 * room if the tenant has more than `quota` bytes. Rejects with a StorageError; nothing is kept then.
 */
export const putAnswers = (
  database: Database,
  tenant: string,
  answers: readonly KeptAnswer[],
  { quota, uses }: { readonly quota: number; readonly uses: UseCounts },
): Promise<Put> =>
  writeAs(database, tenant, async (queries, before) => {
    const fresh = (await stillTrue(queries, tenant, answers, before)).filter((answer) => bytesOf(answer) <= quota);
    // Of two for one key the later one stays.
    const rows = [...new Map(fresh.map((answer) => [answer.keyHash, answer])).values()];
    if (rows.length === 0) return { stored: new Set(), evicted: 0 };
    const { rows: change } = await queries.query<{ more: number }>(INSERT, [tenant, ...columns(rows)]);
    const bytes = before.bytes + change[0]!.more;
    const freed = bytes > quota ? await makeRoom(queries, tenant, { bytes, quota, uses }) : { rows: 0, bytes: 0 };
    await queries.query('UPDATE cache_tenants SET bytes = greatest(0, $2) WHERE tenant_id = $1', [
      tenant,
      bytes - freed.bytes,
    ]);
    return { stored: new Set(fresh), evicted: freed.rows };
  });

const INSERT = `
WITH given AS (
  SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::text[], $9::float8[],
    $10::int[], $11::text[]) AS g (tool, key, struct, free_text, vector, tokens, payload, ttl, bytes, embedder)
), old AS (
  SELECT coalesce(sum(bytes), 0) AS bytes FROM semantic_cache WHERE tenant_id = $1 AND key_hash = ANY($3::text[])
), put AS (
  INSERT INTO semantic_cache AS c (tenant_id, tool_name, key_hash, struct_hash, free_text, embedding, token_vectors,
    response_payload, created_at, expires_at, last_used_at, bytes, embedder)
  SELECT $1, tool, key, struct, free_text, vector::vector, tokens, to_jsonb(payload), now(),
    now() + make_interval(secs => ttl), now(), bytes, embedder FROM given
  ON CONFLICT (tenant_id, key_hash) DO UPDATE SET tool_name = excluded.tool_name, struct_hash = excluded.struct_hash,
    free_text = excluded.free_text, embedding = excluded.embedding, token_vectors = excluded.token_vectors,
    response_payload = excluded.response_payload, created_at = excluded.created_at, expires_at = excluded.expires_at,
    last_used_at = excluded.last_used_at, bytes = excluded.bytes, hits = 0, embedder = excluded.embedder
  RETURNING bytes
)
SELECT ((SELECT sum(bytes) FROM put) - (SELECT bytes FROM old))::float8 AS more`;

const columns = (rows: readonly KeptAnswer[]): unknown[] => [
  rows.map(({ tool }) => tool),
  rows.map(({ keyHash }) => keyHash),
  rows.map(({ near }) => near?.structHash ?? null),
  rows.map(({ near }) => near?.freeText ?? null),
  rows.map(({ near }) => (near ? vectorText(near.vector) : null)),
  rows.map(({ near }) => (near ? Buffer.from(near.tokenVectors) : null)),
  rows.map(({ payload }) => payload),
  rows.map(({ ttlSeconds }) => Math.min(ttlSeconds, MOST_SECONDS)),
  rows.map(bytesOf),
  rows.map(({ near }) => near?.embedder ?? null),
];

const stillTrue = async (
  queries: Queries,
  tenant: string,
  answers: readonly KeptAnswer[],
  { epoch, pruned }: TenantRow,
): Promise<readonly KeptAnswer[]> => {
  // A ticket from the future is of a store that has lost its data since.
  const known = answers.filter((answer) => answer.epoch <= epoch && answer.epoch >= pruned);
  const oldest = Math.min(...known.map((answer) => answer.epoch));
  if (known.length === 0 || oldest === epoch) return known;
  const { rows } = await queries.query<{ pattern: string; epoch: string }>(
    'SELECT pattern, epoch FROM cache_invalidations WHERE tenant_id = $1 AND epoch > $2',
    [tenant, oldest],
  );
  const since = rows.map((row) => ({ epoch: Number(row.epoch), names: new DotGlob(row.pattern) }));
  return known.filter(({ epoch: ticket, tool }) => !since.some((one) => one.epoch > ticket && one.names.matches(tool)));
};

/** Room beyond what is needed, so that a full tenant is not sorted at every answer; a small quota is kept to the entry. */
const slackOf = (quota: number): number => (quota >= 16 * 1_048_576 ? quota / 16 : 0);

const makeRoom = async (
  queries: Queries,
  tenant: string,
  { bytes, quota, uses }: { readonly bytes: number; readonly quota: number; readonly uses: UseCounts },
): Promise<{ readonly rows: number; readonly bytes: number }> => {
  await recordUses(queries, tenant, uses.takeOf(tenant));
  const { rows } = await queries.query<{ rows: number; bytes: number }>(
    `WITH ranked AS (
       SELECT key_hash, bytes, sum(bytes) OVER (ORDER BY expires_at > now(), last_used_at, created_at, key_hash) AS up_to
       FROM semantic_cache WHERE tenant_id = $1
     ), gone AS (
       DELETE FROM semantic_cache c USING ranked r
       WHERE c.tenant_id = $1 AND c.key_hash = r.key_hash AND r.up_to - r.bytes < $2 RETURNING c.bytes
     )
     SELECT count(*)::int AS rows, coalesce(sum(bytes), 0)::float8 AS bytes FROM gone`,
    [tenant, bytes - quota + slackOf(quota)],
  );
  return rows[0]!;
};
