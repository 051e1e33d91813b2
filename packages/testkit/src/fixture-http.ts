import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ODD_RESULT } from './fixture-behaviour.js';
import type { FixtureRequest } from './fixture-behaviour.js';

/** What both HTTP fixtures let a test see and do. */
export interface FixtureServer {
  readonly url: string;
  readonly port: number;
  /** Every request so far, in order. */
  readonly requests: FixtureRequest[];
  /** How often a tool acted. */
  executions: number;
  /** Answers whose connection the client closed before they were given. */
  abandoned: number;
  /** Connections open now. */
  connections(): number;
  /** Breaks every open connection. */
  cut(): void;
  close(): Promise<void>;
}

export type JsonObject = Record<string, unknown>;
type Exchange = { request: FixtureRequest; response: ServerResponse };

/** A bare HTTP server on a free loopback port that hands over each request with its parsed body. */
export async function startFixtureHttp(
  handle: (exchange: Exchange, server: FixtureServer) => void,
  port = 0,
): Promise<FixtureServer> {
  const sockets = new Set<Socket>();
  const http = createServer((request, response) => void receive(request, response));
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const message = (text === '' ? {} : JSON.parse(text)) as FixtureRequest['message'];
    const seen = { httpMethod: request.method ?? '', path: request.url ?? '', headers: request.headers, message };
    server.requests.push(seen);
    response.on('close', () => {
      if (!response.writableFinished) server.abandoned++;
    });
    handle({ request: seen, response }, server);
  };
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  const bound = (http.address() as AddressInfo).port;
  const cut = () => sockets.forEach((socket) => socket.destroy());
  const server: FixtureServer = {
    url: `http://127.0.0.1:${bound}/mcp`,
    port: bound,
    requests: [],
    executions: 0,
    abandoned: 0,
    connections: () => sockets.size,
    cut,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        cut();
      }),
  };
  return server;
}

export const answerJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const openStream = (response: ServerResponse, headers: Record<string, string> = {}): void =>
  void response
    .writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers })
    .flushHeaders();

export const writeEvent = (response: ServerResponse, message: unknown): void =>
  void response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);

/** Does with a `tools/call` what the tool's name says. `wrap` puts on a result what the era demands. */
export function actOut(
  { request, response }: Exchange,
  server: FixtureServer,
  wrap: (result: JsonObject) => JsonObject,
): void {
  const { id, params = {} } = request.message;
  const args = (params.arguments ?? {}) as JsonObject;
  const meta = (params._meta ?? {}) as JsonObject;
  const result = (value: JsonObject) => ({ jsonrpc: '2.0', id, result: wrap(value) });
  const text = (value: string) => result({ content: [{ type: 'text', text: value }] });
  const progress = (done: number) =>
    writeEvent(response, {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: meta.progressToken, progress: done, total: 3 },
    });
  if (params.name !== 'die-before') server.executions++;
  switch (params.name) {
    case 'die-before':
    case 'die-during':
      return void response.socket?.destroy();
    case 'die-after':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      return void response.write('{"jsonrpc":', () => response.socket?.destroy());
    case 'hang':
      return;
    case 'garbage':
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>not json</html>');
    case 'flood':
      return answerJson(response, 200, text('x'.repeat(Number(args.bytes))));
    case 'progress':
    case 'progress-then-stop':
      openStream(response);
      for (let done = 1; done <= 3; done++) progress(done);
      if (params.name === 'progress') writeEvent(response, text('done'));
      return void response.end();
    case 'log':
      openStream(response);
      for (const level of ['debug', 'warning', 'error']) {
        writeEvent(response, { jsonrpc: '2.0', method: 'notifications/message', params: { level, data: level } });
      }
      writeEvent(response, text('logged'));
      return void response.end();
    case 'odd':
      return answerJson(response, 200, { jsonrpc: '2.0', id, result: ODD_RESULT });
    case 'rpc-error':
      return answerJson(response, Number(args.httpStatus ?? 200), {
        jsonrpc: '2.0',
        id,
        error: { code: args.code, message: 'said by the fixture', data: { why: 'scripted' } },
      });
    case 'status':
      return void response.writeHead(Number(args.status), (args.headers ?? {}) as Record<string, string>).end('no');
    case 'wrong-id':
      return answerJson(response, 200, { jsonrpc: '2.0', id: 'somebody-else', result: wrap({ content: [] }) });
    default:
      return answerJson(
        response,
        200,
        result({ content: [{ type: 'text', text: JSON.stringify(args) }], structuredContent: args }),
      );
  }
}
