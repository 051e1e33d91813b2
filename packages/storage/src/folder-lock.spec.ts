import { mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lockFolder } from './folder-lock.js';

const inUse = { code: 'unavailable', message: 'The folder of DATABASE_URL is in use already.' };

describe('the lock of a folder', () => {
  let root: string;
  let folder: string;
  const lock = () => lockFolder(folder, () => {});
  const held = (holder: object): Promise<void> => writeFile(`${folder}.lock`, JSON.stringify(holder));
  const heldSince = async (seconds: number): Promise<void> => {
    const then = new Date(Date.now() - seconds * 1_000);
    await utimes(`${folder}.lock`, then, then);
  };

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'portico-lock-'));
    folder = join(root, 'data');
  });
  afterEach(() => rm(root, { recursive: true }));

  it('is had by one of all who try at once, and by the next when it is released, and leaves nothing', async () => {
    const tried = await Promise.allSettled(Array.from({ length: 20 }, lock));
    const [first, ...more] = tried.filter((one) => one.status === 'fulfilled');
    expect(more).toEqual([]);
    for (const one of tried) if (one.status === 'rejected') expect(one.reason).toMatchObject(inUse);
    await first!.value.release();
    await (await lock()).release();
    expect(await readdir(root)).toEqual([]);
  });

  it('of a process that died on this host is taken at once, by one of all who try', async () => {
    await held({ host: hostname(), pid: 2 ** 30, born: '1', token: 'x' });
    const tried = await Promise.allSettled(Array.from({ length: 20 }, lock));
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await readdir(root)).toEqual(['data.lock']);
  });

  it('of a process whose number another one has now is taken at once', async () => {
    await held({ host: hostname(), pid: process.pid, born: '1', token: 'x' });
    await (await lock()).release();
  });

  it('of another host is respected while it is renewed, and taken after its silence', async () => {
    await held({ host: 'elsewhere', pid: process.pid, born: '1', token: 'x' });
    await expect(lock()).rejects.toMatchObject(inUse);
    await heldSince(20);
    await expect(lock()).rejects.toMatchObject(inUse);
    await heldSince(40);
    await (await lock()).release();
  });

  it('that is no lock at all is taken after the same silence', async () => {
    await writeFile(`${folder}.lock`, '');
    await expect(lock()).rejects.toMatchObject(inUse);
    await heldSince(40);
    await (await lock()).release();
  });

  it('of another is left alone by whoever lost his own', async () => {
    const lost = await lock();
    await held({ host: 'elsewhere', pid: 1, born: '1', token: 'theirs' });
    await lost.release();
    expect(await readFile(`${folder}.lock`, 'utf8')).toContain('theirs');
  });

  it("is renewed while it is held, and says so when it is another one's", async () => {
    let lost = 0;
    const lock = await lockFolder(folder, () => (lost += 1), 20);
    await heldSince(40);
    const began = Date.now();
    while ((await stat(`${folder}.lock`)).mtimeMs < began - 20_000) await delay(5);
    expect(lost).toBe(0);
    await held({ host: 'elsewhere', pid: 1, born: '1', token: 'theirs' });
    while (lost === 0) await delay(5);
    await lock.release();
  });
});
