import type { Database, Row } from '@portico/storage';
import { readAs, sqlHash, sqlText } from './as-tenant.js';
import { LIVE } from './find-equal.js';
import type { Search } from './find-near.js';

/** Live rows of one structure up to which each is compared. */
export const SCANNED = 5_000;
const KNOWN_MS = 10_000;
const MOST_KNOWN = 10_000;
/** Structures with an index; of more, all rows are compared. */
const MOST_INDEXES = 64;
const PREFIX = 'semantic_cache_hnsw_';

const indexOf = (structHash: string): string => `${PREFIX}${structHash.slice(0, 40)}`;

/**
 * Which structures have so many rows that they are searched along an index. Each of them gets an index of its own, made while
 * it is searched without: one for all would find others' rows first, and cost every answer that is stored.
 */
export class CrowdedStructures {
  private readonly known = new Map<string, { readonly search: Search; readonly until: number }>();
  private readonly looking = new Map<string, Promise<void>>();

  /** `upkeep`: for statements that take minutes. Embedded databases build too slowly: all is scanned. */
  constructor(
    private readonly database: Database,
    private readonly upkeep: Database,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** By what was found within 10 s; else a scan, and it is looked. */
  searchOf(tenant: string, structHash: string): Search {
    if (this.database.embedded) return 'scan';
    const known = this.known.get(structHash);
    if ((known === undefined || known.until < performance.now()) && !this.looking.has(structHash)) {
      const looked = this.look(tenant, structHash)
        .catch(this.failed)
        .finally(() => this.looking.delete(structHash));
      this.looking.set(structHash, looked);
    }
    return known?.search ?? 'scan';
  }

  /** Drops the indexes of structures that are crowded no longer, and what a build that broke off has left. */
  async dropNeedless(): Promise<void> {
    if (this.database.embedded) return;
    const { rows } = await this.upkeep.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE i.indrelid = 'semantic_cache'::regclass AND c.relname LIKE '${PREFIX}%'
         AND (NOT i.indisvalid OR (c.reltuples >= 0 AND c.reltuples < ${SCANNED / 2}))
         AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid)`,
    );
    for (const { name } of rows) await this.upkeep.query(`DROP INDEX CONCURRENTLY IF EXISTS "${name}"`);
    if (rows.length > 0) this.known.clear();
  }

  /** What is being looked at or built has come to its end. */
  async idle(): Promise<void> {
    await Promise.all(this.looking.values());
  }

  private async look(tenant: string, structHash: string): Promise<void> {
    const crowded = await this.isCrowded(tenant, structHash);
    const indexed = crowded && ((await this.hasIndex(structHash)) || (await this.build(structHash)));
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(structHash, { search: indexed ? 'hnsw' : 'scan', until: performance.now() + KNOWN_MS });
  }

  private async isCrowded(tenant: string, structHash: string): Promise<boolean> {
    const { rows } = await readAs<{ rows: number } & Row>(
      this.database,
      tenant,
      `SELECT count(*)::int AS rows FROM (SELECT 1 FROM semantic_cache WHERE tenant_id = ${sqlText(tenant)}
         AND struct_hash = ${sqlHash(structHash)} AND ${LIVE} LIMIT ${SCANNED + 1}) AS found`,
    );
    return rows[0]!.rows > SCANNED;
  }

  private async hasIndex(structHash: string): Promise<boolean> {
    const sql = `SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND indisvalid`;
    return (await this.database.query(sql, [indexOf(structHash)])).count > 0;
  }

  private async build(structHash: string): Promise<boolean> {
    const { rows } = await this.upkeep.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE i.indrelid = 'semantic_cache'::regclass AND c.relname LIKE '${PREFIX}%'`,
    );
    if (rows[0]!.n >= MOST_INDEXES) return false;
    await this.upkeep.query(
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${indexOf(structHash)} ON semantic_cache
       USING hnsw (embedding vector_cosine_ops) WITH (m = 16, ef_construction = 64) WHERE struct_hash = ${sqlHash(structHash)}`,
    );
    // Another replica may still be at it.
    return this.hasIndex(structHash);
  }
}
