import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { StorageError } from './storage-error.js';

/** A process by more than its number, which another one gets later; a container's first process always has the same. */
interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly born: string;
  readonly token: string;
}

const BEAT_MS = 5_000;
/** Whoever runs elsewhere, where we can not see it, is gone when it has not said anything for so long. */
const SILENT_MS = 30_000;
const ATTEMPTS = 5;

export interface FolderLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only one that uses a folder, by a file beside it. The lock of a process that died is taken over:
 * at once on the same host, after 30 s of silence from another. Rejects with `unavailable` while the folder is in use.
 * `lost`: another process holds it now, against all of the above; stop using the folder.
 */
export const lockFolder = async (folder: string, lost: () => void, beatMs = BEAT_MS): Promise<FolderLock> => {
  const path = `${folder}.lock`;
  const mine: Holder = {
    host: hostname(),
    pid: process.pid,
    born: await birth(process.pid),
    token: randomBytes(12).toString('hex'),
  };
  const text = JSON.stringify(mine);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${mine.token}`;
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  try {
    await take(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  const beat = setInterval(() => {
    void renew(path, text).then((held) => {
      if (!held) lost();
    }, lost);
  }, beatMs);
  beat.unref();
  return {
    release: async () => {
      clearInterval(beat);
      if ((await readText(path)) === text) await rm(path, { force: true });
    },
  };
};

const take = async (draft: string, path: string): Promise<void> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      // A link is made whole, and fails when there is one: of all who try at once, one succeeds.
      return await link(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const held = await readText(path);
    if (held !== undefined && !(await isGone(held, path, draft))) break;
    if (held !== undefined) await removeStale(path, held, `${draft}.stale`);
  }
  throw new StorageError('unavailable', 'The folder of DATABASE_URL is in use already.');
};

/** Moves it away first and looks at what was moved: it may be the lock of one who was faster. */
const removeStale = async (path: string, stale: string, aside: string): Promise<void> => {
  await rename(path, aside).catch(() => {});
  const moved = await readText(aside);
  if (moved !== undefined && moved !== stale) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
};

const isGone = async (text: string, path: string, draft: string): Promise<boolean> => {
  const { host, pid, born } = parse(text);
  if (host === hostname() && typeof pid === 'number') return !isAlive(pid) || (await birth(pid)) !== born;
  // Both times are the file system's own, so that no clock that differs or steps matters.
  const times = await Promise.all([stat(path), stat(draft)]).catch(() => undefined);
  return times !== undefined && times[1].mtimeMs - times[0].mtimeMs > SILENT_MS;
};

const renew = async (path: string, text: string): Promise<boolean> => {
  if ((await readText(path)) !== text) return false;
  const now = new Date();
  await utimes(path, now, now);
  return true;
};

const parse = (text: string): Partial<Holder> => {
  try {
    return (JSON.parse(text) as Partial<Holder> | null) ?? {};
  } catch {
    return {};
  }
};

const readText = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** When a process began, as the kernel counts; empty where there is no /proc. */
const birth = async (pid: number): Promise<string> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
};
