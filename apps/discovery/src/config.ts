import { logSettings, opsSettings } from '@portico/observe';
import { readSettings, setting } from '@portico/settings';
import type { Environment } from '@portico/settings';

export const settings = {
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  MCP_DISCOVERY_CACHE_TTL_SECS: setting.seconds({
    default: 300,
    meaning: "how long a source's lists count as fresh; 0: they are asked for each time",
  }),
  ...opsSettings,
  ...logSettings,
};

/** What `discovery` needs to know, read once. Throws a SettingError for the first setting that can not be used. */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  return {
    busUrl: read.BUS_URL,
    cacheTtlMs: read.MCP_DISCOVERY_CACHE_TTL_SECS * 1_000,
    ops: { host: read.OPS_HOST, port: read.OPS_PORT },
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}

export type DiscoveryConfig = ReturnType<typeof readConfig>;
