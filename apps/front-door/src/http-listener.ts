import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { type Log, type Readiness, opsHandler } from '@portico/observe';
import type { CatalogueMemory } from './catalogue-memory.js';
import { errorJson, sendJson } from './http-reply.js';
import { oneAtATime } from './one-at-a-time.js';
import type { McpEndpoint } from './mcp-endpoint.js';
import type { Subscriptions } from './state-sync/subscriptions.js';

/** A slow client has so long for its headers, and for the whole of its request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;
/** At a stop, connections that are open are still answered for so long, and told with each answer to come no more. */
const PARTING_MS = 1_000;
/** What runs after that has so long; then it is given up and answered, and what is left after that is closed. */
const DRAIN_MS = 7_000;
const ANSWERING_MS = 500;
const IDLE_CHECK_MS = 25;

export interface ListenerSettings {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  readonly readiness: Readiness;
  /** Answers for the metadata document of callers' authorization, where there is one. */
  readonly metadata: (req: IncomingMessage, res: ServerResponse) => boolean;
}

/** The door that agents knock at: `/mcp`, and whether it is open. */
export class HttpListener implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly server: Server;
  private draining = false;

  constructor(
    private readonly settings: ListenerSettings,
    private readonly endpoint: McpEndpoint,
    private readonly memory: CatalogueMemory,
    private readonly subscriptions: Subscriptions,
  ) {
    const { readiness, log, metadata } = settings;
    const health = opsHandler({ readiness, showReasons: false });
    this.server = createServer(
      {
        headersTimeout: HEADERS_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: 2_000,
        maxHeaderSize: 16_384,
        noDelay: true,
      },
      (req, res) =>
        oneAtATime(req, res, () => {
          if (this.draining) res.setHeader('Connection', 'close');
          const path = req.url ?? '';
          if (path === '/mcp' || path.startsWith('/mcp?')) {
            endpoint.handle(req, res).catch((error: unknown) => {
              log.error('request.failed', { error });
              if (!res.headersSent) sendJson(res, 500, errorJson(null, -32603, 'Internal error'));
              else res.destroy();
            });
          } else if (!health(req, res) && !metadata(req, res)) {
            sendJson(res, 404, JSON.stringify({ error: 'Not found. MCP is at /mcp.' }));
          }
        }),
    );
    // Their size is bounded. Bounded in number, node would drop those beyond it and say nothing: a second credential is one.
    this.server.maxHeadersCount = 0;
  }

  /** Where agents connect, without the path. */
  get url(): string {
    const { address, port, family } = this.server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { host, port, readiness } = this.settings;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', (error: NodeJS.ErrnoException) =>
        reject(listenError(error, 'HOST and PORT', host, port)),
      );
      this.server.listen(port, host, resolve);
    });
    this.memory.listening();
    readiness.started();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.settings.readiness.draining();
    if (!this.server.listening) return;
    this.draining = true;
    // No new connections. HTTP's own close would end idle ones too, and one of them may be what a caller is just writing to.
    const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(this.server, () => resolve()));
    this.subscriptions.close();
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, PARTING_MS).unref())]);
    // A connection whose call began before the drain is kept alive by its answer, and idle right after it.
    const idle = setInterval(() => this.server.closeIdleConnections(), IDLE_CHECK_MS);
    const answered = setTimeout(() => this.endpoint.giveUp(), DRAIN_MS);
    const limit = setTimeout(() => this.server.closeAllConnections(), DRAIN_MS + ANSWERING_MS);
    await closed;
    clearInterval(idle);
    clearTimeout(answered);
    clearTimeout(limit);
    // It has a timer of its own.
    this.server.close();
  }
}

/** One sentence for a port that can not be had, naming the settings that chose it. */
export function listenError(error: NodeJS.ErrnoException, settings: string, host: string, port: number): Error {
  const why =
    error.code === 'EADDRINUSE' ? 'is already in use' : `can not be listened on (${error.code ?? error.message})`;
  return new Error(`${settings}: ${host}:${port} ${why}. Choose another, or 0 to have one picked.`, { cause: error });
}
