import { StorageError } from './storage-error.js';
import { type StorageLog, stderrLog } from './storage-log.js';

/** A Lua script that Redis runs as one step. It takes every key from KEYS and is sent whole only where it is not known yet. */
export interface RedisScript {
  /** For whoever reads the code: Redis knows it by its hash. */
  readonly name: string;
  readonly lua: string;
}

/** Scripts on one connection to Redis, which all of a process may share; whoever opened it closes it. */
export interface RedisScripts {
  /**
   * What the script returns, as Redis speaks: text, whole numbers, arrays and null. Keys are whole: nothing is put before
   * them. Rejects with a StorageError: `unavailable` at once while Redis is away, `timeout` after 1 s, and whatever happens
   * nothing is run twice. A `write` that may have run all the same is `executed: 'unknown'`.
   */
  run(
    script: RedisScript,
    keys: readonly string[],
    args: readonly (string | number)[],
    effect: 'read' | 'write',
  ): Promise<unknown>;
  close(): Promise<void>;
}

export interface RedisOptions {
  readonly log?: StorageLog | undefined;
  /** Milliseconds that the first attempt to connect is waited for: 2,000 unless given, and never more. */
  readonly waitMs?: number | undefined;
}

/**
 * Scripts on the Redis at REDIS_URL, `redis://…` or `rediss://…`. Rejects for any other address, `memory:` included, without
 * showing it. A Redis that is away is no reason to reject: it is sought for ever.
 */
export const openRedis = async (url: string, { log = stderrLog, waitMs }: RedisOptions = {}): Promise<RedisScripts> => {
  if (!isRedisUrl(url)) {
    throw new StorageError('rejected', 'REDIS_URL takes redis://host:port or rediss://host:port for what needs Redis.');
  }
  const { RedisLink } = await import('./redis-link.js');
  return RedisLink.open(url, log, waitMs);
};

export const isRedisUrl = (url: string): boolean => ['redis:', 'rediss:'].includes(URL.parse(url)?.protocol ?? '');
