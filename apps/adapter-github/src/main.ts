import { connectBus } from '@portico/bus';
import { Metrics, Readiness, createLog, openTelemetry, opsListener, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startAdapterGithub } from './adapter-github.module.js';

await runService(async () => {
  const env = withDotEnv(process.env, process.cwd());
  const config = readConfig(env);
  if (!config) throw new Error('GITHUB_REPOSITORIES is not set: it says which repositories may be read.');
  const log = createLog({ name: 'adapter-github', ...config.log });
  const readiness = new Readiness();
  const metrics = new Metrics();
  await openTelemetry('adapter-github', env, log, metrics);
  const { host, port } = config.ops;
  const ops = port === undefined ? undefined : await opsListener({ host, port }, { readiness, metrics });
  const bus = await connectBus({ url: config.busUrl, name: 'adapter-github', log, metrics });
  const adapter = await startAdapterGithub(bus, config, log);
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
