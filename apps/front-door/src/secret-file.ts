import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The text of a file that holds one secret, without the space around it; made at the first start, readable by its owner alone.
 * Processes that start together read the one file that came to be. Throws one sentence that names `setting` when the file
 * can be neither read nor made.
 */
export function secretFile(path: string, setting: string, make: () => string): string {
  const found = read(path, setting);
  if (found !== undefined) return found;
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${make()}\n`, { mode: 0o600, flag: 'wx' });
    // A link fails when another process was faster: both then read the one that is there.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(path, setting, 'made', error);
  } finally {
    rmSync(draft, { force: true });
  }
  const text = read(path, setting);
  // A link that leads nowhere is there and is not.
  if (text === undefined)
    throw unusable(path, setting, 'read', Object.assign(new Error('It is gone.'), { code: 'ENOENT' }));
  return text;
}

function read(path: string, setting: string): string | undefined {
  try {
    // A device or a pipe might never end.
    if (!statSync(path).isFile()) throw Object.assign(new Error('It is no file.'), { code: 'not a file' });
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, setting, 'read', error);
  }
}

const unusable = (path: string, setting: string, verb: string, error: unknown): Error =>
  new Error(`${setting} could not be ${verb} at ${path} (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`, {
    cause: error,
  });
