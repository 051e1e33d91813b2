import { resolve } from 'node:path';
import { logSettings, opsSettings } from '@portico/observe';
import { readSettings, setting } from '@portico/settings';
import type { Environment } from '@portico/settings';

export const settings = {
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  DATABASE_URL: setting.text({
    default: 'pglite:$PORTICO_HOME/data',
    orFile: true,
    meaning: 'where what is saved is kept; embedded, server entries are files under PORTICO_HOME',
  }),
  PORTICO_HOME: setting.path({ default: '.portico', meaning: 'folder of everything written' }),
  WORKSPACE: setting.path({
    default: 'workspace',
    meaning: 'what {workspace} means in server entries; made at first use with a short welcome file',
  }),
  MCP_SERVERS_FILE: setting.path({
    shownDefault: 'mcp.json if it exists, else the built-in entries files, memory',
    meaning: 'MCP servers to hold, in the mcpServers format that every MCP client uses; read again when it changes',
  }),
  SERVER_SECRETS: setting.list({
    default: [],
    meaning: 'names that ${env:NAME} and ${file:NAME} may use in server entries saved by API',
  }),
  SECRETS_DIR: setting.path({ meaning: 'folder of the files that ${file:NAME} in server entries names' }),
  STDIO_BY_API: setting.onOff({ default: true, meaning: 'off: the API accepts servers over HTTP only' }),
  CALL_TIMEOUT_SECS: setting.seconds({
    min: 0.001,
    shownDefault: '30 for domains, 120 for upstream servers',
    meaning: "the deadline of a call; an entry's own comes first",
  }),
  UPSTREAM_ANSWER_LIMIT_BYTES: setting.integer({
    default: 8_388_608,
    min: 1_024,
    meaning: 'largest answer taken from an upstream server',
  }),
  PER_PRINCIPAL_SESSIONS: setting.integer({
    default: 100,
    min: 1,
    meaning: 'most sessions held for one server whose callers have one each',
  }),
  PER_PRINCIPAL_IDLE_SECS: setting.seconds({
    default: 900,
    min: 1,
    meaning: 'how long such a session is kept without a call',
  }),
  ...opsSettings,
  ...logSettings,
};

const UPSTREAM_CALL_TIMEOUT_SECS = 120;

/** What `upstreams` needs to know, read once. Throws a SettingError for the first setting that can not be used. */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  return {
    busUrl: read.BUS_URL,
    home: read.PORTICO_HOME,
    workspace: read.WORKSPACE,
    databaseUrl: read.DATABASE_URL,
    /** `optional`: while there is none, the built-in entries are served. */
    serversFile: { path: read.MCP_SERVERS_FILE ?? resolve('mcp.json'), optional: read.MCP_SERVERS_FILE === undefined },
    serverSecrets: new Set(read.SERVER_SECRETS),
    stdioByApi: read.STDIO_BY_API,
    secretsDir: read.SECRETS_DIR,
    callTimeoutMs: Math.ceil((read.CALL_TIMEOUT_SECS ?? UPSTREAM_CALL_TIMEOUT_SECS) * 1_000),
    answerLimitBytes: read.UPSTREAM_ANSWER_LIMIT_BYTES,
    perPrincipalSessions: read.PER_PRINCIPAL_SESSIONS,
    perPrincipalIdleMs: Math.ceil(read.PER_PRINCIPAL_IDLE_SECS * 1_000),
    /** As it was at the start: what `${env:NAME}` refers to, and where PATH, HOME and LANG of the servers come from. */
    environment: { ...env },
    ops: { host: read.OPS_HOST, port: read.OPS_PORT },
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}

export type UpstreamsConfig = ReturnType<typeof readConfig>;
