import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Database, type Migrations, migrate, openDatabase } from '@portico/storage';
import { type PostgresServer, describeIfAvailable, startPostgresServer } from '@portico/testkit';
import { runReleased } from './released-statements.js';

const root = join(import.meta.dirname, '..');
/** Every file that has migrations, wherever it is. */
const files = ['apps', 'packages'].flatMap((folder) =>
  (readdirSync(join(root, folder), { recursive: true }) as string[])
    .filter((file) => /^[\w-]+\/src\/.*\.ts$/.test(file) && !file.endsWith('.spec.ts'))
    .map((file) => join(folder, file))
    .filter((file) => /: Migrations = /.test(readFileSync(join(root, file), 'utf8'))),
);
const all: Migrations[] = [];
for (const file of files) {
  const found = Object.values((await import(`../${file}`)) as object).filter(
    (value: unknown): value is Migrations => typeof value === 'object' && value !== null && 'steps' in value,
  );
  if (found.length === 0) throw new Error(`${file} keeps its migrations to itself: they can not be read here.`);
  all.push(...found);
}

/** Steps of 0.1.0 by what their text hashes to: a step that databases have had stays as it is. */
const RELEASED: Readonly<Record<string, readonly string[]>> = {
  'semantic-cache': ['prerequisites 804ecb25e1817840', 'entries 4ccf18b4ec85cb31'],
  documents: ['table 30ee6ee9f7a30170'],
};
const named = ({ steps }: Migrations): string[] =>
  steps.map(({ name, sql }) => `${name} ${createHash('sha256').update(sql).digest('hex').slice(0, 16)}`);

/** What a version that runs meanwhile would stumble over. */
const HARMFUL: Readonly<Record<string, RegExp>> = {
  'takes something away': /\bDROP\s+(?!DEFAULT\b|NOT\s+NULL\b)/i,
  'names something anew': /\bRENAME\b/i,
  'changes a type': /\bALTER\s+(COLUMN\s+)?\S+\s+(SET\s+DATA\s+)?TYPE\b/i,
  'wants a value that nobody gives yet': /\bSET\s+NOT\s+NULL\b/i,
  'takes a default away': /\bDROP\s+DEFAULT\b/i,
  'empties a table': /\bTRUNCATE\b/i,
  'refuses what was allowed':
    /\bADD\s+(CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE)\b|\bCREATE\s+UNIQUE\s+INDEX\b|\bREVOKE\b/i,
};
const harmOf = (sql: string): string[] => {
  const plain = sql.replace(/--[^\n]*|\/\*[^]*?\*\//g, ' ');
  const added = plain.split(/;|,(?![^()]*\))/).filter((part) => /\bADD\s/i.test(part));
  return [
    ...Object.keys(HARMFUL).filter((what) => HARMFUL[what]?.test(plain)),
    ...(added.some((part) => /\bNOT\s+NULL\b/i.test(part) && !/\bDEFAULT\b/i.test(part))
      ? ['adds a column that must be filled']
      : []),
  ];
};

describe('[OP-9] migrations', () => {
  it('are found, each owner’s', () => {
    expect(all.map(({ of }) => of).sort()).toEqual(['documents', 'semantic-cache']);
  });

  it.each(all.map((one) => [one.of, one] as const))(
    'of %s go forward: what was released stays as it was',
    (of, one) => {
      expect(named(one).slice(0, RELEASED[of]?.length)).toEqual(RELEASED[of]);
    },
  );

  it.each(all.map((one) => [one.of, one] as const))('of %s have nothing that breaks who runs already', (_of, one) => {
    for (const { name, sql } of one.steps) expect([name, harmOf(sql)]).toEqual([name, []]);
  });

  it.each([
    ['ALTER TABLE documents DROP COLUMN value', 'takes something away'],
    ['DROP INDEX semantic_cache_by_tool', 'takes something away'],
    ['ALTER TABLE documents RENAME COLUMN value TO content', 'names something anew'],
    ['ALTER TABLE documents RENAME TO papers', 'names something anew'],
    ['ALTER TABLE documents ALTER COLUMN value TYPE jsonb', 'changes a type'],
    ['ALTER TABLE documents ALTER value SET DATA TYPE text', 'changes a type'],
    ['ALTER TABLE semantic_cache ALTER COLUMN free_text SET NOT NULL', 'wants a value that nobody gives yet'],
    ['ALTER TABLE semantic_cache ALTER COLUMN hits DROP DEFAULT', 'takes a default away'],
    ['ALTER TABLE documents ADD COLUMN kind text NOT NULL', 'adds a column that must be filled'],
    ['ALTER TABLE documents ADD kind text NOT NULL', 'adds a column that must be filled'],
    [
      'ALTER TABLE documents ADD COLUMN a int, ADD COLUMN b text NOT NULL, ADD COLUMN c int DEFAULT 1',
      'adds a column that must be filled',
    ],
    ['CREATE UNIQUE INDEX one ON documents (id)', 'refuses what was allowed'],
    ['ALTER TABLE documents ADD CONSTRAINT short CHECK (length(id) < 9)', 'refuses what was allowed'],
    ['TRUNCATE documents', 'empties a table'],
  ])('would be refused with %s', (sql, what) => {
    expect(harmOf(sql)).toContain(what);
  });

  it.each([
    'ALTER TABLE documents ADD COLUMN kind text',
    "ALTER TABLE documents ADD COLUMN kind text NOT NULL DEFAULT ''",
    'ALTER TABLE semantic_cache ALTER COLUMN embedder DROP NOT NULL',
    'CREATE TABLE more (id text NOT NULL PRIMARY KEY)',
    'CREATE INDEX more_by_id ON more (id) -- DROP nothing',
  ])('may have %s', (sql) => {
    expect(harmOf(sql)).toEqual([]);
  });
});

