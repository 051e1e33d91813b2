import { REVISION } from '../message.mjs';
import { answerJson, listen } from './listening.mjs';

// Many MCP servers in one process: `/<name>/mcp` is a server of its own, with as many tools as the first argument says.

const COUNT = Number(process.argv[2]);
const META = { 'io.modelcontextprotocol/serverInfo': { name: 'bench-many-tools', version: '1.0.0' } };
const CACHEABLE = { resultType: 'complete', ttlMs: 600_000, cacheScope: 'public', _meta: META };

/** About 600 bytes, as a tool with three arguments has. @param {string} server @param {number} n */
const tool = (server, n) => ({
  name: `find_record_${n}`,
  title: `Find record ${n}`,
  description: `Looks a record up in collection ${n} of ${server} and answers with its fields, newest first.`,
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words that the record must contain, in any order.' },
      limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Most records in the answer.' },
      order: { type: 'string', enum: ['newest', 'oldest', 'best'], description: 'Which records come first.' },
    },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
});

/** @param {string} method @param {string} server */
const resultOf = (method, server) => {
  if (method === 'tools/list') return { tools: Array.from({ length: COUNT }, (_, n) => tool(server, n)), ...CACHEABLE };
  if (method === 'server/discover') return { supportedVersions: [REVISION], capabilities: { tools: {} }, ...CACHEABLE };
  return undefined;
};

/** @param {string} text */
const called = (text) => ({ content: [{ type: 'text', text }], resultType: 'complete', _meta: META });

listen((body, request, response) => {
  const { id, method, params } = JSON.parse(body);
  const result =
    method === 'tools/call' ? called(params.arguments.text) : resultOf(method, String(request.url).split('/')[1]);
  if (result !== undefined) return answerJson(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
  if (id === undefined) return response.writeHead(202).end();
  const error = { code: -32601, message: 'Method not found' };
  answerJson(response, JSON.stringify({ jsonrpc: '2.0', id, error }), 404);
});
