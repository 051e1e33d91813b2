import type { RedisLink } from './redis-link.js';
import type { RedisScript } from './redis-scripts.js';
import type { SharedState } from './shared-state.js';
import { wholeTtl } from './whole-ttl.js';

const DELETE_IF_EQUAL: RedisScript = {
  name: 'delete-if-equal',
  lua: `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`,
};

/** Shared state in Redis. */
export class RedisState implements SharedState {
  constructor(private readonly link: RedisLink) {}

  async get(key: string): Promise<string | undefined> {
    return (await this.link.ask('read', (redis) => redis.get(key))) ?? undefined;
  }

  async set(key: string, value: string, { ttlMs }: { readonly ttlMs: number }): Promise<void> {
    const ttl = wholeTtl(ttlMs);
    await this.link.ask('write', (redis) => redis.set(key, value, 'PX', ttl));
  }

  async setIfAbsent(key: string, value: string, { ttlMs }: { readonly ttlMs: number }): Promise<boolean> {
    const ttl = wholeTtl(ttlMs);
    return (await this.link.ask('write', (redis) => redis.set(key, value, 'PX', ttl, 'NX'))) === 'OK';
  }

  async deleteIfEqual(key: string, value: string): Promise<boolean> {
    return (await this.link.run(DELETE_IF_EQUAL, [key], [value], 'write')) === 1;
  }

  async delete(key: string): Promise<void> {
    await this.link.ask('write', (redis) => redis.del(key));
  }

  close(): Promise<void> {
    return this.link.close();
  }
}
