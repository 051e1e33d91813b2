import { connectBus } from '@portico/bus';
import { Metrics, Readiness, createLog, openTelemetry, opsListener, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startAdapterCluster } from './adapter-cluster.module.js';

await runService(async () => {
  const env = withDotEnv(process.env, process.cwd());
  const config = readConfig(env);
  if (!config)
    throw new Error(
      'CLUSTER_MCP_URL is not set, nor is CLUSTER_MCP_COMMAND: one of them says which server to publish.',
    );
  const log = createLog({ name: 'adapter-cluster', ...config.log });
  const readiness = new Readiness();
  const metrics = new Metrics();
  await openTelemetry('adapter-cluster', env, log, metrics);
  const { host, port } = config.ops;
  const ops = port === undefined ? undefined : await opsListener({ host, port }, { readiness, metrics });
  const bus = await connectBus({ url: config.busUrl, name: 'adapter-cluster', log, metrics });
  const adapter = await startAdapterCluster(bus, config, log);
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
