import { Redis } from 'ioredis';
import type { SharedState } from './shared-state.js';
import { StorageError } from './storage-error.js';
import type { StorageLog } from './storage-log.js';
import { wholeTtl } from './whole-ttl.js';

const CONNECT_MS = 2_000;
const COMMAND_MS = 1_000;
/** So many commands without an answer, one after another, and the connection is dead, whatever TCP believes. */
const SILENT_COMMANDS = 3;
/** ioredis holds a timer for so long after its end. */
const DISCONNECT_MS = 500;
const RECONNECT_MS = { first: 50, most: 2_000 };

const DELETE_IF_EQUAL = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

/** Shared state in Redis. Nothing is kept to be sent later, and nothing is sent twice. */
export class RedisState implements SharedState {
  private closed = false;
  private unanswered = 0;

  private constructor(private readonly redis: Redis) {}

  /** Resolves when the first attempt to connect has ended, well or not. */
  static async open(url: string, log: StorageLog): Promise<RedisState> {
    const redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: CONNECT_MS,
      commandTimeout: COMMAND_MS,
      disconnectTimeout: DISCONNECT_MS,
      keepAlive: 10_000,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      // With 0, whatever waits for an answer when the connection breaks is rejected then.
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => Math.min(RECONNECT_MS.first * 2 ** Math.min(attempt - 1, 10), RECONNECT_MS.most),
    });
    tellConnections(redis, log);
    await redis.connect().catch(() => {});
    return new RedisState(redis);
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.ask('read', () => this.redis.get(key))) ?? undefined;
  }

  async set(key: string, value: string, { ttlMs }: { readonly ttlMs: number }): Promise<void> {
    const ttl = wholeTtl(ttlMs);
    await this.ask('write', () => this.redis.set(key, value, 'PX', ttl));
  }

  async setIfAbsent(key: string, value: string, { ttlMs }: { readonly ttlMs: number }): Promise<boolean> {
    const ttl = wholeTtl(ttlMs);
    return (await this.ask('write', () => this.redis.set(key, value, 'PX', ttl, 'NX'))) === 'OK';
  }

  async deleteIfEqual(key: string, value: string): Promise<boolean> {
    return (await this.ask('write', () => this.redis.eval(DELETE_IF_EQUAL, 1, key, value))) === 1;
  }

  async delete(key: string): Promise<void> {
    await this.ask('write', () => this.redis.del(key));
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.redis.removeAllListeners('close');
    if (this.redis.status === 'ready') await this.redis.quit().catch(() => {});
    this.redis.disconnect();
  }

  private async ask<T>(kind: 'read' | 'write', command: () => Promise<T>): Promise<T> {
    if (this.closed) throw new StorageError('closed', 'The shared state is closed.');
    if (this.redis.status !== 'ready') throw new StorageError('unavailable', 'Redis at REDIS_URL is not connected.');
    try {
      const answer = await command();
      this.unanswered = 0;
      return answer;
    } catch (error) {
      const known = ofRedis(error, kind);
      // ioredis' own socketTimeout would outlive its connection and end the next one.
      this.unanswered = known.code === 'timeout' ? this.unanswered + 1 : 0;
      if (this.unanswered >= SILENT_COMMANDS && !this.closed) {
        this.unanswered = 0;
        this.redis.disconnect(true);
      }
      throw known;
    }
  }
}

/** What ioredis throws holds the command and its values: none of it goes on. */
const ofRedis = (error: unknown, kind: 'read' | 'write'): StorageError => {
  const executed = kind === 'read' ? 'no' : 'unknown';
  const { name, message } = error as Error;
  if (name === 'ReplyError') {
    const word = /^[A-Z]{2,20}\b/.exec(message)?.[0] ?? 'ERR';
    if (word === 'OOM') return new StorageError('full', 'Redis at REDIS_URL is full (OOM).');
    // LOADING, MASTERDOWN, NOAUTH and the like pass or are set right at the server; the command did not run.
    const passes = ['LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN', 'BUSY', 'READONLY', 'MISCONF'].includes(word);
    return new StorageError(passes ? 'unavailable' : 'rejected', `Redis at REDIS_URL refused (${word}).`);
  }
  if (message === 'Command timed out') {
    return new StorageError('timeout', `Redis at REDIS_URL did not answer within ${COMMAND_MS} ms.`, { executed });
  }
  return new StorageError('unavailable', 'The connection to Redis at REDIS_URL was lost.', { executed });
};

/** A line when it is lost or can not be had, one when it is back; not one for each attempt. */
const tellConnections = (redis: Redis, log: StorageLog): void => {
  let told: 'lost' | 'back' | undefined;
  redis.on('error', (error: NodeJS.ErrnoException) => {
    if (told === 'lost') return;
    told = 'lost';
    const reason = error.code ?? /^[A-Z]{2,20}\b/.exec(error.message)?.[0] ?? error.name;
    log.warn('redis unreachable', { setting: 'REDIS_URL', reason });
  });
  redis.on('close', () => {
    if (told !== 'back') return;
    told = 'lost';
    log.warn('redis connection lost', { setting: 'REDIS_URL' });
  });
  redis.on('ready', () => {
    if (told === 'lost') log.info('redis connected', { setting: 'REDIS_URL' });
    told = 'back';
  });
};
