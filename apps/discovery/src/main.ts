import { connectBus } from '@portico/bus';
import { Metrics, Readiness, createLog, openTelemetry, opsListener, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startDiscovery } from './discovery.module.js';

await runService(async () => {
  const env = withDotEnv(process.env, process.cwd());
  const config = readConfig(env);
  const log = createLog({ name: 'discovery', ...config.log });
  const readiness = new Readiness();
  const metrics = new Metrics();
  await openTelemetry('discovery', env, log, metrics);
  const { host, port } = config.ops;
  const ops = port === undefined ? undefined : await opsListener({ host, port }, { readiness, metrics });
  const bus = await connectBus({ url: config.busUrl, name: 'discovery', log, metrics });
  const discovery = await startDiscovery(bus, config, log, metrics);
  readiness.started();
  return {
    async close() {
      readiness.draining();
      await discovery.close();
      await bus.close();
      await ops?.close();
    },
  };
});
