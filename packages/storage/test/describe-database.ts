import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '@portico/storage';
import type { Database } from '@portico/storage';

export interface DatabaseUnderTest {
  open(): Promise<Database>;
  close(): Promise<void>;
}

/** The suite that every database passes: what is true of PostgreSQL is true of the embedded one. */
export function describeDatabase(name: string, start: () => Promise<DatabaseUnderTest>): void {
  describe(`database: ${name}`, () => {
    let store: DatabaseUnderTest;
    let database: Database;
    let tables = 0;
    const newTable = async (columns: string): Promise<string> => {
      const table = `t${(tables += 1)}`;
      await database.query(`CREATE TABLE ${table} (${columns})`);
      return table;
    };

    beforeAll(async () => {
      store = await start();
      database = await store.open();
      await database.query('SELECT 1');
    }, 120_000);
    afterAll(async () => {
      await database?.close();
      await store?.close();
    }, 60_000);

    it('gives back every type as pg does', async () => {
      const { rows, count } = await database.query(
        `SELECT 1::int4 AS int4, 9007199254740993::int8 AS int8, 1.5::float8 AS float8, 1.10::numeric AS num, true AS bool,
           'é'::text AS text, NULL::text AS none, '{"b":1,"a":[null]}'::jsonb AS jsonb, ARRAY['a','b'] AS texts, ARRAY[1,2] AS ints,
           '2026-11-30T12:00:00.123Z'::timestamptz AS at, '\\x00ff'::bytea AS bytes`,
      );
      expect(count).toBe(1);
      expect(rows[0]).toMatchObject({
        int4: 1,
        int8: '9007199254740993',
        float8: 1.5,
        num: '1.10',
        bool: true,
        text: 'é',
        none: null,
        jsonb: { b: 1, a: [null] },
        texts: ['a', 'b'],
        ints: [1, 2],
      });
      expect((rows[0]!['at'] as Date).toISOString()).toBe('2026-11-30T12:00:00.123Z');
      expect((rows[0]!['bytes'] as Buffer).toString('hex')).toBe('00ff');
    });

    it('takes every type as a parameter, and never as a part of the statement', async () => {
      const table = await newTable('a text, b int, c jsonb, d timestamptz, e bytea, f text[], g bool');
      const hostile = `'); DROP TABLE ${table}; --`;
      const given = [hostile, 7, { x: [1, 'é'] }, new Date(0), Buffer.from([0, 1]), ['p', "q'"], null];
      const { count } = await database.query(`INSERT INTO ${table} VALUES ($1,$2,$3,$4,$5,$6,$7)`, given);
      expect(count).toBe(1);
      const [row] = (await database.query(`SELECT * FROM ${table}`)).rows;
      expect(row).toMatchObject({ a: hostile, b: 7, c: { x: [1, 'é'] }, f: ['p', "q'"], g: null });
      expect([(row!['d'] as Date).getTime(), [...(row!['e'] as Buffer)]]).toEqual([0, [0, 1]]);
    });

    it('runs several statements without parameters, and gives the rows of the last', async () => {
      const table = await newTable('n int');
      const { rows } = await database.query(
        `INSERT INTO ${table} VALUES (1),(2); SELECT sum(n)::int AS n FROM ${table}`,
      );
      expect(rows).toEqual([{ n: 3 }]);
      expect((await database.query(`UPDATE ${table} SET n = 0`)).count).toBe(2);
      expect(await database.query(`SELECT * FROM ${table} WHERE n = 9`)).toMatchObject({ rows: [], count: 0 });
    });

    it('carries a large statement and a large answer', async () => {
      const text = 'é'.repeat(2_000_000);
      const { rows } = await database.query('SELECT $1::text AS back', [text]);
      expect(rows[0]!['back'] === text).toBe(true);
    });

    it('answers all who ask at once', async () => {
      const asked = Array.from({ length: 200 }, (_, n) => database.query('SELECT $1::int AS n', [n]));
      expect((await Promise.all(asked)).map(({ rows }) => rows[0]!['n'])).toEqual(
        Array.from({ length: 200 }, (_, n) => n),
      );
    });

    it.each([
      ['SELEC', [], { code: 'rejected', sqlState: '42601' }],
      ['SELECT * FROM absent WHERE x = $1', [1], { code: 'rejected', sqlState: '42P01' }],
      ['SELECT 1/$1::int', [0], { code: 'rejected', sqlState: '22012' }],
      ['SELECT $1::int', ['secret'], { code: 'rejected', sqlState: '22P02' }],
      ['SELECT $1::text', ['\u0000'], { code: 'rejected', sqlState: '22021' }],
      ['SELECT 1; SELECT 1/0; SELECT 2', [], { code: 'rejected', sqlState: '22012' }],
    ])('says what is wrong with %s, and goes on', async (sql, params, expected) => {
      const error: unknown = await database.query(sql, params).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'StorageError', executed: 'no', ...expected });
      expect(String(error)).not.toContain('secret');
      expect((await database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    });

    it('names the constraint that was violated, and not the value', async () => {
      const table = await newTable('n text CONSTRAINT one_of_each UNIQUE');
      await database.query(`INSERT INTO ${table} VALUES ('secret')`);
      const error: unknown = await database
        .query(`INSERT INTO ${table} VALUES ($1)`, ['secret'])
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'rejected', sqlState: '23505', constraint: 'one_of_each', executed: 'no' });
      expect(JSON.stringify(error) + String(error)).not.toContain('secret');
    });

    it('a transaction is all of it', async () => {
      const table = await newTable('n int');
      const value = await database.transaction(async (queries) => {
        await queries.query(`INSERT INTO ${table} VALUES (1)`);
        await queries.query(`INSERT INTO ${table} VALUES ($1)`, [2]);
        return 'done';
      });
      expect(value).toBe('done');
      expect((await database.query(`SELECT * FROM ${table}`)).count).toBe(2);
    });

    it('or nothing: what its work throws is thrown on, and undone', async () => {
      const table = await newTable('n int');
      const thrown = new Error('mine');
      const failing = database.transaction(async (queries) => {
        await queries.query(`INSERT INTO ${table} VALUES (1)`);
        throw thrown;
      });
      await expect(failing).rejects.toBe(thrown);
      expect((await database.query(`SELECT * FROM ${table}`)).count).toBe(0);
    });

    it('is not said to be done when a statement of it had failed unheard', async () => {
      const table = await newTable('n int');
      const failing = database.transaction(async (queries) => {
        await queries.query(`INSERT INTO ${table} VALUES (1)`);
        await queries.query('SELECT 1/0').catch(() => {});
      });
      await expect(failing).rejects.toMatchObject({ code: 'rejected', executed: 'no' });
      expect((await database.query(`SELECT * FROM ${table}`)).count).toBe(0);
    });

    it('waits for what its work has left running, and takes nothing after its end', async () => {
      const table = await newTable('n int');
      let kept: Parameters<Parameters<Database['transaction']>[0]>[0] | undefined;
      await database.transaction(async (queries) => {
        kept = queries;
        for (let n = 0; n < 20; n += 1) void queries.query(`INSERT INTO ${table} VALUES (${n})`);
      });
      expect((await database.query(`SELECT * FROM ${table}`)).count).toBe(20);
      await expect(kept!.query('SELECT 1')).rejects.toMatchObject({ code: 'closed' });
    });

    it('keeps transactions that run at once apart', async () => {
      const table = await newTable('n int');
      await database.query(`INSERT INTO ${table} VALUES (0)`);
      const add = (): Promise<void> =>
        database.transaction(async (queries) => {
          const { rows } = await queries.query<{ n: number }>(`SELECT n FROM ${table} FOR UPDATE`);
          await new Promise((resolve) => setTimeout(resolve, 1));
          await queries.query(`UPDATE ${table} SET n = $1`, [rows[0]!.n + 1]);
        });
      await Promise.all(Array.from({ length: 20 }, add));
      expect((await database.query(`SELECT n FROM ${table}`)).rows).toEqual([{ n: 20 }]);
    });

    it('ends a transaction that takes too long, undoes it, and goes on', async () => {
      const table = await newTable('n int');
      const stuck = database.transaction(
        async (queries) => {
          await queries.query(`INSERT INTO ${table} VALUES (1)`);
          await new Promise(() => {});
        },
        { limitMs: 100 },
      );
      await expect(stuck).rejects.toMatchObject({ code: 'timeout', executed: 'no' });
      expect((await database.query(`SELECT * FROM ${table}`)).count).toBe(0);
    }, 60_000);

    it('stops waiting when it is told to, before and while it asks, and goes on', async () => {
      const ending = new AbortController();
      const asked = database.query('SELECT count(*) FROM generate_series(1, 300000)', [], { signal: ending.signal });
      ending.abort(new Error('no longer'));
      await expect(asked).rejects.toThrow('no longer');
      await expect(database.query('SELECT 1', [], { signal: ending.signal })).rejects.toThrow('no longer');
      await expect(database.transaction(async () => 1, { signal: ending.signal })).rejects.toThrow('no longer');
      expect((await database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    });

    it('gives a connection up that does not answer in time, and goes on with another', async () => {
      const slow = database.query('SELECT count(*) FROM generate_series(1, 100000000)', [], { timeoutMs: 100 });
      await expect(slow).rejects.toMatchObject({ code: 'timeout', executed: 'unknown' });
      expect((await database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    }, 60_000);

    it('migrates once, in order, from wherever it stands', async () => {
      const first = { name: 'table', sql: 'CREATE TABLE moved (a int); INSERT INTO moved VALUES (1)' };
      const second = { name: 'column', sql: 'ALTER TABLE moved ADD b int DEFAULT 2; INSERT INTO moved VALUES (3)' };
      const third = { name: 'rows', sql: 'INSERT INTO moved VALUES (4, 4)' };
      await migrate(database, { of: 'test', steps: [first] });
      await migrate(database, { of: 'test', steps: [first, second, third] });
      await migrate(database, { of: 'test', steps: [first, second, third] });
      await migrate(database, { of: 'another', steps: [{ name: 'table', sql: 'CREATE TABLE apart ()' }] });
      // A replica of the version before starts meanwhile.
      await migrate(database, { of: 'test', steps: [first, second] });
      expect((await database.query('SELECT a, b FROM moved ORDER BY a')).rows).toEqual([
        { a: 1, b: 2 },
        { a: 3, b: 2 },
        { a: 4, b: 4 },
      ]);
      const changed = migrate(database, { of: 'test', steps: [{ name: 'table', sql: 'CREATE TABLE moved (z int)' }] });
      await expect(changed).rejects.toThrow('Migration test/table is not the one that this database has had.');
    });

    it('migrates all or nothing', async () => {
      const good = { name: 'good', sql: 'CREATE TABLE half ()' };
      const broken = migrate(database, { of: 'broken', steps: [good, { name: 'bad', sql: 'CREATE TABLE half ()' }] });
      await expect(broken).rejects.toMatchObject({ code: 'rejected', sqlState: '42P07' });
      await expect(database.query('SELECT * FROM half')).rejects.toMatchObject({ sqlState: '42P01' });
      await migrate(database, { of: 'broken', steps: [good] });
    });

    it('migrates once for all who start at once', async () => {
      const steps = [
        { name: 'table', sql: 'CREATE TABLE together (n int)' },
        { name: 'row', sql: 'INSERT INTO together VALUES (1)' },
      ];
      await Promise.all(Array.from({ length: 8 }, () => migrate(database, { of: 'together', steps })));
      expect((await database.query('SELECT * FROM together')).rows).toEqual([{ n: 1 }]);
    });

    it('lets what runs finish when it is closed, takes nothing more, and closes twice', async () => {
      const closing = await store.open();
      await closing.query('SELECT 1');
      const running = closing.query('SELECT count(*)::int AS n FROM generate_series(1, 300000)');
      const closed = closing.close();
      await expect(closing.query('SELECT 1')).rejects.toMatchObject({ code: 'closed', executed: 'no' });
      await expect(closing.transaction(async () => 1)).rejects.toMatchObject({ code: 'closed' });
      expect((await running).rows).toEqual([{ n: 300_000 }]);
      await Promise.all([closed, closing.close()]);
    }, 90_000);
  });
}

/** The suite of those with pgvector. */
export function describeVectors(name: string, start: () => Promise<DatabaseUnderTest>): void {
  describe(`vectors: ${name}`, () => {
    let store: DatabaseUnderTest;
    let database: Database;
    beforeAll(async () => {
      store = await start();
      database = await store.open();
      await database.query('CREATE EXTENSION IF NOT EXISTS vector');
      await database.query('CREATE TABLE things (id int PRIMARY KEY, embedding vector(3))');
      const embeddings = ['[1,0,0]', '[0,1,0]', '[0.9,0.1,0]', '[-1,0,0]'];
      for (const [id, embedding] of embeddings.entries()) {
        await database.query('INSERT INTO things VALUES ($1, $2)', [id, embedding]);
      }
    }, 120_000);
    afterAll(async () => {
      await database?.close();
      await store?.close();
    }, 60_000);

    const nearest = async (): Promise<unknown[]> => {
      const sql = 'SELECT id, embedding <=> $1 AS distance FROM things ORDER BY embedding <=> $1 LIMIT 3';
      return (await database.query(sql, ['[1,0,0]'])).rows.map(({ id }) => id);
    };

    it('orders by cosine distance', async () => {
      expect(await nearest()).toEqual([0, 2, 1]);
      const { rows } = await database.query('SELECT $1::vector <=> $2::vector AS d', ['[1,0,0]', '[-1,0,0]']);
      expect(rows[0]!['d']).toBeCloseTo(2, 6);
    });

    it('has HNSW, which finds the same', async () => {
      await database.query('CREATE INDEX things_by_embedding ON things USING hnsw (embedding vector_cosine_ops)');
      const { rows } = await database.transaction(async (queries) => {
        await queries.query('SET LOCAL enable_seqscan = off');
        return queries.query(`EXPLAIN SELECT id FROM things ORDER BY embedding <=> '[1,0,0]' LIMIT 3`);
      });
      expect(JSON.stringify(rows)).toContain('things_by_embedding');
      expect(await nearest()).toEqual([0, 2, 1]);
    });

    it('keeps 384 floats as they are', async () => {
      await database.query('CREATE TABLE wide (embedding vector(384))');
      const given = Array.from({ length: 384 }, (_, n) => Math.fround(Math.sin(n)));
      await database.query('INSERT INTO wide VALUES ($1)', [JSON.stringify(given)]);
      const [row] = (await database.query<{ embedding: string }>('SELECT embedding FROM wide')).rows;
      expect((JSON.parse(row!.embedding) as number[]).map(Math.fround)).toEqual(given);
    });
  });
}
