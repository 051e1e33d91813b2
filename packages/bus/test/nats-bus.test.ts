import { describeIfAvailable, startNatsServer } from '@portico/testkit';
import { connectBus } from '@portico/bus';
import { describeBus } from './describe-bus.js';

describeIfAvailable('nats-server', 'the bus over NATS', () => {
  describeBus('NATS', async () => {
    const server = await startNatsServer();
    return { join: (log) => connectBus({ url: server.url, name: 'test', log }), end: () => server.stop() };
  });
});
