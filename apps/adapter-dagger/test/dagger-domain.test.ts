import { readConfig, startAdapterDagger } from '@portico/adapter-dagger';
import { createLog } from '@portico/observe';
import { describeDomain } from '@portico/testkit';
import { TOKEN } from './dagger-world.js';
import { DispatcherDouble } from './dispatcher-double.js';

describeDomain('dagger', async () => {
  const dispatcher = await DispatcherDouble.start();
  dispatcher.tokens.add(TOKEN);
  const config = readConfig({ CI_DISPATCHER_URL: dispatcher.url, CI_DISPATCHER_TOKEN: TOKEN })!;
  const log = createLog({ level: 'silent', name: 'test' });
  return {
    source: 'domain.dagger',
    serve: (bus) => startAdapterDagger(bus, config, log),
    backendRequests: () => dispatcher.requests.length,
    badArguments: { tool: 'get_run', arguments: { run_id: '../runs' } },
    hang() {
      const arrived = dispatcher.arrived();
      let release = () => {};
      dispatcher.faults.push((response) => (release = () => response.end()));
      return { tool: 'get_run', arguments: { run_id: 'build-44' }, arrived: () => arrived, release: () => release() };
    },
    close: () => dispatcher.close(),
  };
});
