import { REVISION, TOOL } from '../message.mjs';
import { answerJson, listen } from './listening.mjs';

// Bare `node:http`: the upstream of every hop, and, pinned where gateways are, the yardstick of what a front can reach.

const META = { 'io.modelcontextprotocol/serverInfo': { name: 'bench-upstream', version: '1.0.0' } };
const CACHEABLE = { resultType: 'complete', ttlMs: 600_000, cacheScope: 'public', _meta: META };
const TOOLS = [
  {
    name: TOOL,
    description: 'Answers with the text it is given.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
];

/** @param {{ method: string, params: any }} message */
const resultOf = ({ method, params }) => {
  switch (method) {
    case 'tools/call':
      return { content: [{ type: 'text', text: params.arguments.text }], resultType: 'complete', _meta: META };
    case 'tools/list':
      return { tools: TOOLS, ...CACHEABLE };
    case 'server/discover':
      return { supportedVersions: [REVISION], capabilities: { tools: {} }, ...CACHEABLE };
    default:
      return undefined;
  }
};

listen((body, _request, response) => {
  const message = JSON.parse(body);
  const result = resultOf(message);
  if (result !== undefined) return answerJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  if (message.id === undefined) return response.writeHead(202).end();
  const error = { code: -32601, message: 'Method not found' };
  answerJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, error }), 404);
});
