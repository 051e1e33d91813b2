import { StorageError } from './storage-error.js';

/** Milliseconds that Redis has for an answer. */
export const COMMAND_MS = 1_000;

/** LOADING, MASTERDOWN and the like pass or are set right at the server; the command did not run. */
const PASSING = ['LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN', 'BUSY', 'READONLY', 'MISCONF'];

/** What ioredis throws, as a StorageError. It holds the command and its values: none of that goes on. */
export const ofRedis = (error: unknown, effect: 'read' | 'write'): StorageError => {
  const executed = effect === 'read' ? 'no' : 'unknown';
  const { name, message } = error as Error;
  if (name === 'ReplyError') {
    const word = /^[A-Z]{2,20}\b/.exec(message)?.[0] ?? 'ERR';
    // Inside a script too, Redis says so before the first write or not at all.
    if (word === 'OOM') return new StorageError('full', 'Redis at REDIS_URL is full (OOM).');
    if (PASSING.includes(word)) return new StorageError('unavailable', `Redis at REDIS_URL refused (${word}).`);
    // A script that failed half-way has done its first half.
    const half = /\bscript\b|user_script/.test(message);
    return new StorageError('rejected', `Redis at REDIS_URL refused (${word}).`, { executed: half ? executed : 'no' });
  }
  if (message === 'Command timed out') {
    return new StorageError('timeout', `Redis at REDIS_URL did not answer within ${COMMAND_MS} ms.`, { executed });
  }
  return new StorageError('unavailable', 'The connection to Redis at REDIS_URL was lost.', { executed });
};

/** Whether Redis refused to run a script by its hash, having forgotten it. */
export const isUnknownScript = (error: unknown): boolean =>
  (error as Error).name === 'ReplyError' && (error as Error).message.startsWith('NOSCRIPT');
