import type { StorageLog } from './storage-log.js';

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
