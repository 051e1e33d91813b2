import { connectBus } from '@portico/bus';
import { Metrics, createLog, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startFrontDoor } from './front-door.module.js';

await runService(async () => {
  const config = readConfig(withDotEnv(process.env, process.cwd()));
  const log = createLog({ name: 'front-door', ...config.log });
  const metrics = new Metrics();
  const bus = await connectBus({ url: config.busUrl, name: 'front-door', log, metrics });
  const door = await startFrontDoor(bus, config, log, 0, metrics);
  log.info('front-door.listening', { url: `${door.url}/mcp`, admin: door.adminUrl });
  return { close: () => door.close().finally(() => bus.close()) };
});
