import { readConfig, startAdapterSlack } from '@portico/adapter-slack';
import { createLog } from '@portico/observe';
import { readConfig as readBridgeConfig, startSlackBridge } from '@portico/slack-bridge';
import { SlackDouble, describeDomain } from '@portico/testkit';

describeDomain('slack', async () => {
  const slack = await SlackDouble.start();
  const env = { SLACK_API_URL: slack.apiUrl, SLACK_BOT_TOKEN: SlackDouble.TOKEN };
  const log = createLog({ level: 'silent', name: 'test' });
  return {
    source: 'domain.slack',
    async serve(bus) {
      const bridge = await startSlackBridge(bus, readBridgeConfig(env)!, log);
      const adapter = await startAdapterSlack(bus, readConfig(env)!, log);
      return { close: () => adapter.close().then(() => bridge.close()) };
    },
    backendRequests: () => slack.proxy.requests.length,
    badArguments: { tool: 'read_channel', arguments: { channel: 'C1/../users.list' } },
    hang() {
      const arrived = slack.proxy.arrived();
      let release = () => {};
      slack.proxy.faults.push((response) => void (release = () => response.end()));
      return { tool: 'list_users', arguments: {}, arrived: () => arrived, release: () => release() };
    },
    close: () => slack.close(),
  };
});
