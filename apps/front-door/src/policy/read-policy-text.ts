import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const LIMIT_BYTES = 1_048_576;

/**
 * The text of the file at `path`, at most 1 MiB of UTF-8. Throws an Error whose message completes "the file …". A device or
 * a pipe is not read, since it might never end.
 */
export function readPolicyText(path: string): string {
  const file = opened(path);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error('is not a regular file');
    if (stat.size > LIMIT_BYTES) throw new Error(`has ${stat.size} bytes, but it takes at most ${LIMIT_BYTES}`);
    return decoded(content(file));
  } finally {
    closeSync(file);
  }
}

function opened(path: string): number {
  try {
    // Opening a pipe would otherwise wait for who writes into it.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new Error(`can not be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`, { cause: error });
  }
}

/** It may have grown since it was measured. */
function content(file: number): Buffer {
  const buffer = Buffer.allocUnsafe(LIMIT_BYTES + 1);
  let length = 0;
  for (;;) {
    const read = readSync(file, buffer, length, buffer.length - length, length);
    length += read;
    if (length > LIMIT_BYTES) throw new Error(`has more than ${LIMIT_BYTES} bytes`);
    if (read === 0) return buffer.subarray(0, length);
  }
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('is not UTF-8 text');
  }
}
