import { addressProblem } from '@portico/domain-kit';
import { logSettings, opsSettings } from '@portico/observe';
import { SettingError, readSettings, setting } from '@portico/settings';
import type { Environment } from '@portico/settings';

export const settings = {
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  SLACK_BOT_TOKEN: setting.secret({
    meaning: 'the bot token of Slack, read by slack-bridge alone: slack.* is there when it is set',
  }),
  SLACK_API_URL: setting.url({ default: 'https://slack.com/api', meaning: 'the Web API of Slack' }),
  SLACK_CHANNELS: setting.list({
    default: [],
    shownDefault: 'the public channels it is in',
    meaning: 'the channels of slack.*, by id or name, private ones too; no other is',
  }),
  ...opsSettings,
  ...logSettings,
};

const CHANNEL = /^#?[\p{L}\p{M}\p{N}_-]{1,80}$/u;

/** What the bridge needs to know, read once. Undefined when no token is set. */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  if (read.SLACK_BOT_TOKEN === undefined) return undefined;
  const problem = addressProblem(read.SLACK_API_URL);
  if (problem !== undefined) throw new SettingError('SLACK_API_URL', `SLACK_API_URL cannot be used: ${problem}.`);
  const wrong = read.SLACK_CHANNELS.find((channel) => !CHANNEL.test(channel));
  if (wrong !== undefined) {
    const got = JSON.stringify(wrong.slice(0, 100));
    throw new SettingError(
      'SLACK_CHANNELS',
      `SLACK_CHANNELS has ${got} in it, but takes ids like C0123456789 and names like incidents.`,
    );
  }
  return {
    busUrl: read.BUS_URL,
    token: read.SLACK_BOT_TOKEN,
    apiUrl: read.SLACK_API_URL,
    channels: read.SLACK_CHANNELS,
    ops: { host: read.OPS_HOST, port: read.OPS_PORT },
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}
export type SlackBridgeConfig = NonNullable<ReturnType<typeof readConfig>>;
