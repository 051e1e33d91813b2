import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type NodeMcpRequestHandler,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { Server, createMcpHandler } from '@modelcontextprotocol/server';
import type { Log } from '@portico/observe';
import { type Era, LEGACY_REVISIONS } from './protocol-revisions.js';
import { INSTRUCTIONS, SERVER_INFO, capabilitiesFor } from './server-info.js';

/** What is left to the official SDK, off the hot path: initialize, ping, and what nobody knows. */
export class SdkServer {
  private readonly modern: NodeMcpRequestHandler;

  constructor(log: Log) {
    const onerror = (error: Error): void => log.debug('sdk.refused', { error });
    this.modern = toNodeHandler(
      createMcpHandler(() => this.server('modern'), { legacy: 'reject', onerror }),
      {
        onerror,
      },
    );
  }

  async handle(req: IncomingMessage, res: ServerResponse, body: unknown, era: Era): Promise<void> {
    if (era === 'modern') return this.modern(req, res, body);
    const server = this.server('legacy');
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    res.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, body);
  }

  private server(era: Era): Server {
    return new Server(SERVER_INFO, {
      capabilities: capabilitiesFor(era),
      instructions: INSTRUCTIONS,
      ...(era === 'legacy' && { supportedProtocolVersions: [...LEGACY_REVISIONS] }),
    });
  }
}
