import { callTimeoutSettings, domainCallTimeoutMs } from '@portico/domain-kit';
import { logSettings, opsSettings } from '@portico/observe';
import { readSettings, setting } from '@portico/settings';
import type { Environment } from '@portico/settings';

export const settings = {
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  REDIS_URL: setting.text({
    default: 'memory:',
    orFile: true,
    meaning: 'where replicas share what they know for a short time, such as redis://host:6379',
  }),
  ...callTimeoutSettings,
  ...opsSettings,
  ...logSettings,
};

/** What `task-runtime` needs to know, read once. Throws a SettingError for the first setting that can not be used. */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  return {
    busUrl: read.BUS_URL,
    redisUrl: read.REDIS_URL,
    callTimeoutMs: domainCallTimeoutMs(read.CALL_TIMEOUT_SECS),
    ops: { host: read.OPS_HOST, port: read.OPS_PORT },
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}

export type TaskRuntimeConfig = ReturnType<typeof readConfig>;
