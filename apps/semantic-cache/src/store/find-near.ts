import type { Database, QueryOptions } from '@portico/storage';
import { readAs, sqlHash, sqlNumber, sqlText, sqlVector } from './as-tenant.js';
import { LIVE } from './find-equal.js';

/** Entries that are read before it is a miss. */
export const NEAREST = 8;
/** Distances are of 32 bits: a cosine that is just enough must not fail by its last one. */
const ROUNDING = 1e-6;

export interface NearQuestion {
  readonly tenant: string;
  readonly structHash: string;
  readonly embedder: string;
  readonly vector: Float32Array;
  /** Least cosine. */
  readonly candidates: number;
}

export interface NearEntry {
  readonly keyHash: string;
  /** As it was stored. */
  readonly freeText: string;
  readonly tokenVectors: Buffer;
  readonly cosine: number;
}

type Near = { key_hash: string; free_text: string; token_vectors: Buffer; d: number };

/** `scan`: every live row is compared. `hnsw`: along the index of this structure, which must be there. */
export type Search = 'scan' | 'hnsw';

/** HNSW serves plain index scans alone, so that without those nothing but exact ways are left, and the other way round. */
const PLANNED: Readonly<Record<Search, string>> = {
  scan: 'SET LOCAL enable_indexscan = off;',
  hnsw: `SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off;
    SET LOCAL hnsw.ef_search = 200; SET LOCAL hnsw.iterative_scan = strict_order;`,
};

/** The tenant's live entries of a structure that are nearest, the nearest first; none of another embedder. Rejects with a StorageError. */
export const findNear = async (
  database: Database,
  { tenant, structHash, embedder, vector, candidates }: NearQuestion,
  search: Search,
  options?: QueryOptions,
): Promise<readonly NearEntry[]> => {
  const { rows } = await readAs<Near>(
    database,
    tenant,
    `${PLANNED[search]}
     WITH c AS MATERIALIZED (
       SELECT key_hash, free_text, token_vectors, embedding <=> ${sqlVector(vector)} AS d FROM semantic_cache
       WHERE tenant_id = ${sqlText(tenant)} AND struct_hash = ${sqlHash(structHash)} AND ${LIVE}
         AND embedder = ${sqlText(embedder)} AND embedding IS NOT NULL
       ORDER BY embedding <=> ${sqlVector(vector)} LIMIT ${NEAREST}
     )
     SELECT key_hash, free_text, token_vectors, d FROM c WHERE d <= ${sqlNumber(1 - candidates + ROUNDING)} ORDER BY d`,
    options,
  );
  return rows.map((row) => ({
    keyHash: row.key_hash,
    freeText: row.free_text,
    tokenVectors: row.token_vectors,
    cosine: 1 - row.d,
  }));
};
