import { connectBus } from '@portico/bus';
import { Metrics, Readiness, createLog, openTelemetry, opsListener, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startAdapterN8n } from './adapter-n8n.module.js';

await runService(async () => {
  const env = withDotEnv(process.env, process.cwd());
  const config = readConfig(env);
  if (!config) throw new Error('N8N_URL is not set: it says where n8n is.');
  const log = createLog({ name: 'adapter-n8n', ...config.log });
  const readiness = new Readiness();
  const metrics = new Metrics();
  await openTelemetry('adapter-n8n', env, log, metrics);
  const { host, port } = config.ops;
  const ops = port === undefined ? undefined : await opsListener({ host, port }, { readiness, metrics });
  const bus = await connectBus({ url: config.busUrl, name: 'adapter-n8n', log, metrics });
  const adapter = await startAdapterN8n(bus, config, log);
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
