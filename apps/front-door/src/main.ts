import { connectBus } from '@portico/bus';
import { createLog, runService } from '@portico/observe';
import { withDotEnv } from '@portico/settings';
import { readConfig, startFrontDoor } from './front-door.module.js';

await runService(async () => {
  const config = readConfig(withDotEnv(process.env, process.cwd()));
  const log = createLog({ name: 'front-door', ...config.log });
  const bus = await connectBus({ url: config.busUrl, name: 'front-door', log });
  const door = await startFrontDoor(bus, config, log, 0);
  log.info('front-door.listening', { url: `${door.url}/mcp`, admin: door.adminUrl });
  return { close: () => door.close().finally(() => bus.close()) };
});
