import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDocuments } from '@portico/storage';
import type { Documents } from '@portico/storage';
import { compileSources } from './compile-sources.js';
import { describeDocuments } from './describe-documents.js';

const newHome = (): Promise<string> => mkdtemp(join(tmpdir(), 'portico-documents-'));

describeDocuments('files', async () => {
  const home = await newHome();
  return {
    open: () => openDocuments({ databaseUrl: 'pglite:never-started', home }),
    close: () => rm(home, { recursive: true }),
  };
});

describe('documents as files', () => {
  let home: string;
  let documents: Documents;
  let told: { event: string; fields?: Record<string, unknown> }[];
  const note = (event: string, fields?: Record<string, unknown>): void =>
    void told.push({ event, ...(fields && { fields }) });
  const open = (): Promise<Documents> =>
    openDocuments({ databaseUrl: `pglite:${join(home, 'data')}`, home, log: { info: note, warn: note, error: note } });
  const folder = (): string => join(home, 'documents', 'servers');
  const file = (): string => join(folder(), 'one.json');

  beforeEach(async () => {
    told = [];
    home = join(await newHome(), 'home');
    documents = await open();
  });
  afterEach(async () => {
    await documents.close();
    await rm(join(home, '..'), { recursive: true });
  });

  it('writes nothing before the first document, and never starts the database', async () => {
    expect(await documents.get('servers', 'one')).toBeUndefined();
    expect(await documents.list('servers')).toEqual([]);
    await expect(stat(home)).rejects.toMatchObject({ code: 'ENOENT' });
    await documents.put('servers', 'one', 1);
    expect(await readdir(home)).toEqual(['documents']);
  });

  it('lets its owner alone read them, whatever the umask', async () => {
    await documents.put('servers', 'one', 1);
    for (const path of [home, join(home, 'documents'), folder()]) expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(await readdir(folder())).toEqual(['one.json']);
  });

  it.each([
    ['half a document', '{"id":"one","val'],
    ['an empty file', ''],
    ['zeros, as a file system leaves them', '\0'.repeat(100)],
    ['JSON that is no document', '[1]'],
    ['null', 'null'],
    ['the document of another id', '{"id":"two","value":1}'],
    ['a document without a value', '{"id":"one"}'],
  ])('sets %s aside, says so once, and goes on', async (_what, content) => {
    await documents.put('servers', 'other', 1);
    await writeFile(file(), content);
    const found = await Promise.all([1, 2, 3].map(() => documents.get('servers', 'one')));
    expect(found).toEqual([undefined, undefined, undefined]);
    expect(await documents.list('servers')).toEqual([{ id: 'other', value: 1 }]);
    expect(told).toEqual([{ event: 'document.set-aside', fields: { file: 'one.json.corrupt' } }]);
    expect(await readFile(`${file()}.corrupt`, 'utf8')).toBe(content);
    await documents.put('servers', 'one', 'anew');
    expect(await documents.get('servers', 'one')).toBe('anew');
    expect(await readFile(`${file()}.corrupt`, 'utf8')).toBe(content);
  });

  it('says in one sentence, without a path, that they can be neither read nor written', async () => {
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'documents'), 'a file where the folder goes');
    const error: unknown = await documents.put('servers', 'one', 1).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'StorageError', code: 'unavailable' });
    expect(String(error)).toMatch(/PORTICO_HOME could not be kept \(\w+\)\.$/);
    expect(String(error)).not.toContain(home);
  });

  it('removes what writers that died have left, and not what another is at', async () => {
    await mkdir(folder(), { recursive: true });
    const [old, young] = ['.0123456789abcdef.draft', '.fedcba9876543210.draft'];
    for (const name of [old, young]) await writeFile(join(folder(), name), 'half');
    await utimes(join(folder(), old), new Date(0), new Date(0));
    await documents.put('servers', 'one', 1);
    expect((await readdir(folder())).sort()).toEqual([young, 'one.json']);
    expect(await documents.list('servers')).toEqual([{ id: 'one', value: 1 }]);
  });

  it('[UP-1] a process killed while it writes leaves the old or the new document whole, and all that it has told of', async () => {
    const compiled = await compileSources();
    const versions: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const found = (await documents.get('servers', 'one')) as { version: number } | undefined;
      const told = await writeUntilKilled(compiled.folder, home, found?.version ?? 0, 5 + round * 9);
      const kept = (await documents.get('servers', 'one')) as { version: number; text: string } | undefined;
      expect(kept?.text ?? '').toBe('x'.repeat(kept ? 200_000 : 0));
      const version = kept?.version ?? 0;
      expect(version).toBeGreaterThanOrEqual(told);
      expect(version).toBeLessThanOrEqual(told + 1);
      versions.push(version);
    }
    await compiled.remove();
    expect(versions.at(-1)).toBeGreaterThan(0);
    expect(told).toEqual([]);
  });
});

/** Runs a process that puts one version after another and says each that is kept; the last that it said before it was killed. */
const writeUntilKilled = async (compiled: string, home: string, from: number, afterMs: number): Promise<number> => {
  const program = `
    const { openDocuments } = await import(process.argv[1]);
    const documents = await openDocuments({ databaseUrl: 'pglite:none', home: process.argv[2] });
    for (let version = Number(process.argv[3]) + 1; ; version += 1) {
      await documents.put('servers', 'one', { version, text: 'x'.repeat(200_000) });
      process.stdout.write(version + '\\n');
    }`;
  const args = ['--input-type=module', '-e', program, join(compiled, 'open-documents.js'), home, String(from)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(child.stdout, 'data');
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
  return Number(said.split('\n').filter(Boolean).at(-1) ?? from);
};
