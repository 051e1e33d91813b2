import { createServer } from 'node:http';
import { REVISION } from '../message.mjs';

/** The outside world: an MCP server whose ledger remembers every line it was told to write, and a CI dispatcher. */

const META = { 'io.modelcontextprotocol/serverInfo': { name: 'ledger', version: '1.0.0' } };
const CACHEABLE = { resultType: 'complete', ttlMs: 600_000, cacheScope: 'public', _meta: META };
const text = { type: 'object', properties: { line: { type: 'string' } }, required: ['line'] };
const TOOLS = [
  { name: 'append', description: 'Writes a line.', inputSchema: text, annotations: { readOnlyHint: false } },
  { name: 'read', description: 'Reads a line.', inputSchema: text, annotations: { readOnlyHint: true } },
];

/** How often each line was written. @typedef {Map<string, number>} Ledger */

/** @param {Ledger} ledger @param {{ method: string, params: any }} message */
const resultOf = (ledger, { method, params }) => {
  if (method === 'tools/list') return { tools: TOOLS, ...CACHEABLE };
  if (method === 'server/discover') return { supportedVersions: [REVISION], capabilities: { tools: {} }, ...CACHEABLE };
  if (method !== 'tools/call') return undefined;
  const { line } = params.arguments;
  if (params.name === 'append') ledger.set(line, (ledger.get(line) ?? 0) + 1);
  return { content: [{ type: 'text', text: line }], resultType: 'complete', _meta: META };
};

/** Starts both on one loopback port: `/mcp` and `/v1/runs`. */
export const startBackends = async () => {
  const ledger = /** @type {Ledger} */ (new Map());
  const server = createServer({ keepAliveTimeout: 1_000 }, async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = (/** @type {number} */ status, /** @type {unknown} */ body) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'GET') {
      return request.url?.startsWith('/mcp')
        ? response.writeHead(405).end()
        : answer(200, { data: [], next_cursor: null, status: 'ok' });
    }
    const message = JSON.parse(Buffer.concat(chunks).toString());
    const result = resultOf(ledger, message);
    if (result !== undefined) return answer(200, { jsonrpc: '2.0', id: message.id, result });
    if (message.id === undefined) return response.writeHead(202).end();
    answer(404, { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    ledger,
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  };
};
