import { readConfig, startAdapterN8n } from '@portico/adapter-n8n';
import { createLog } from '@portico/observe';
import { describeDomain } from '@portico/testkit';
import { N8nDouble } from './n8n-double.js';
import { webhook } from './n8n-workflows.js';
import { KEY } from './n8n-world.js';

describeDomain('n8n', async () => {
  const n8n = await N8nDouble.start();
  n8n.keys.add(KEY);
  const { id } = n8n.workflow('Orders', [webhook()], { tags: ['mcp'], active: true });
  const config = readConfig({ N8N_URL: n8n.url, N8N_API_KEY: KEY })!;
  const log = createLog({ level: 'silent', name: 'test' });
  return {
    source: 'domain.n8n',
    serve: (bus) => startAdapterN8n(bus, config, log),
    backendRequests: () => n8n.requests.length,
    badArguments: { tool: 'describe_workflow', arguments: { workflow_id: '../tags' } },
    hang() {
      const arrived = n8n.arrived();
      let release = () => {};
      n8n.faults.push((response) => (release = () => response.end()));
      return {
        tool: 'describe_workflow',
        arguments: { workflow_id: id },
        arrived: () => arrived,
        release: () => release(),
      };
    },
    close: () => n8n.close(),
  };
});
