import { callTimeoutSettings, domainCallTimeoutMs } from '@portico/domain-kit';
import { logSettings, opsSettings } from '@portico/observe';
import { readSettings, setting } from '@portico/settings';
import type { Environment } from '@portico/settings';

export const settings = {
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  SLACK_BOT_TOKEN: setting.secret({
    meaning: 'set where slack-bridge has the bot token of Slack; it is not read here',
  }),
  ...callTimeoutSettings,
  ...opsSettings,
  ...logSettings,
};

/**
 * What the Slack adapter needs to know, read once. Undefined when no token is named: then there is no bridge. That one is
 * named is all that is looked at; neither it nor its file is kept or opened here.
 */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  if (read.SLACK_BOT_TOKEN === undefined) return undefined;
  return {
    busUrl: read.BUS_URL,
    callTimeoutMs: domainCallTimeoutMs(read.CALL_TIMEOUT_SECS),
    ops: { host: read.OPS_HOST, port: read.OPS_PORT },
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}
export type AdapterSlackConfig = NonNullable<ReturnType<typeof readConfig>>;
