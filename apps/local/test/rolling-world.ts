import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The outside world of a rolling restart: an MCP server that counts how often it was told each line, and a CI dispatcher. */
export interface World {
  readonly url: string;
  /** How often each line was written. */
  readonly ledger: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params: { readonly name: string; readonly arguments: { readonly line: string } };
}

const line = { type: 'object', properties: { line: { type: 'string' } }, required: ['line'] };
const TOOLS = [
  { name: 'append', description: 'Writes a line.', inputSchema: line, annotations: { readOnlyHint: false } },
  { name: 'read', description: 'Reads a line.', inputSchema: line, annotations: { readOnlyHint: true } },
];
const META = { 'io.modelcontextprotocol/serverInfo': { name: 'ledger', version: '1' } };
const CACHEABLE = { ttlMs: 600_000, cacheScope: 'public' };

/** Starts both on one loopback port: `/mcp` and `/v1/runs`. */
export async function startWorld(): Promise<World> {
  const ledger = new Map<string, number>();
  const resultOf = ({ method, params }: Message): object | undefined => {
    if (method === 'tools/list') return { tools: TOOLS, ...CACHEABLE };
    if (method === 'server/discover')
      return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...CACHEABLE };
    if (method !== 'tools/call') return undefined;
    const { name, arguments: given } = params;
    if (name === 'append') ledger.set(given.line, (ledger.get(given.line) ?? 0) + 1);
    return { content: [{ type: 'text', text: given.line }] };
  };
  const answer = (response: ServerResponse, status: number, body: object): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url?.startsWith('/v1/runs'))
      return answer(response, 200, { data: [], next_cursor: null });
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void text(request).then((body) => {
      const message = JSON.parse(body) as Message;
      if (message.id === undefined) return void response.writeHead(202).end();
      const result = resultOf(message);
      if (result === undefined)
        return answer(response, 404, {
          jsonrpc: '2.0',
          id: message.id,
          error: { code: -32601, message: 'Method not found' },
        });
      answer(response, 200, {
        jsonrpc: '2.0',
        id: message.id,
        result: { ...result, resultType: 'complete', _meta: META },
      });
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ledger,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
