import { resolve } from 'node:path';
import { logSettings } from '@portico/observe';
import { type Environment, SettingError, readSettings, setting } from '@portico/settings';
import { authSettings, readAuth } from './auth/auth-settings.js';
import { cacheSettings, readCache } from './cache/cache-settings.js';
import { limitSettings, readLimits } from './limits/limit-settings.js';
import { policySettings } from './policy/policy-settings.js';
import { isLoopback } from './http-guards.js';

/** Subscriptions that one front door holds open at once, and one principal of them where callers are told apart. */
const SUBSCRIPTIONS = { total: 10_000, perPrincipal: 1_000 };

export const settings = {
  HOST: setting.text({ default: '127.0.0.1', meaning: 'where the front door listens for agents' }),
  PORT: setting.port({ default: 8080, meaning: 'its port; 0 picks one and prints it' }),
  ADMIN_HOST: setting.text({
    default: '127.0.0.1',
    meaning: 'where its operators are answered: /api, /healthz, /readyz, /metrics',
  }),
  ADMIN_PORT: setting.port({ default: 8081, meaning: 'their port; 0 picks one' }),
  PORTICO_HOME: setting.path({ default: '.portico', meaning: 'folder of everything written' }),
  SIGNING_KEY_FILE: setting.path({
    shownDefault: '$PORTICO_HOME/signing-key',
    meaning: 'key that signs session ids, made at first start, mode 0600; the same on every front door',
  }),
  ADMIN_TOKEN_FILE: setting.path({
    shownDefault: '$PORTICO_HOME/admin-token',
    meaning: 'what /api asks for as a bearer token, in every AUTH_MODE; made at first start, mode 0600',
  }),
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  ...authSettings,
  TRUST_PERIMETER: setting.flag({
    default: false,
    meaning: 'true: an authenticating proxy stands in front, so that AUTH_MODE=none may listen beyond loopback',
  }),
  ALLOWED_ORIGINS: setting.list({
    default: [],
    meaning: 'origins whose pages may call, such as https://app.example.com',
  }),
  ALLOWED_HOSTS: setting.list({
    default: [],
    meaning:
      'host names besides the loopback ones; checked while bound to loopback, and beyond it where some are named',
  }),
  BODY_LIMIT_BYTES: setting.integer({ default: 1_048_576, min: 1_024, meaning: 'largest request body' }),
  RESULT_LIMIT_BYTES: setting.integer({
    default: 1_048_576,
    min: 1_024,
    meaning: 'largest result of a call; lists are exempt',
  }),
  TOOL_NAMES: setting.oneOf(['dotted', 'folded'], {
    default: 'dotted',
    meaning: 'how tools/list shows names: domain.tool, or domain_tool for clients that take no dot',
  }),
  CONTEXT_IN_SCHEMAS: setting.oneOf(['on', 'off'], {
    default: 'on',
    meaning: 'off: the argument _gateway_context is not shown in the schemas of tools; it is understood all the same',
  }),
  ...policySettings,
  ...limitSettings,
  ...cacheSettings,
  MANIFEST: setting.onOff({
    default: true,
    meaning: 'off: there is no resource portico://manifest.json, which tells what its reader may see',
  }),
  LIST_TTL_SECS: setting.seconds({ default: 300, meaning: 'how long clients may keep a list; 0: not at all' }),
  ...logSettings,
};

/** What the front door needs to know, read once. Throws a SettingError for the first setting that can not be used. */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  if (!isLoopback(read.HOST) && read.AUTH_MODE === 'none' && !read.TRUST_PERIMETER) {
    throw new SettingError(
      'HOST',
      `HOST is ${JSON.stringify(read.HOST)}, which others can reach, while AUTH_MODE is none: set TRUST_PERIMETER=true if an ` +
        'authenticating proxy stands in front, or HOST to a loopback address.',
    );
  }
  const notOrigin = read.ALLOWED_ORIGINS.find((origin) => URL.parse(origin)?.origin !== origin);
  if (notOrigin !== undefined) {
    throw new SettingError(
      'ALLOWED_ORIGINS',
      `ALLOWED_ORIGINS has ${JSON.stringify(notOrigin)}, but it takes origins alone, such as https://app.example.com: no path, no slash at the end.`,
    );
  }
  return {
    host: read.HOST,
    port: read.PORT,
    admin: { host: read.ADMIN_HOST, port: read.ADMIN_PORT },
    adminTokenFile: read.ADMIN_TOKEN_FILE ?? resolve(read.PORTICO_HOME, 'admin-token'),
    signingKeyFile: read.SIGNING_KEY_FILE ?? resolve(read.PORTICO_HOME, 'signing-key'),
    auth: readAuth(read),
    limits: readLimits(read, read.AUTH_MODE),
    redisUrl: read.REDIS_URL,
    cache: readCache(read),
    policyFile: { path: read.POLICY_FILE ?? resolve('policy.yaml'), explicit: read.POLICY_FILE !== undefined },
    busUrl: read.BUS_URL,
    allowedOrigins: read.ALLOWED_ORIGINS,
    allowedHosts: read.ALLOWED_HOSTS,
    bodyLimitBytes: read.BODY_LIMIT_BYTES,
    resultLimitBytes: read.RESULT_LIMIT_BYTES,
    toolNames: read.TOOL_NAMES,
    contextInSchemas: read.CONTEXT_IN_SCHEMAS === 'on',
    subscriptions: read.AUTH_MODE === 'none' ? { ...SUBSCRIPTIONS, perPrincipal: SUBSCRIPTIONS.total } : SUBSCRIPTIONS,
    manifest: read.MANIFEST,
    listTtlMs: read.LIST_TTL_SECS * 1_000,
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}

export type FrontDoorConfig = ReturnType<typeof readConfig>;
