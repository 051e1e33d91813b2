import { AddressFile } from './address-file.js';
import type { RedisOptions, RedisScripts } from './redis-scripts.js';
import { StorageError } from './storage-error.js';
import { stderrLog } from './storage-log.js';

/**
 * Scripts on the Redis at REDIS_URL, `redis://…` or `rediss://…`. Rejects for any other address, `memory:` included, without
 * showing it. A Redis that is away is no reason to reject: it is sought for ever.
 */
export const openRedis = async (url: string, { log = stderrLog, waitMs }: RedisOptions = {}): Promise<RedisScripts> => {
  if (!isRedisUrl(new AddressFile(url).read())) {
    throw new StorageError('rejected', 'REDIS_URL takes redis://host:port or rediss://host:port for what needs Redis.');
  }
  const { RedisLink } = await import('./redis-link.js');
  return RedisLink.open(url, log, waitMs);
};

export const isRedisUrl = (url: string): boolean => ['redis:', 'rediss:'].includes(URL.parse(url)?.protocol ?? '');
