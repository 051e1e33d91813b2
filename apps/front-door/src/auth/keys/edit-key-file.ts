import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KeyEntry, keyFileText, readKeyFile } from '../key-file.js';

const LOCK_WAIT_MS = 5_000;

/**
 * Replaces the keys of a file by what `edit` makes of them, whole or not at all; readable by its owner alone. Edits at the
 * same time come one after the other. Rejects with one sentence when the file, or its lock, can not be had.
 */
export async function editKeyFile(
  given: string,
  edit: (keys: readonly KeyEntry[]) => readonly KeyEntry[],
): Promise<void> {
  const path = target(given);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = `${path}.lock`;
  await acquire(lock);
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  try {
    const text = keyFileText(edit(readKeyFile(path) ?? []));
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
    rmSync(lock, { force: true });
  }
}

/** Where a link leads: it stays one. */
const target = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

async function acquire(lock: string): Promise<void> {
  for (const deadline = performance.now() + LOCK_WAIT_MS; ; await sleep(20)) {
    try {
      closeSync(openSync(lock, 'wx', 0o600));
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST') throw new Error(`The file of keys can not be written (${code}).`, { cause: error });
      if (performance.now() > deadline)
        throw new Error(`Somebody else is changing the keys. If nobody is, remove ${lock} and try again.`);
    }
  }
}
