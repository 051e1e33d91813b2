import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase, openDocuments } from '@portico/storage';
import type { Database } from '@portico/storage';
import { compileSources } from './compile-sources.js';
import { describeDatabase, describeVectors } from './describe-database.js';
import type { DatabaseUnderTest } from './describe-database.js';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
/** A first start takes 10 s where nothing else runs. */
const PATIENT = 120_000;

/** A folder each time it is opened: one process has a folder once. */
const inFolders = async (): Promise<DatabaseUnderTest> => {
  const root = await mkdtemp(join(tmpdir(), 'portico-pglite-'));
  let folders = 0;
  return {
    open: () => openDatabase(`pglite:${join(root, String((folders += 1)))}`, { log: quiet }),
    close: () => rm(root, { recursive: true }),
  };
};

describeDatabase('PGlite', inFolders);
describeVectors('PGlite', async () => ({
  open: () => openDatabase('pglite:memory:', { log: quiet }),
  close: async () => {},
}));

describe('the embedded database', () => {
  let root: string;
  let folder: string;
  let told: string[];
  const note = (event: string, fields?: unknown): void => void told.push(`${event} ${JSON.stringify(fields)}`);
  const log = { info: note, warn: note, error: note };
  const open = (): Promise<Database> => openDatabase(`pglite:${folder}`, { log });
  const threads = (): number =>
    process.getActiveResourcesInfo().filter((one) => one === 'MessagePort' || one === 'Worker').length;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'portico-pglite-'));
  });
  afterAll(() => rm(root, { recursive: true }));

  beforeEach(() => {
    told = [];
    folder = join(root, 'home', 'data');
  });
  afterEach(() => expect(told.join()).not.toContain(root));

  it(
    'starts at the first statement and not before, and this thread goes on meanwhile',
    async () => {
      const database = await open();
      expect(threads()).toBe(0);
      await expect(readdir(join(root, 'home'))).rejects.toMatchObject({ code: 'ENOENT' });
      const began = performance.now();
      let last = began;
      let longest = 0;
      const ticking = setInterval(() => {
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
      }, 5);
      // All of them ask before it is ready, and wait in line.
      const asked = await Promise.all([1, 2, 3].map((n) => database.query('SELECT $1::int AS n', [n])));
      clearInterval(ticking);
      const started = performance.now() - began;
      expect(asked.map(({ rows }) => rows[0]!['n'])).toEqual([1, 2, 3]);
      expect(told.filter((line) => line.startsWith('database.started'))).toHaveLength(1);
      // It blocks the loop it runs on for half of that and more.
      expect(longest).toBeLessThan(Math.max(started / 4, 500));
      await database.query('CREATE TABLE kept (n int PRIMARY KEY)');
      await database.close();
      expect(threads()).toBe(0);
      expect(await readdir(join(root, 'home'))).toEqual(['data']);
    },
    PATIENT,
  );

  it('documents never start it', async () => {
    const documents = await openDocuments({ databaseUrl: `pglite:${folder}`, home: join(root, 'elsewhere'), log });
    await documents.put('a', 'b', 1);
    await documents.close();
    expect(threads()).toBe(0);
    expect(told).toEqual([]);
  });

  it(
    'is in use by one at a time, and says so to the next',
    async () => {
      const first = await open();
      await first.query('SELECT 1');
      const second = await open();
      await expect(second.query('SELECT 1')).rejects.toMatchObject({
        code: 'unavailable',
        executed: 'no',
        message: 'The folder of DATABASE_URL is in use already.',
      });
      await first.close();
      await second.query('SELECT 1');
      await second.close();
    },
    PATIENT,
  );

  it(
    'is in use by one process at a time, and free again when that one is killed',
    async () => {
      const compiled = await compileSources();
      const program = `
      const { lockFolder } = await import(process.argv[1]);
      await lockFolder(process.argv[2], () => {});
      process.stdout.write('locked');
      setInterval(() => {}, 1000);`;
      const args = ['--input-type=module', '-e', program, join(compiled.folder, 'folder-lock.js'), folder];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      const database = await open();
      await expect(database.query('SELECT 1')).rejects.toMatchObject({ code: 'unavailable', executed: 'no' });
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
      await database.query('SELECT 1');
      await database.close();
      await compiled.remove();
    },
    PATIENT,
  );

  it(
    'when its thread dies, what was asked fails, it is told, and the next statement starts it with all that was committed',
    async () => {
      const database = await open();
      let committed = 0;
      let more = true;
      const writing = (async () => {
        for (let n = 0; more; n += 1) {
          await database.query('INSERT INTO kept VALUES ($1)', [n]);
          committed = n + 1;
        }
      })();
      while (committed < 20) await new Promise((resolve) => setTimeout(resolve, 5));
      // The thread is ended where it stands, in the middle of a statement that does not end by itself.
      const endless = database.query('SELECT count(*) FROM kept, generate_series(1, 1000000000)', [], {
        timeoutMs: 200,
      });
      await expect(endless).rejects.toMatchObject({ code: 'timeout', executed: 'unknown' });
      more = false;
      await writing;
      const { rows } = await database.query<{ n: number }>('SELECT count(*)::int AS n FROM kept');
      expect(rows[0]!.n).toBe(committed);
      await database.close();
    },
    PATIENT,
  );

  it(
    'a first start that was broken off is begun anew',
    async () => {
      folder = join(root, 'broken', 'data');
      await mkdir(folder, { recursive: true });
      await writeFile(`${folder}.making`, '');
      await writeFile(join(folder, 'PG_VERSION'), '18\n');
      const database = await open();
      expect((await database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      await database.close();
      expect(await readdir(join(root, 'broken'))).toEqual(['data']);
    },
    PATIENT,
  );

  it(
    'a folder that it can not use is left as it is, and told in a sentence',
    async () => {
      folder = join(root, 'foreign');
      await mkdir(folder);
      await writeFile(join(folder, 'PG_VERSION'), '18\n');
      const database = await open();
      await expect(database.query('SELECT 1')).rejects.toMatchObject({ code: 'unavailable' });
      expect(await readFile(join(folder, 'PG_VERSION'), 'utf8')).toBe('18\n');
      expect(told.join('\n')).toContain('database.ended');
      await database.close();
      expect(threads()).toBe(0);
    },
    PATIENT,
  );
});
