import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const DRAFT = /^\.[0-9a-f]{16}\.draft$/;
/** Drafts of a process that died. Another process may be at its own just now, so only old ones go. */
const ABANDONED_MS = 10 * 60_000;

/** Puts a file in place whole or not at all, on the disk when it resolves; readable by its owner alone. */
export const writeWhole = async (path: string, text: string): Promise<void> => {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `.${randomBytes(8).toString('hex')}.draft`);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(folder);
};

/** Whether there was a file; it stays gone after a loss of power. */
export const removeWhole = async (path: string): Promise<boolean> => {
  try {
    await rm(path);
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
  await syncFolder(dirname(path));
  return true;
};

/** Removes what writers that died have left in a folder. */
export const removeAbandonedDrafts = async (folder: string): Promise<void> => {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => DRAFT.test(basename(one)))) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
};

export const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** A name is on the disk when its folder is. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
