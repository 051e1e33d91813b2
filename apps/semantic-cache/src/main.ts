import { connectBus } from '@portico/bus';
import { Metrics, Readiness, createLog, openTelemetry, opsListener, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startSemanticCache } from './semantic-cache.module.js';

await runService(async () => {
  const env = withDotEnv(process.env, process.cwd());
  const config = readConfig(env);
  const log = createLog({ name: 'semantic-cache', ...config.log });
  const readiness = new Readiness();
  const metrics = new Metrics();
  await openTelemetry('semantic-cache', env, log, metrics);
  const { host, port } = config.ops;
  const ops = port === undefined ? undefined : await opsListener({ host, port }, { readiness, metrics });
  const bus = await connectBus({ url: config.busUrl, name: 'semantic-cache', log, metrics });
  const cache = await startSemanticCache(bus, config, log, metrics);
  readiness.started();
  return {
    async close() {
      readiness.draining();
      await cache.close();
      await bus.close();
      await ops?.close();
    },
  };
});
