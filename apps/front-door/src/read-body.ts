import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** Why a body could not become a JSON value; `aborted` has nobody left to be told. */
export type BodyProblem = 'too-large' | 'aborted' | 'not-utf8' | 'not-json' | 'too-deep' | 'empty';

export class BodyError extends Error {
  constructor(readonly problem: BodyProblem) {
    super(problem);
  }
}

/** Deepest nesting a body may have: far above any real call, far below what recursion over it could not take. */
export const DEPTH_LIMIT = 256;

/** Reads a request's body once and parses it as JSON. Throws `BodyError`; never holds more than `limitBytes`. */
export async function readJsonBody(req: IncomingMessage, limitBytes: number): Promise<unknown> {
  const bytes = await readBytes(req, limitBytes);
  if (bytes.length === 0) throw new BodyError('empty');
  if (!isUtf8(bytes)) throw new BodyError('not-utf8');
  if (deeperThan(bytes, DEPTH_LIMIT)) throw new BodyError('too-deep');
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw new BodyError('not-json');
  }
}

function readBytes(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(req.headers['content-length']) > limitBytes) return Promise.reject(new BodyError('too-large'));
  // Its sender left while something else was waited for: nothing would come any more, no end either.
  if (req.destroyed) return Promise.reject(new BodyError('aborted'));
  return new Promise((resolve, reject) => {
    let size = 0;
    let whole = false;
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) {
        req.removeAllListeners('data');
        req.pause();
        reject(new BodyError('too-large'));
        return;
      }
      chunks.push(chunk);
    });
    req.once('end', () => {
      whole = true;
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
    });
    const aborted = (): void => {
      if (!whole) reject(new BodyError('aborted'));
    };
    req.once('error', aborted);
    req.once('close', aborted);
  });
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether brackets outside strings nest deeper than `limit`; linear, and skipped for bodies too short to. */
function deeperThan(bytes: Buffer, limit: number): boolean {
  if (bytes.length <= limit * 2) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}
