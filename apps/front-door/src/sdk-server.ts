import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type NodeMcpRequestHandler,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { type McpHttpHandler, Server, createMcpHandler } from '@modelcontextprotocol/server';
import type { Log } from '@portico/observe';
import { type Era, LEGACY_REVISIONS } from './protocol-revisions.js';
import type { UnreadSubscriptions } from './unread-subscriptions.js';
import { INSTRUCTIONS, SERVER_INFO, capabilitiesFor } from './server-info.js';

/** Subscriptions one front door holds open at once; beyond it a listen is refused. */
const MAX_SUBSCRIPTIONS = 10_000;

/** Everything off the hot path, served by the official SDK: listen, initialize, ping, and what nobody knows. */
export class SdkServer {
  private readonly modern: McpHttpHandler;
  private readonly modernNode: NodeMcpRequestHandler;

  constructor(
    log: Log,
    private readonly unread: UnreadSubscriptions,
  ) {
    const onerror = (error: Error): void => log.debug('sdk.refused', { error });
    this.modern = createMcpHandler(() => this.server('modern'), {
      legacy: 'reject',
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      onerror,
    });
    this.modernNode = toNodeHandler(this.modern, { onerror });
  }

  async handle(req: IncomingMessage, res: ServerResponse, body: unknown, era: Era): Promise<void> {
    if (era === 'modern') {
      this.unread.watch(res);
      return this.modernNode(req, res, body);
    }
    const server = this.server('legacy');
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    res.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, body);
  }

  /** Tells every open subscription that asked for it. */
  get notify(): McpHttpHandler['notify'] {
    return this.modern.notify;
  }

  /** Ends open subscriptions with their graceful result. */
  close(): Promise<void> {
    return this.modern.close();
  }

  private server(era: Era): Server {
    return new Server(SERVER_INFO, {
      capabilities: capabilitiesFor(era),
      instructions: INSTRUCTIONS,
      ...(era === 'legacy' && { supportedProtocolVersions: [...LEGACY_REVISIONS] }),
    });
  }
}
