import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readConfig, settings, startAdapterSlack } from '@portico/adapter-slack';
import { memoryBus } from '@portico/bus';
import { describeSource, sourceHealth } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { AskedDomain, SlackDouble } from '@portico/testkit';

const app = join(import.meta.dirname, '..');

describe('[AD-16] adapter-slack', () => {
  it('is configured where a token is named, and has nothing of it', () => {
    expect(readConfig({})).toBeUndefined();
    const byFile = readConfig({ SLACK_BOT_TOKEN_FILE: '/run/secrets/there-is-no-such-file' });
    const byValue = readConfig({ SLACK_BOT_TOKEN: SlackDouble.TOKEN });
    expect(byFile).toEqual(byValue);
    expect(JSON.stringify([byFile, byValue])).not.toMatch(/xoxb|secrets/);
    expect(Object.keys(settings).filter((name) => name.startsWith('SLACK_'))).toEqual(['SLACK_BOT_TOKEN']);
  });

  it('has nothing by which Slack could be reached', () => {
    const { dependencies } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies).filter((name) => /slack|undici|axios|fetch/.test(name))).toEqual([]);
    for (const name of readdirSync(join(app, 'src'), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('.spec.ts')) continue;
      const source = readFileSync(join(app, 'src', name), 'utf8');
      expect([name, /node:(https?|net|tls|dns)|\bfetch\(|Backend(Client|Reader)|credentialFrom/.exec(source)]).toEqual([
        name,
        null,
      ]);
    }
  });

  it('without a bridge lists its tools, is down, and does nothing', async () => {
    const slack = new AskedDomain(memoryBus(), 'domain.slack');
    const log = createLog({ name: 'test', level: 'silent' });
    const served = await startAdapterSlack(slack.bus, readConfig({ SLACK_BOT_TOKEN: 'x' })!, log);
    expect((await slack.bus.ask(describeSource('domain.slack'), {})).tools).toHaveLength(7);
    expect(await slack.bus.ask(sourceHealth('domain.slack'), {})).toEqual({
      state: 'down',
      detail: 'BACKEND_UNAVAILABLE',
    });
    const fault = await slack.fault('post_message', { channel: 'C0123456789', text: 'x' });
    // Not `unserved`: it is not the domain that nobody serves.
    expect(fault.toRecord()).toEqual({
      code: 'BACKEND_UNAVAILABLE',
      message: 'The bridge to Slack is not running.',
      executed: 'no',
    });
    await served.close();
    await slack.bus.close();
  });
});
