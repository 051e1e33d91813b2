import { existsSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { TOOL } from '../message.mjs';
import { answerJson, endOnSigterm } from '../servers/listening.mjs';

// The upstream of every gateway: `echo` and as many tools beside it as the second argument says, in the 2025 revisions.
// The first argument is a port (0: a free one), or `stdio`; the third a file: while it is there, a server over stdio can not start.

const [how, count = '0', downFile = ''] = process.argv.slice(2);
const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const TOOLS = [
  { name: TOOL, description: 'Answers with the text it is given.', inputSchema: schema },
  ...Array.from({ length: Number(count) }, (_, n) => ({
    name: `find_record_${n}`,
    description: `Looks a record up in collection ${n} and answers with its fields, newest first.`,
    inputSchema: schema,
  })),
];

/** @param {{ method: string, params: any }} message */
const resultOf = ({ method, params }) => {
  if (method === 'tools/call') return { content: [{ type: 'text', text: params.arguments.text }] };
  if (method === 'tools/list') return { tools: TOOLS };
  if (method === 'ping') return {};
  if (method !== 'initialize') return undefined;
  const serverInfo = { name: 'peers-upstream', version: '1.0.0' };
  return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
};

/** @param {string} text its answer; undefined when it is owed none */
const answerTo = (text) => {
  const message = JSON.parse(text);
  if (message.id === undefined || message.method === undefined) return undefined;
  const result = resultOf(message);
  const error = { code: -32601, message: 'Method not found' };
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result === undefined ? { error } : { result }) });
};

const sessions = /** @type {Set<string>} */ (new Set());

/** @type {import('node:http').RequestListener} */
const overHttp = async (request, response) => {
  if (request.method === 'GET') return response.writeHead(405).end();
  const session = String(request.headers['mcp-session-id'] ?? '');
  if (request.method === 'DELETE') return response.writeHead(sessions.delete(session) ? 204 : 404).end();
  const chunks = /** @type {Buffer[]} */ ([]);
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (text.includes('"initialize"')) {
    const id = randomUUID();
    sessions.add(id);
    response.setHeader('mcp-session-id', id);
  } else if (!sessions.has(session)) {
    // As any server that was started anew: it knows none of the sessions before.
    return response.writeHead(session === '' ? 400 : 404).end();
  }
  const answer = answerTo(text);
  if (answer === undefined) response.writeHead(202).end();
  else answerJson(response, answer);
};

endOnSigterm();
if (how === 'stdio') {
  if (existsSync(downFile)) process.exit(1);
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const answer = answerTo(line);
    if (answer !== undefined) process.stdout.write(`${answer}\n`);
  });
  lines.on('close', () => process.exit(0));
} else {
  const server = createServer({ keepAliveTimeout: 600_000 }, overHttp);
  server.listen(Number(how), '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    console.log(`listening on http://127.0.0.1:${port}/mcp`);
  });
}
