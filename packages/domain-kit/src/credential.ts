import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Fault } from '@portico/contracts';
import type { SourceLog } from './source-log.js';

const MOST_BYTES = 16_384;
const UNUSABLE = `empty, longer than ${MOST_BYTES} bytes, or with more than printable ASCII in it`;

/** A secret as it is now. */
export interface Credential {
  /** Throws UNAUTHENTICATED (`executed: no`) when there is none to be had. */
  read(): Promise<string>;
}

/**
 * A credential from a file, read again whenever the file changes, or else a fixed value; the file goes first when both
 * are given. A file that becomes unreadable leaves the last good value in use; both are logged, without the path.
 */
export function credentialFrom(
  from: { file?: string | undefined; value?: string | undefined },
  log?: SourceLog,
): Credential {
  if (from.file !== undefined) return fileCredential(from.file, log);
  const value = usable(from.value ?? '');
  return {
    async read() {
      return value ?? missing();
    },
  };
}

function fileCredential(file: string, log?: SourceLog): Credential {
  let known: { secret: string | undefined; stamp: string } | undefined;
  let unreadable: string | undefined;
  return {
    async read() {
      try {
        // Before the content, so that a change in between is seen the next time.
        const { mtimeMs, size, ino } = await stat(file);
        const stamp = `${mtimeMs} ${size} ${ino}`;
        if (known?.stamp !== stamp) {
          const secret = usable(await contentOf(file));
          if (secret === undefined) log?.error('backend.credential-unusable', { reason: UNUSABLE });
          known = { secret: secret ?? known?.secret, stamp };
        }
        unreadable = undefined;
      } catch (error) {
        // Told once, not at each request until somebody mends it.
        const reason = (error as NodeJS.ErrnoException).code ?? 'unknown';
        if (reason !== unreadable) log?.error('backend.credential-unreadable', { reason });
        unreadable = reason;
      }
      return known?.secret ?? missing();
    },
  };
}

/** At most one character more than a credential may have, and only of a file: whatever else stands there may never end. */
async function contentOf(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) throw Object.assign(new Error('It is no file.'), { code: 'NO_FILE' });
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MOST_BYTES + 1));
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Without the line end that editors add; undefined when it is not fit for a header. */
function usable(text: string): string | undefined {
  const secret = text.trim();
  return text.length <= MOST_BYTES && /^[\x20-\x7e]+$/.test(secret) ? secret : undefined;
}

function missing(): never {
  throw new Fault('UNAUTHENTICATED', 'The gateway has no usable credential for this backend.', { executed: 'no' });
}
