import { addressProblem, callTimeoutSettings, domainCallTimeoutMs } from '@portico/domain-kit';
import { logSettings, opsSettings } from '@portico/observe';
import { SettingError, readSettings, setting } from '@portico/settings';
import type { Environment } from '@portico/settings';

export const settings = {
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  CI_DISPATCHER_URL: setting.url({ meaning: 'the CI dispatcher whose runs are published as dagger.*' }),
  CI_DISPATCHER_TOKEN: setting.secret({ meaning: 'a token of it that may read' }),
  ...callTimeoutSettings,
  ...opsSettings,
  ...logSettings,
};

/** What the Dagger adapter needs to know, read once. Undefined when there is no CI_DISPATCHER_URL. */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  if (read.CI_DISPATCHER_URL === undefined) return undefined;
  const problem = addressProblem(read.CI_DISPATCHER_URL);
  if (problem !== undefined)
    throw new SettingError('CI_DISPATCHER_URL', `CI_DISPATCHER_URL cannot be used: ${problem}.`);
  return {
    busUrl: read.BUS_URL,
    url: read.CI_DISPATCHER_URL,
    token: read.CI_DISPATCHER_TOKEN,
    callTimeoutMs: domainCallTimeoutMs(read.CALL_TIMEOUT_SECS),
    ops: { host: read.OPS_HOST, port: read.OPS_PORT },
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}
export type AdapterDaggerConfig = NonNullable<ReturnType<typeof readConfig>>;
