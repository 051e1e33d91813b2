import { logSettings, opsSettings } from '@portico/observe';
import { readSettings, setting } from '@portico/settings';
import type { Environment } from '@portico/settings';

export const settings = {
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  DATABASE_URL: setting.text({
    default: 'pglite:$PORTICO_HOME/data',
    orFile: true,
    meaning: 'where what is saved is kept; embedded, last known catalogues are files under PORTICO_HOME',
  }),
  REDIS_URL: setting.text({
    default: 'memory:',
    orFile: true,
    meaning: 'where replicas share what they know for a short time, such as redis://host:6379',
  }),
  PORTICO_HOME: setting.path({ default: '.portico', meaning: 'folder of everything written' }),
  MCP_DISCOVERY_CACHE_TTL_SECS: setting.seconds({
    default: 300,
    meaning: "how long a source's lists count as fresh; 0: they are asked for each time",
  }),
  MCP_DISCOVERY_CACHE_MAX_ENTRIES: setting.integer({
    default: 256,
    min: 1,
    meaning: "most sources' lists held in memory; the last known ones of all are kept on disk",
  }),
  MCP_DISCOVERY_GRACE_SECS: setting.seconds({
    default: 3_600,
    meaning: 'how long the lists of a source that fails are served beyond their time',
  }),
  BREAKER_FAILURES: setting.integer({
    default: 5,
    min: 1,
    meaning: 'failures in a row after which a source is asked nothing for a while',
  }),
  BREAKER_RESET_SECS: setting.seconds({
    default: 30,
    meaning: 'how long that is; then one attempt decides',
  }),
  ...opsSettings,
  ...logSettings,
};

/** What `discovery` needs to know, read once. Throws a SettingError for the first setting that can not be used. */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  return {
    busUrl: read.BUS_URL,
    databaseUrl: read.DATABASE_URL,
    redisUrl: read.REDIS_URL,
    home: read.PORTICO_HOME,
    cacheTtlMs: read.MCP_DISCOVERY_CACHE_TTL_SECS * 1_000,
    maxEntries: read.MCP_DISCOVERY_CACHE_MAX_ENTRIES,
    graceMs: read.MCP_DISCOVERY_GRACE_SECS * 1_000,
    breaker: { failures: read.BREAKER_FAILURES, resetMs: read.BREAKER_RESET_SECS * 1_000 },
    ops: { host: read.OPS_HOST, port: read.OPS_PORT },
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}

export type DiscoveryConfig = ReturnType<typeof readConfig>;
