import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import type { Server } from '@modelcontextprotocol/server';
import { answerError } from './answer-error.js';
import { EventLog } from './event-log.js';

/** How soon a client may come back for a dropped stream. */
const RETRY_MS = 100;

interface Session {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly server: Server;
}

/** The 2025 side: one server and one transport for each session, from `initialize` until DELETE or `close`. */
export class LegacySessions {
  readonly #sessions = new Map<string, Session>();

  constructor(private readonly makeServer: () => Server) {}

  get count(): number {
    return this.#sessions.size;
  }

  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers['mcp-session-id'];
    if (id === undefined) {
      if (request.method === 'POST' && isInitializeRequest(body)) return this.#begin(request, response, body);
      return answerError(response, 400, -32000, 'A session id is needed: send initialize first.');
    }
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (!session) return answerError(response, 404, -32001, 'No such session.');
    await session.transport.handleRequest(request, response, body);
  }

  /** Tells every session that a list has changed; one that has gone is no failure. */
  announce(list: 'tools' | 'prompts'): void {
    for (const { server } of this.#sessions.values()) {
      const told = list === 'tools' ? server.sendToolListChanged() : server.sendPromptListChanged();
      told.catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
    this.#sessions.clear();
  }

  async #begin(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const server = this.makeServer();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.#sessions.set(id, { transport, server }),
      onsessionclosed: (id) => void this.#sessions.delete(id),
      eventStore: new EventLog(),
      retryInterval: RETRY_MS,
    });
    await server.connect(transport);
    await transport.handleRequest(request, response, body);
  }
}
