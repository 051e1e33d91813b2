import type { Database } from '@portico/storage';

/**
 * What services of 0.1.0 say to the database, as they say it: kept as it was released, never changed with the code. Each
 * release that says something else adds its own.
 */
export interface ReleasedStatement {
  readonly sql: string;
  readonly params: readonly unknown[];
  /** Rows that come back, by the columns that the code of that release reads. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

const TENANT = 'acme';
const KEY = 'a'.repeat(64);
const STRUCT = 'b'.repeat(64);
const VECTOR = `[${Array.from({ length: 384 }, (_, place) => (place === 0 ? 1 : 0)).join(',')}]`;
const LIVE = 'expires_at > now() AND created_at <= now()';

const asTenant: ReleasedStatement = {
  sql: `SELECT set_config('role', $1, true) AS role, set_config('portico.tenant', $2, true) AS tenant`,
  params: ['portico_cache', TENANT],
  rows: [{ role: 'portico_cache', tenant: TENANT }],
};

const lockTenant: ReleasedStatement = {
  sql: `INSERT INTO cache_tenants (tenant_id) VALUES ($1)
    ON CONFLICT (tenant_id) DO UPDATE SET tenant_id = excluded.tenant_id RETURNING pruned`,
  params: [TENANT],
  rows: [{ pruned: '0' }],
};

const store: ReleasedStatement = {
  sql: `WITH given AS (
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
  SELECT ((SELECT sum(bytes) FROM put) - (SELECT bytes FROM old))::float8 AS more`,
  params: [
    TENANT,
    ...[['a.read'], [KEY], [STRUCT], ['tea'], [VECTOR], [Buffer.from([1])], ['{"content":[]}'], [60], [300], ['model']],
  ],
  rows: [{ more: 300 }],
};

const lookUp: readonly ReleasedStatement[] = [
  {
    sql: `SELECT s.suspended, e.payload FROM (SELECT $1::text AS tenant) AS asked
      LEFT JOIN cache_tenants t ON t.tenant_id = asked.tenant
      LEFT JOIN cache_tools s ON s.tool_name = $2
      LEFT JOIN (
        SELECT response_payload #>> '{}' AS payload, extract(epoch FROM now() - created_at)::float8 * 1000 AS age
        FROM semantic_cache WHERE tenant_id = $1 AND key_hash = $3 AND ${LIVE}
      ) AS e ON true`,
    params: [TENANT, 'a.read', KEY],
    rows: [{ suspended: null, payload: '{"content":[]}' }],
  },
  {
    sql: `WITH c AS MATERIALIZED (
        SELECT key_hash, free_text, token_vectors, embedding <=> $2::text::vector AS d FROM semantic_cache
        WHERE tenant_id = $1 AND struct_hash = $3 AND ${LIVE} AND embedder = $4 AND embedding IS NOT NULL
        ORDER BY embedding <=> $2::text::vector LIMIT 8
      )
      SELECT key_hash, free_text FROM c WHERE d <= 0.1 ORDER BY d`,
    params: [TENANT, VECTOR, STRUCT, 'model'],
    rows: [{ key_hash: KEY, free_text: 'tea' }],
  },
];

const used: ReleasedStatement = {
  sql: `UPDATE semantic_cache c SET hits = c.hits + 1, last_used_at = now() WHERE tenant_id = $1 AND key_hash = $2 RETURNING hits`,
  params: [TENANT, KEY],
  rows: [{ hits: '1' }],
};

const drop: readonly ReleasedStatement[] = [
  { sql: 'UPDATE cache_tenants SET epoch = epoch + 1 WHERE tenant_id = $1', params: [TENANT], rows: [] },
  {
    sql: `INSERT INTO cache_invalidations (tenant_id, pattern, epoch, at)
      SELECT $1, p, 1, clock_timestamp() FROM unnest($2::text[]) AS p
      ON CONFLICT (tenant_id, pattern) DO UPDATE SET epoch = excluded.epoch, at = excluded.at`,
    params: [TENANT, ['a.*']],
    rows: [],
  },
  {
    sql: `WITH gone AS (
        DELETE FROM semantic_cache WHERE tenant_id = $1 AND ($2::text[] IS NULL OR tool_name = ANY($2)) RETURNING bytes
      ), counted AS (
        UPDATE cache_tenants SET bytes = greatest(0, bytes - (SELECT coalesce(sum(bytes), 0) FROM gone)) WHERE tenant_id = $1
      )
      SELECT count(*)::int AS erased FROM gone`,
    params: [TENANT, null],
    rows: [{ erased: 1 }],
  },
];

const purge: ReleasedStatement = {
  sql: `WITH old AS (
      DELETE FROM cache_invalidations WHERE tenant_id = $1 AND at < now() - interval '1 hour' RETURNING epoch
    )
    UPDATE cache_tenants SET pruned = greatest(pruned, (SELECT max(epoch) FROM old)),
      bytes = (SELECT coalesce(sum(bytes), 0) FROM semantic_cache WHERE tenant_id = $1) WHERE tenant_id = $1
    RETURNING bytes`,
  params: [TENANT],
  rows: [{ bytes: '0' }],
};

const checks: ReleasedStatement = {
  sql: `INSERT INTO cache_tools AS t (tool_name, recent) VALUES ($1, $2)
    ON CONFLICT (tool_name) DO UPDATE SET recent = right(t.recent || $2, 100) RETURNING suspended`,
  params: ['a.check', '+'],
  rows: [{ suspended: false }],
};

const documents: readonly ReleasedStatement[] = [
  {
    sql: `INSERT INTO documents (collection, id, value) VALUES ($1, $2, $3)
      ON CONFLICT (collection, id) DO UPDATE SET value = excluded.value, updated_at = now()`,
    params: ['catalogues', 'domain.a', '{"revision":"1"}'],
    rows: [],
  },
  {
    sql: 'SELECT value FROM documents WHERE collection = $1 AND id = $2',
    params: ['catalogues', 'domain.a'],
    rows: [{ value: { revision: '1' } }],
  },
  {
    sql: 'SELECT id, value FROM documents WHERE collection = $1',
    params: ['catalogues'],
    rows: [{ id: 'domain.a', value: { revision: '1' } }],
  },
  { sql: 'DELETE FROM documents WHERE collection = $1 AND id = $2', params: ['catalogues', 'domain.a'], rows: [] },
];

/** A day of a service of 0.1.0, one transaction after another: each ends as it began. Rejects with what the database refuses. */
export async function runReleased(database: Database): Promise<void> {
  const within = [[asTenant, lockTenant, store, ...lookUp, used, ...drop, purge], [checks], documents];
  for (const statements of within) {
    await database.transaction(async (queries) => {
      for (const { sql, params, rows } of statements) {
        const answer = await queries.query(sql, [...params]);
        if (JSON.stringify(answer.rows) !== JSON.stringify(rows))
          throw new Error(`${sql.trim().slice(0, 80)}: ${JSON.stringify(answer.rows)}`);
      }
    });
  }
}
