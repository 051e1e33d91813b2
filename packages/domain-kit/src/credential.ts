import { readFile, stat } from 'node:fs/promises';
import { Fault } from '@portico/contracts';
import type { SourceLog } from './source-log.js';

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
        unreadable = undefined;
        const stamp = `${mtimeMs} ${size} ${ino}`;
        if (known?.stamp !== stamp) {
          const secret = usable(await readFile(file, 'utf8'));
          if (secret === undefined)
            log?.error('backend.credential-unusable', { reason: 'empty, or with control characters' });
          known = { secret: secret ?? known?.secret, stamp };
        }
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

/** Without the line end that editors add; undefined when empty or not fit for a header. */
function usable(text: string): string | undefined {
  const secret = text.trim();
  // eslint-disable-next-line no-control-regex
  return secret === '' || /[\x00-\x1f\x7f]/.test(secret) ? undefined : secret;
}

function missing(): never {
  throw new Fault('UNAUTHENTICATED', 'The gateway has no usable credential for this backend.', { executed: 'no' });
}
