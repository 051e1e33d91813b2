import { StorageError } from './storage-error.js';
import type { StorageErrorCode } from './storage-error.js';

/** By the code's beginning, the longest first: what PostgreSQL's own codes mean to a caller. */
const MEANING: readonly (readonly [string, StorageErrorCode])[] = [
  ['57014', 'timeout'],
  ['25P03', 'timeout'],
  ['57P', 'unavailable'],
  ['53300', 'unavailable'],
  ['08', 'unavailable'],
  ['28', 'unavailable'],
  ['3D', 'unavailable'],
  ['58', 'unavailable'],
  ['XX', 'unavailable'],
  ['53', 'full'],
  ['54', 'full'],
  ['40', 'conflict'],
  ['55P03', 'conflict'],
];

/** The connection, and with it what it was just asked, is over. */
const CONNECTION_ENDS = /^(57P|08|25P03)/;

/**
 * What pg throws, as ours. Of the server's own sentence only class 42 (an error in our SQL) is shown: others repeat values.
 * `asked`: whether a statement was on its way, so that it may have been done.
 */
export const ofPostgres = (error: unknown, asked: boolean): unknown => {
  if (error instanceof StorageError || typeof error !== 'object' || error === null) return error;
  const { name, message, code, severity, constraint } = error as Readonly<Record<string, unknown>>;
  if (typeof code === 'string' && typeof severity === 'string') {
    const means = MEANING.find(([start]) => code.startsWith(start))?.[1] ?? 'rejected';
    const said = code.startsWith('42') ? `: ${String(message)}` : '';
    return new StorageError(means, `PostgreSQL at DATABASE_URL refused (${code})${said}.`, {
      sqlState: code,
      constraint: typeof constraint === 'string' ? constraint : undefined,
      executed: asked && CONNECTION_ENDS.test(code) ? 'unknown' : 'no',
    });
  }
  const executed = asked ? 'unknown' : 'no';
  if (message === 'Query read timeout') {
    return new StorageError('timeout', 'PostgreSQL at DATABASE_URL did not answer in time.', { executed });
  }
  if (message === 'timeout exceeded when trying to connect') {
    return new StorageError('unavailable', 'No connection to PostgreSQL at DATABASE_URL became free in time.');
  }
  // Neither from the server nor from the socket: a parameter that can not be sent, for instance.
  if (name === 'TypeError' || name === 'RangeError') return error;
  const reason = typeof code === 'string' ? ` (${code})` : '';
  if (!asked && /CERT|SIGNATURE|ERR_TLS/.test(reason)) {
    const sentence = `The certificate of PostgreSQL at DATABASE_URL is not trusted by the CA that it names${reason}.`;
    return new StorageError('unavailable', sentence);
  }
  return asked
    ? new StorageError('unavailable', `The connection to PostgreSQL at DATABASE_URL was lost${reason}.`, { executed })
    : new StorageError('unavailable', `PostgreSQL at DATABASE_URL can not be reached${reason}.`);
};
