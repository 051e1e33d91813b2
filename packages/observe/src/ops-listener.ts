import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Metrics } from './metrics.js';
import { opsHandler, type OpsOptions } from './ops-handler.js';

export interface OpsListener {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Listens for operators on a port of its own; 0 picks one. Without metrics of the service it serves the process's own.
 * Rejects with the system's error when the port is taken.
 */
export async function opsListener(
  where: { readonly host: string; readonly port: number },
  { readiness, metrics = new Metrics() }: Omit<OpsOptions, 'showReasons'>,
): Promise<OpsListener> {
  const answer = opsHandler({ readiness, metrics, showReasons: true });
  const limits = {
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    keepAliveTimeout: 5_000,
    // Without this the two limits above are looked at every 30 s only.
    connectionsCheckingInterval: 2_000,
  };
  const server = createServer(limits, (request, response) => {
    request.resume();
    if (!answer(request, response)) response.writeHead(404).end();
  });
  server.maxConnections = 64;
  server.listen(where.port, where.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
