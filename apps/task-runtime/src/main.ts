import { connectBus } from '@portico/bus';
import { Metrics, Readiness, createLog, openTelemetry, opsListener, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startTaskRuntime } from './task-runtime.module.js';

await runService(async () => {
  const env = withDotEnv(process.env, process.cwd());
  const config = readConfig(env);
  const log = createLog({ name: 'task-runtime', ...config.log });
  const readiness = new Readiness();
  const metrics = new Metrics();
  await openTelemetry('task-runtime', env, log, metrics);
  const { host, port } = config.ops;
  const ops = port === undefined ? undefined : await opsListener({ host, port }, { readiness, metrics });
  const bus = await connectBus({ url: config.busUrl, name: 'task-runtime', log, metrics });
  const tasks = await startTaskRuntime(bus, config, log);
  readiness.started();
  return {
    async close() {
      readiness.draining();
      await tasks.close();
      await bus.close();
      await ops?.close();
    },
  };
});
