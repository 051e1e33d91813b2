import { TOOL, sha256, structHash } from './ask.mjs';

/**
 * Rows of other questions: one tool and one structure a tenant, vectors anywhere, the words of ten of them. As the owner, past row level
 * security: what is measured asks as everybody does.
 * @param {import('@portico/storage').Database} database @param {readonly string[]} tenants @param {number} rows of each @param {string} embedder
 */
export const fill = async (database, tenants, rows, embedder) => {
  for (const tenant of tenants) {
    for (let from = 0; from < rows; from += 1_000) {
      await database.query(
        `INSERT INTO semantic_cache (tenant_id, tool_name, key_hash, struct_hash, free_text, embedding, token_vectors,
           response_payload, created_at, expires_at, last_used_at, bytes, embedder)
         SELECT $1, '${TOOL}', encode(sha256(convert_to($1 || ' filled ' || n, 'UTF8')), 'hex'), $2, '["filled ' || n || '"]',
           (SELECT array_agg(random() - 0.5) FROM generate_series(1, 384) AS g WHERE g + n > 0)::vector,
           decode(repeat(md5(n::text), 245), 'hex'), to_jsonb('{"content":[]}' || repeat('x', 500)), now(),
           now() + interval '1 day', now(), 6000, $3
         FROM generate_series($4::int, $5::int) AS n`,
        [tenant, structHash(tenant), embedder, from, Math.min(rows, from + 1_000) - 1],
      );
    }
  }
  await database.query('VACUUM ANALYZE semantic_cache');
};

/** Vectors around 100 places, as texts. @param {number} count @param {number} spread @param {number} seed */
export const clustered = (count, spread, seed) => {
  const numbers = (/** @type {number} */ from) => {
    let state = (from * 7_919 + 17) % 2_147_483_647;
    return Array.from({ length: 384 }, () => (state = (state * 48_271) % 2_147_483_647) / 1_073_741_824 - 1);
  };
  return Array.from({ length: count }, (_, n) => {
    const away = numbers(1_000 + seed * 1_000_000 + n);
    return `[${numbers(n % 100).map((value, i) => (value + away[i] * spread).toFixed(5))}]`;
  });
};

/** One structure of one tenant that is searched along its index. @param {import('@portico/storage').Database} database @param {string} tenant @param {number} rows */
export const crowd = async (database, tenant, rows) => {
  for (let from = 0; from < rows; from += 1_000) {
    const vectors = clustered(1_000, 0.6, from);
    await database.query(
      `INSERT INTO semantic_cache (tenant_id, tool_name, key_hash, struct_hash, free_text, embedding, token_vectors,
         response_payload, created_at, expires_at, last_used_at, bytes, embedder)
       SELECT $1, '${TOOL}', key, $2, '["crowd"]', v::vector, '', '"{}"', now(), now() + interval '1 day', now(), 2000, 'crowd'
       FROM unnest($3::text[], $4::text[]) AS given (key, v)`,
      [tenant, structHash(tenant), vectors.map((_, n) => sha256(`${tenant} ${from + n}`)), vectors],
    );
  }
  await database.query('VACUUM ANALYZE semantic_cache');
};
