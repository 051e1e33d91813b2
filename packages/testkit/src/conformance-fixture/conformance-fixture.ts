import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { classifyInboundRequest, createMcpHandler, createRequestStateCodec } from '@modelcontextprotocol/server';
import { answerError } from './answer-error.js';
import { isObject } from './asking.js';
import { fixtureServer } from './fixture-server.js';
import type { FixtureShared } from './fixture-server.js';
import { LegacySessions } from './legacy-sessions.js';
import { paramHeaderMismatch } from './param-headers.js';
import { TOOLS } from './tools.js';

const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
const HEADER_MISMATCH = -32020;
const PARSE_ERROR = -32700;

export interface ConformanceFixture {
  /** Where it answers, for instance `http://localhost:41234/mcp`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts the MCP server that the conformance suite is run against, on a loopback port (0 picks a free one). It speaks
 * 2026-07-28 statelessly and the 2025 revisions with sessions, on one endpoint.
 */
export async function startConformanceFixture({ port = 0 } = {}): Promise<ConformanceFixture> {
  const changes = { tools: 0, prompts: 0 };
  const shared: FixtureShared = {
    states: createRequestStateCodec({ key: randomBytes(32) }),
    changes,
    announce: (list) => {
      changes[list] += 1;
      if (list === 'tools') modern.notify.toolsChanged();
      else modern.notify.promptsChanged();
      legacy.announce(list);
    },
  };
  const modern = createMcpHandler(() => fixtureServer('modern', shared), { legacy: 'reject' });
  const legacy = new LegacySessions(() => fixtureServer('legacy', shared));
  const answerModern = toNodeHandler(modern);
  const hostIsLocal = localhostHostValidation();
  const originIsLocal = localhostOriginValidation();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!hostIsLocal(request, response) || !originIsLocal(request, response)) return;
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/mcp') {
      response.writeHead(404).end();
      return;
    }
    if (request.method !== 'POST') return legacy.handle(request, response, undefined);
    const body = await readJson(request);
    if (body === undefined) return answerError(response, 400, PARSE_ERROR, 'The body is not JSON.');
    if (isLegacy(request, body)) return legacy.handle(request, response, body);
    const mismatch = headerMismatch(request, body);
    if (mismatch !== undefined) return answerError(response, 400, HEADER_MISMATCH, mismatch, idOf(body));
    return answerModern(request, response, body);
  }

  const http = createServer((request, response) => {
    handle(request, response).catch(() => {
      if (!response.headersSent) answerError(response, 500, -32603, 'The fixture failed.');
      else response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://localhost:${(http.address() as AddressInfo).port}/mcp`,
    close: async () => {
      await Promise.all([modern.close(), legacy.close()]);
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

function isLegacy({ headers }: IncomingMessage, body: unknown): boolean {
  const one = (name: string) => headers[name] as string | undefined;
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: one('mcp-protocol-version'),
    mcpMethodHeader: one('mcp-method'),
    mcpNameHeader: one('mcp-name'),
    body,
  });
  return kind === 'legacy';
}

/** The SDK's low-level server leaves `Mcp-Param-*` to whoever knows the tools: that is here. */
function headerMismatch({ headers }: IncomingMessage, body: unknown): string | undefined {
  if (!isObject(body) || body['method'] !== 'tools/call' || !isObject(body['params'])) return undefined;
  const { name, arguments: given } = body['params'];
  const tool = TOOLS.find((candidate) => candidate.name === name);
  return tool && paramHeaderMismatch(tool.inputSchema, isObject(given) ? given : {}, headers);
}

function idOf(body: unknown): string | number | null {
  const id = isObject(body) ? body['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
