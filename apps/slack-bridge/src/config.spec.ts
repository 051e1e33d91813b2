import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

describe('[AD-16] the settings of the Slack bridge', () => {
  it('is not configured without a token', () => {
    expect(readConfig({ SLACK_CHANNELS: 'incidents' })).toBeUndefined();
  });

  it('takes a file for its token before the token itself, and channels by id and name', () => {
    const env = {
      SLACK_BOT_TOKEN: 't',
      SLACK_BOT_TOKEN_FILE: '/run/t',
      SLACK_CHANNELS: 'C0123456789, #incidents, büro',
    };
    expect(readConfig(env)).toMatchObject({
      token: { file: '/run/t' },
      apiUrl: 'https://slack.com/api',
      channels: ['C0123456789', '#incidents', 'büro'],
    });
  });

  it.each(['*', 'inci*', 'a b', '#', '##a', 'https://acme.slack.com/archives/C1'])(
    'refuses the channel %s',
    (channel) => {
      expect(() => readConfig({ SLACK_BOT_TOKEN: 't', SLACK_CHANNELS: `incidents,${channel}` })).toThrow(
        `SLACK_CHANNELS has ${JSON.stringify(channel)} in it, but takes ids like C0123456789 and names like incidents.`,
      );
    },
  );

  it('takes no address without TLS', () => {
    const env = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_API_URL: 'http://slack.example.com/api' };
    expect(() => readConfig(env)).toThrow(/^SLACK_API_URL cannot be used: http:\/\/ is only for loopback/);
  });
});
