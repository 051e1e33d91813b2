import { connectBus } from '@portico/bus';
import { Metrics, Readiness, createLog, openTelemetry, opsListener, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startAdapterSlack } from './adapter-slack.module.js';

await runService(async () => {
  const env = withDotEnv(process.env, process.cwd());
  const config = readConfig(env);
  if (!config)
    throw new Error(
      'SLACK_BOT_TOKEN_FILE is not set: without it there is no bridge to Slack. Its file need not be here.',
    );
  const log = createLog({ name: 'adapter-slack', ...config.log });
  const readiness = new Readiness();
  const metrics = new Metrics();
  await openTelemetry('adapter-slack', env, log, metrics);
  const { host, port } = config.ops;
  const ops = port === undefined ? undefined : await opsListener({ host, port }, { readiness, metrics });
  const bus = await connectBus({ url: config.busUrl, name: 'adapter-slack', log, metrics });
  const adapter = await startAdapterSlack(bus, config, log);
  readiness.started();
  return {
    async close() {
      readiness.draining();
      await adapter.close();
      await bus.close();
      await ops?.close();
    },
  };
});
