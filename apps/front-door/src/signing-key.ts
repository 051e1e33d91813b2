import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const KEY_BYTES = 32;

/**
 * The key that signs session ids, read from `path` as hex; made there at the first start, readable by its owner alone.
 * Throws one sentence naming SIGNING_KEY_FILE when the file can be neither read nor made, or holds no key.
 */
export function loadSigningKey(path: string): Buffer {
  try {
    return parse(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
    // A link fails when another process was faster: both then read the one key that is there.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new Error(`SIGNING_KEY_FILE could not be made at ${path}: ${(error as Error).message}`, { cause: error });
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return parse(path);
}

function parse(path: string): Buffer {
  const text = readFileSync(path, 'utf8').trim();
  if (!/^(?:[0-9a-f]{2}){32,}$/i.test(text)) {
    throw new Error(`SIGNING_KEY_FILE at ${path} must hold at least ${KEY_BYTES} bytes in hex.`);
  }
  return Buffer.from(text, 'hex');
}
