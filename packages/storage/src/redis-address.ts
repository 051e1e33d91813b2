import { readFileSync } from 'node:fs';
import type { RedisOptions } from 'ioredis';
import { StorageError } from './storage-error.js';

/** What ioredis is told of `redis://user:password@host:port/db`, or `rediss://…?ca=file` with the CA of the server. Throws a StorageError. */
export const redisAddress = (text: string): RedisOptions => {
  const url = new URL(text);
  const ca = url.searchParams.get('ca');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 6379),
    db: Number(url.pathname.slice(1) || 0),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    ...(url.protocol === 'rediss:' && { tls: ca === null ? {} : { ca: certificates(ca) } }),
  };
};

const certificates = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new StorageError('rejected', `REDIS_URL names a CA file that can not be read (${reason}).`);
  }
};
