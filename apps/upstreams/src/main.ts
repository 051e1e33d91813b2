import { connectBus } from '@portico/bus';
import { Metrics, Readiness, createLog, openTelemetry, opsListener, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startUpstreams } from './upstreams.module.js';

await runService(async () => {
  const env = withDotEnv(process.env, process.cwd());
  const config = readConfig(env);
  const log = createLog({ name: 'upstreams', ...config.log });
  const readiness = new Readiness();
  const metrics = new Metrics();
  await openTelemetry('upstreams', env, log, metrics);
  const { host, port } = config.ops;
  const ops = port === undefined ? undefined : await opsListener({ host, port }, { readiness, metrics });
  const bus = await connectBus({ url: config.busUrl, name: 'upstreams', log, metrics });
  const upstreams = await startUpstreams(bus, config, log);
  readiness.started();
  return {
    async close() {
      readiness.draining();
      await upstreams.close();
      await bus.close();
      await ops?.close();
    },
  };
});
