import { connectBus } from '@portico/bus';
import { Metrics, Readiness, createLog, openTelemetry, opsListener, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startAdapterPlane } from './adapter-plane.module.js';

await runService(async () => {
  const env = withDotEnv(process.env, process.cwd());
  const config = readConfig(env);
  if (!config) throw new Error('PLANE_URL is not set: it says which Plane to publish.');
  const log = createLog({ name: 'adapter-plane', ...config.log });
  const readiness = new Readiness();
  const metrics = new Metrics();
  await openTelemetry('adapter-plane', env, log, metrics);
  const { host, port } = config.ops;
  const ops = port === undefined ? undefined : await opsListener({ host, port }, { readiness, metrics });
  const bus = await connectBus({ url: config.busUrl, name: 'adapter-plane', log, metrics });
  const adapter = await startAdapterPlane(bus, config, log);
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
