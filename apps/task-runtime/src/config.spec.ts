import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

describe('the settings of task-runtime', () => {
  it('needs none', () => {
    expect(readConfig({})).toMatchObject({ busUrl: 'memory:', redisUrl: 'memory:' });
  });

  it('takes its store and its bus', () => {
    const env = { REDIS_URL: 'redis://redis:6379', BUS_URL: 'nats://nats:4222' };
    expect(readConfig(env)).toMatchObject({ busUrl: 'nats://nats:4222', redisUrl: 'redis://redis:6379' });
  });
});
