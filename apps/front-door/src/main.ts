import { connectBus } from '@portico/bus';
import { Metrics, createLog, openTelemetry, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startFrontDoor } from './front-door.module.js';

await runService(async () => {
  const env = withDotEnv(process.env, process.cwd());
  const config = readConfig(env);
  const log = createLog({ name: 'front-door', ...config.log });
  const metrics = new Metrics();
  await openTelemetry('front-door', env, log, metrics);
  const bus = await connectBus({ url: config.busUrl, name: 'front-door', log, metrics });
  const door = await startFrontDoor(bus, config, log, 0, metrics);
  log.info('front-door.listening', { url: `${door.url}/mcp`, admin: door.adminUrl });
  return { close: () => door.close().finally(() => bus.close()) };
});
