import { existsSync } from 'node:fs';
import { logSettings, opsSettings } from '@portico/observe';
import { readSettings, setting } from '@portico/settings';
import type { Environment } from '@portico/settings';

export const settings = {
  SEMANTIC_CACHE: setting.oneOf(['on', 'off'], {
    default: 'on',
    meaning: 'off takes the response cache out of the path of calls',
  }),
  CACHE_TENANT_BYTES: setting.integer({
    default: 104_857_600,
    meaning: 'most bytes of answers kept for a tenant; what was used longest ago goes first',
  }),
  EMBEDDING_MODEL_DIR: setting.path({
    shownDefault: 'the model that ships with it',
    meaning: 'folder of the embedding model, with its checksums',
  }),
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  DATABASE_URL: setting.text({
    default: 'pglite:$PORTICO_HOME/data',
    orFile: true,
    meaning: 'where what is saved is kept; embedded, last known catalogues are files under PORTICO_HOME',
  }),
  PORTICO_HOME: setting.path({ default: '.portico', meaning: 'folder of everything written' }),
  ...opsSettings,
  ...logSettings,
};

/** What `semantic-cache` needs to know, read once. Throws a SettingError for the first setting that can not be used. */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  return {
    on: read.SEMANTIC_CACHE === 'on',
    tenantBytes: read.CACHE_TENANT_BYTES,
    modelDir: read.EMBEDDING_MODEL_DIR,
    busUrl: read.BUS_URL,
    databaseUrl: read.DATABASE_URL,
    ops: { host: read.OPS_HOST, port: read.OPS_PORT },
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}

export type SemanticCacheConfig = ReturnType<typeof readConfig>;

/** Whether there may be entries from before: an embedded database that nobody has needed yet has none. */
export const mayHoldEntries = (databaseUrl: string): boolean => {
  const folder = /^pglite:(.+)$/.exec(databaseUrl)?.[1];
  return folder === undefined || (folder !== 'memory:' && existsSync(folder));
};
