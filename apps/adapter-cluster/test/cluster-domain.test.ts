import { readConfig, startAdapterCluster } from '@portico/adapter-cluster';
import { createLog } from '@portico/observe';
import { describeDomain, startFakeKubernetes, startKubernetesMcp } from '@portico/testkit';

describeDomain('cluster', async () => {
  const api = await startFakeKubernetes();
  const server = await startKubernetesMcp({ api });
  const log = createLog({ level: 'silent', name: 'test' });
  const config = readConfig({ CLUSTER_MCP_URL: server.url })!;
  return {
    source: 'domain.cluster',
    serve: (bus) => startAdapterCluster(bus, config, log),
    backendRequests: () => api.requests.length,
    badArguments: { tool: 'resources_get', arguments: { apiVersion: 'v1', kind: ['Secret'], name: 'x' } },
    hang() {
      api.hold('GET /api/v1/namespaces/shop/pods/cart');
      return {
        tool: 'pods_get',
        arguments: { namespace: 'shop', name: 'cart' },
        arrived: () => api.seen('GET /api/v1/namespaces/shop/pods/cart'),
        release: () => api.hold(undefined),
      };
    },
    async close() {
      await server.close();
      await api.close();
    },
  };
});
