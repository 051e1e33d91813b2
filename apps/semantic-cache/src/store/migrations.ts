import type { Migrations } from '@portico/storage';

/** Whose eyes every statement on answers sees through: it owns nothing, and row level security holds for it. */
export const ROLE = 'portico_cache';

/**
 * Errors of class 42 reach the log as they are: each says in a sentence what an administrator runs. A role is of all databases
 * of a server, so another one may have made it, or be making it now.
 */
const prerequisites = `
DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS vector;
EXCEPTION
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION USING ERRCODE = '42501', MESSAGE =
      'the response cache needs pgvector: a superuser runs CREATE EXTENSION vector in this database';
  WHEN feature_not_supported OR undefined_file THEN
    RAISE EXCEPTION USING ERRCODE = '42704', MESSAGE =
      'the response cache needs pgvector, which this server does not have: install it, then CREATE EXTENSION vector';
END $$;
DO $$ DECLARE
  may_be text := CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${ROLE}') THEN
    BEGIN
      CREATE ROLE ${ROLE} NOLOGIN;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
  END IF;
  IF NOT pg_has_role(current_user, '${ROLE}', may_be) THEN
    GRANT ${ROLE} TO CURRENT_USER;
  END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO ${ROLE}', current_schema());
EXCEPTION WHEN insufficient_privilege OR invalid_grant_operation THEN
  RAISE EXCEPTION USING ERRCODE = '42501', MESSAGE =
    'the response cache needs a role: an administrator runs CREATE ROLE ${ROLE} NOLOGIN; GRANT ${ROLE} TO '
    || quote_ident(current_user);
END $$;
`;

/**
 * `response_payload` is a JSON string that holds the answer's own JSON: jsonb would refuse its \\u0000, and sort its keys.
 * Vectors stay in the row, so that a scan does not look each of them up elsewhere. Most entries live minutes, and what they
 * leave behind must not.
 */
const entries = `
CREATE TABLE semantic_cache (
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  tool_name text NOT NULL,
  key_hash text NOT NULL,
  struct_hash text,
  free_text text,
  embedding vector(384),
  token_vectors bytea,
  response_payload jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  bytes int NOT NULL,
  hits bigint NOT NULL DEFAULT 0,
  embedder text,
  CONSTRAINT semantic_cache_key UNIQUE (tenant_id, key_hash)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
        toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_threshold = 500);
ALTER TABLE semantic_cache ALTER COLUMN embedding SET STORAGE PLAIN;
CREATE INDEX semantic_cache_by_structure ON semantic_cache (tenant_id, struct_hash, expires_at);
CREATE INDEX semantic_cache_by_tool ON semantic_cache (tenant_id, tool_name);

CREATE TABLE cache_tenants (
  tenant_id text PRIMARY KEY CHECK (tenant_id <> ''),
  epoch bigint NOT NULL DEFAULT 0,
  pruned bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
CREATE TABLE cache_invalidations (
  tenant_id text NOT NULL,
  pattern text NOT NULL,
  epoch bigint NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, pattern)
);
CREATE TABLE cache_tools (
  tool_name text PRIMARY KEY,
  recent text NOT NULL DEFAULT '',
  suspended boolean NOT NULL DEFAULT false
);

DO $$ DECLARE
  one text;
BEGIN
  FOREACH one IN ARRAY ARRAY['semantic_cache', 'cache_tenants', 'cache_invalidations'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
    EXECUTE format('CREATE POLICY one_tenant ON %I TO ${ROLE}
      USING (tenant_id = nullif(current_setting(''portico.tenant'', true), ''''))
      WITH CHECK (tenant_id = nullif(current_setting(''portico.tenant'', true), ''''))', one);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO ${ROLE}', one);
  END LOOP;
END $$;
ALTER TABLE semantic_cache FORCE ROW LEVEL SECURITY;
GRANT SELECT ON cache_tools TO ${ROLE};
`;

/** The tables of the response cache. Works for any user that may create tables, once an administrator has made what it may not. */
export const migrations: Migrations = {
  of: 'semantic-cache',
  steps: [
    { name: 'prerequisites', sql: prerequisites },
    { name: 'entries', sql: entries },
  ],
};
