import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { type Metrics, type Readiness, opsHandler } from '@portico/observe';
import { listenError } from '../http-listener.js';
import type { AdminApi } from './admin-api.js';

/** Operators are few; whoever holds connections or sends slowly takes no more than this. */
const MAX_CONNECTIONS = 64;
const TIMEOUTS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16_384,
};
/** What runs at a stop is answered within this, or its connection is closed. */
const DRAIN_MS = 2_000;

/** The operators' side of the front door: whether it is ready and why not, its metrics, and `/api`. */
export class AdminListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server: Server;

  constructor(
    private readonly where: { host: string; port: number },
    readiness: Readiness,
    metrics: Metrics,
    api: AdminApi,
  ) {
    const ops = opsHandler({ readiness, metrics, showReasons: true });
    this.server = createServer(TIMEOUTS, (req, res) => {
      if (ops(req, res)) req.resume();
      else void api(req, res);
    });
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  get url(): string {
    const { address, port, family } = this.server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { host, port } = this.where;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', (error: NodeJS.ErrnoException) =>
        reject(listenError(error, 'ADMIN_HOST and ADMIN_PORT', host, port)),
      );
      this.server.listen(port, host, resolve);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    const timer = setTimeout(() => this.server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearTimeout(timer);
  }
}