describeIfAvailable('pgvector', '[OP-9] a version that runs while the next one migrates', () => {
  let server: PostgresServer;
  let database: Database;
  let databases = 0;
  beforeAll(async () => {
    server = await startPostgresServer({ vectors: true });
  }, 60_000);
  afterAll(() => server?.stop());
  beforeEach(async () => {
    const admin = await openDatabase(server.url, { maxConnections: 1 });
    const name = `upgrade_${(databases += 1)}`;
    await admin.query(`CREATE DATABASE ${name}`);
    await admin.close();
    database = await openDatabase(server.url.replace(/postgres$/, name), { maxConnections: 8 });
  });
  afterEach(() => database?.close());

  /** Each owner’s steps of the release, and what a later version would add to them. */
  const released = all.map(({ of, steps }) => ({ of, steps: steps.slice(0, RELEASED[of]?.length) }));
  const withNext = (sql: (table: string) => string): Migrations[] =>
    all.map(({ of, steps }) => {
      const table = of === 'documents' ? 'documents' : 'semantic_cache';
      return { of, steps: [...steps, { name: 'next', sql: sql(table) }] };
    });
  const migrated = async (many: readonly Migrations[]): Promise<void> => {
    for (const one of many) await migrate(database, one);
  };

  it('finds all that it says to the database answered by the newest tables', async () => {
    await migrated(all);
    await runReleased(database);
    await migrated(withNext((table) => `ALTER TABLE ${table} ADD COLUMN zone text NOT NULL DEFAULT 'a'`));
    await runReleased(database);
    // And one that starts, or starts again, after the others have migrated.
    await migrated(released);
    await runReleased(database);
  }, 60_000);

  const harms: Readonly<Record<string, (table: string) => string>> = {
    'a name that changed': (table) => `ALTER TABLE ${table} RENAME TO other`,
    'a column that is gone': (table) =>
      `ALTER TABLE ${table} DROP COLUMN ${table === 'documents' ? 'value' : 'free_text'}`,
    'a column that must be filled': (table) => `ALTER TABLE ${table} ADD COLUMN zone text NOT NULL`,
  };
  it.each(Object.keys(harms).flatMap((what) => all.map(({ of }) => [what, of] as const)))(
    'would not be answered after %s, of %s',
    async (what, of) => {
      await migrated(released);
      await migrated(withNext(harms[what]!).filter((one) => one.of === of));
      await expect(runReleased(database)).rejects.toThrow(/refused|column|relation/);
    },
    60_000,
  );

  it('goes on meanwhile, and two versions that migrate at once make one whole', async () => {
    await migrated(released);
    let over = false;
    let days = 0;
    const running = (async () => {
      for (; !over || days < 3; days += 1) await runReleased(database);
    })();
    const next = withNext((table) => `ALTER TABLE ${table} ADD COLUMN zone text; SELECT pg_sleep(0.2)`);
    await Promise.all([migrated(next), migrated(released), migrated(next.toReversed()), migrated(all)]);
    over = true;
    await running;
    const { rows } = await database.query('SELECT of, count(*)::int AS steps FROM migrations GROUP BY of ORDER BY of');
    expect(rows).toEqual([
      { of: 'documents', steps: 2 },
      { of: 'semantic-cache', steps: 3 },
    ]);
    expect(days).toBeGreaterThanOrEqual(3);
  }, 60_000);
});
