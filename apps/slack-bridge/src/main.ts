import { connectBus } from '@portico/bus';
import { Metrics, Readiness, createLog, openTelemetry, opsListener, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startSlackBridge } from './slack-bridge.module.js';

await runService(async () => {
  const env = withDotEnv(process.env, process.cwd());
  const config = readConfig(env);
  if (!config) throw new Error('SLACK_BOT_TOKEN_FILE is not set: it says where the bot token of Slack is.');
  const log = createLog({ name: 'slack-bridge', ...config.log });
  const readiness = new Readiness();
  const metrics = new Metrics();
  await openTelemetry('slack-bridge', env, log, metrics);
  const { host, port } = config.ops;
  const ops = port === undefined ? undefined : await opsListener({ host, port }, { readiness, metrics });
  const bus = await connectBus({ url: config.busUrl, name: 'slack-bridge', log, metrics });
  const bridge = await startSlackBridge(bus, config, log);
  readiness.started();
  return {
    async close() {
      readiness.draining();
      await bridge.close();
      await bus.close();
      await ops?.close();
    },
  };
});
