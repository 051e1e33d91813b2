import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
}

/** What a server does with a request; a GET and a DELETE come without a message. */
export type Answer = (message: Message | undefined, request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers as told, and counts what is open. */
export async function scriptedServer(answer: Answer) {
  let open = 0;
  // What is not closed stays open for longer than any test waits.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      answer(text === '' ? undefined : (JSON.parse(text) as Message), request, response);
    });
  });
  server.on('connection', (socket) => {
    open++;
    socket.on('close', () => open--);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    connections: () => open,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const json = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
};

/** Answers what makes a connection to a server of 2025; `rest` gets everything else. */
export const legacyServer =
  (rest: Answer, headers: Record<string, string> = {}): Answer =>
  (message, request, response) => {
    const { id, method } = message ?? {};
    if (method === 'initialize') {
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } } };
      json(response, 200, { jsonrpc: '2.0', id, result }, headers);
    } else if (method === 'server/discover') {
      json(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    } else if (method === 'notifications/initialized') response.writeHead(202).end();
    else rest(message, request, response);
  };
