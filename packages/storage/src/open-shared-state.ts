import { AddressFile } from './address-file.js';
import { MemoryState } from './memory-state.js';
import { isRedisUrl } from './open-redis.js';
import type { SharedState, SharedStateOptions } from './shared-state.js';
import { StorageError } from './storage-error.js';
import { stderrLog } from './storage-log.js';

/**
 * The state at REDIS_URL: `memory:`, `redis://…`, or `rediss://…` for TLS. Rejects for an address that is none, at once and
 * without showing it. A Redis that is away is no reason to reject: it is sought for ever, and until it is there each
 * operation is `unavailable` at once.
 */
export const openSharedState = async (
  url: string,
  { log = stderrLog }: SharedStateOptions = {},
): Promise<SharedState> => {
  if (url === 'memory:') return new MemoryState();
  if (!isRedisUrl(new AddressFile(url).read())) {
    throw new StorageError('rejected', 'REDIS_URL takes "memory:", redis://host:port or rediss://host:port.');
  }
  const [{ RedisLink }, { RedisState }] = await Promise.all([import('./redis-link.js'), import('./redis-state.js')]);
  return new RedisState(await RedisLink.open(url, log));
};
