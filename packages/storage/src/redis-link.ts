import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { AddressFile } from './address-file.js';
import { redisAddress } from './redis-address.js';
import { COMMAND_MS, isUnknownScript, ofRedis } from './redis-error.js';
import type { RedisScript, RedisScripts } from './redis-scripts.js';
import { StorageError } from './storage-error.js';
import type { StorageLog } from './storage-log.js';

const CONNECT_MS = 2_000;
/** So many commands without an answer, one after another, and the connection is dead, whatever TCP believes. */
const SILENT_COMMANDS = 3;
/** ioredis holds a timer for so long after its end. */
const DISCONNECT_MS = 500;
/** Milliseconds between looks at whether the address is another now. */
const LOOK_MS = 1_000;
const RECONNECT_MS = { first: 50, most: 1_000 };

/** One connection to Redis, sought again for ever. Nothing is kept to be sent later, and nothing is sent twice. */
export class RedisLink implements RedisScripts {
  private readonly hashes = new WeakMap<RedisScript, string>();
  private closed = false;
  private unanswered = 0;

  private looked = performance.now();

  private constructor(
    private readonly redis: Redis,
    private readonly file: AddressFile,
    private used: string,
  ) {}

  /** Resolves when the first attempt to connect has ended, well or not, or after `waitMs`. */
  static async open(url: string, log: StorageLog, waitMs = CONNECT_MS): Promise<RedisLink> {
    const file = new AddressFile(url);
    const first = file.read();
    const redis = new Redis({
      ...redisAddress(first),
      lazyConnect: true,
      connectTimeout: CONNECT_MS,
      commandTimeout: COMMAND_MS,
      disconnectTimeout: DISCONNECT_MS,
      keepAlive: 10_000,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      // With 0, whatever waits for an answer when the connection breaks is rejected then.
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => {
        takeAddress(redis, file.read());
        return Math.min(RECONNECT_MS.first * 2 ** Math.min(attempt - 1, 10), RECONNECT_MS.most);
      },
    });
    tellConnections(redis, log);
    const enough = new AbortController();
    const waited = delay(waitMs, undefined, { signal: enough.signal }).catch(() => {});
    await Promise.race([redis.connect().catch(() => {}), waited]);
    enough.abort();
    return new RedisLink(redis, file, first);
  }

  run(
    script: RedisScript,
    keys: readonly string[],
    args: readonly (string | number)[],
    effect: 'read' | 'write',
  ): Promise<unknown> {
    return this.ask(effect, async (redis) => {
      try {
        return await redis.evalsha(this.hashOf(script), keys.length, ...keys, ...args);
      } catch (error) {
        // Refused before it ran: Redis started anew and knows no script yet.
        if (!isUnknownScript(error)) throw error;
        return redis.eval(script.lua, keys.length, ...keys, ...args);
      }
    });
  }

  /** One command, or several of which only the last is carried out. Rejects with a StorageError. */
  async ask<T>(effect: 'read' | 'write', command: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.closed) throw new StorageError('closed', 'The connection to Redis is closed.');
    if (this.redis.status !== 'ready') throw new StorageError('unavailable', 'Redis at REDIS_URL is not connected.');
    if (this.file.inFile) this.follow();
    try {
      const answer = await command(this.redis);
      this.unanswered = 0;
      return answer;
    } catch (error) {
      const known = ofRedis(error, effect);
      // ioredis' own socketTimeout would outlive its connection and end the next one.
      this.unanswered = known.code === 'timeout' ? this.unanswered + 1 : 0;
      if (this.unanswered >= SILENT_COMMANDS && !this.closed) {
        this.unanswered = 0;
        this.redis.disconnect(true);
      }
      throw known;
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.redis.removeAllListeners('close');
    if (this.redis.status === 'ready') await this.redis.quit().catch(() => {});
    this.redis.disconnect();
  }

  /** Signs in anew on the connection that there is when the address has become another: what runs goes on. */
  private follow(): void {
    if (performance.now() - this.looked < LOOK_MS) return;
    this.looked = performance.now();
    const now = this.file.read();
    if (now === this.used) return;
    this.used = now;
    takeAddress(this.redis, now);
    const { username, password } = this.redis.options;
    if (!password) return;
    (username ? this.redis.auth(username, password) : this.redis.auth(password)).catch(() => (this.used = ''));
  }

  private hashOf(script: RedisScript): string {
    let hash = this.hashes.get(script);
    if (hash === undefined) this.hashes.set(script, (hash = createHash('sha1').update(script.lua).digest('hex')));
    return hash;
  }
}

/** For the next connection; an address that can not be used changes nothing. */
const takeAddress = (redis: Redis, address: string): void => {
  try {
    Object.assign(redis.options, redisAddress(address));
  } catch {
    // The last one stays.
  }
};

/** A line when it is lost or can not be had, one when it is back; not one for each attempt. */
const tellConnections = (redis: Redis, log: StorageLog): void => {
  let told: 'lost' | 'back' | undefined;
  redis.on('error', (error: NodeJS.ErrnoException) => {
    if (told === 'lost') return;
    told = 'lost';
    const reason = error.code ?? /^[A-Z]{2,20}\b/.exec(error.message)?.[0] ?? error.name;
    log.warn('redis.unreachable', { setting: 'REDIS_URL', reason });
  });
  redis.on('close', () => {
    if (told !== 'back') return;
    told = 'lost';
    log.warn('redis.connection-lost', { setting: 'REDIS_URL' });
  });
  redis.on('ready', () => {
    if (told === 'lost') log.info('redis.connected', { setting: 'REDIS_URL' });
    told = 'back';
  });
};
