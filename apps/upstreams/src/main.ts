import { connectBus } from '@portico/bus';
import { Readiness, createLog, opsListener } from '@portico/observe';
import { readConfig, startUpstreams } from './upstreams.module.js';

/** Runs `upstreams` as a process of its own until SIGTERM or SIGINT. */
const config = readConfig(process.env);
const log = createLog({ ...config.log, name: 'upstreams' });
const readiness = new Readiness();
const { host, port } = config.ops;
const ops = port === undefined ? undefined : await opsListener({ host, port }, { readiness });
const bus = await connectBus({ url: config.busUrl, name: 'upstreams', log });
const upstreams = await startUpstreams(bus, config, log);
readiness.started();

const stop = async (): Promise<void> => {
  readiness.draining();
  await upstreams.close();
  await bus.close();
  await ops?.close();
};
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
