import type { ServerResponse } from 'node:http';
import { FIXTURE_TOOLS } from './fixture-behaviour.js';
import type { FixtureTool } from './fixture-behaviour.js';
import { actOut, answerJson, openStream, startFixtureHttp, writeEvent } from './fixture-http.js';
import type { FixtureServer, JsonObject } from './fixture-http.js';

export interface ModernHttpServer extends FixtureServer {
  tools: readonly FixtureTool[];
  /** Header that a call of a tool must carry, by the tool's name; otherwise it is refused with HeaderMismatch, not executed. */
  required: Readonly<Record<string, string>>;
  /** So many `prompts/get` to come find their connection broken. */
  brokenPrompts: number;
  /** `subscriptions/listen` streams open now. */
  readonly listeners: ReadonlySet<ServerResponse>;
  /** Tells every listener that the tools have changed. */
  toolsChanged(): void;
}

export interface ModernHttpScript {
  readonly tools?: readonly FixtureTool[];
  readonly capabilities?: JsonObject;
  /** Items of a page of tools. Default 5. */
  readonly pageSize?: number;
  /** What each page of tools says of caching, in turn. */
  readonly cacheHints?: readonly { ttlMs: number; cacheScope: string }[];
  /** `false`: `server/discover` and `initialize` are answered -32601. */
  readonly discoverable?: boolean;
  /** Every page of tools names the same next page, or a new one for ever. */
  readonly pagesForEver?: 'repeated' | 'new';
  /** A status that answers everything. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Where a path sends on to, with 307. */
  readonly redirects?: Readonly<Record<string, string>>;
  /** What else a GET finds, as JSON by path, without credentials. May change. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** What `Authorization` must be; everything else is 401. May change. */
  readonly accepts?: () => string;
  readonly port?: number;
}

/** A double of a 2026-07-28 MCP server over bare HTTP: keeps the rules a client must keep, and fails as scripted. */
export async function startModernHttpServer(script: ModernHttpScript = {}): Promise<ModernHttpServer> {
  const listeners = new Set<ServerResponse>();
  const capabilities = script.capabilities ?? {
    tools: { listChanged: true },
    resources: {},
    prompts: {},
    completions: {},
  };
  const pageSize = script.pageSize ?? 5;
  const http = await startFixtureHttp((exchange) => {
    const { request, response } = exchange;
    const { id, method, params = {} } = request.message;
    const meta = (params._meta ?? {}) as JsonObject;
    const fail = (status: number, code: number, message: string) =>
      answerJson(response, status, { jsonrpc: '2.0', id: id ?? null, error: { code, message } });
    const give = (result: JsonObject) => answerJson(response, 200, { jsonrpc: '2.0', id, result: complete(result) });

    const sentTo = script.redirects?.[request.path];
    if (sentTo !== undefined) return void response.writeHead(307, { location: sentTo }).end();
    const described = request.httpMethod === 'GET' ? script.metadata?.[request.path] : undefined;
    if (described !== undefined) return answerJson(response, 200, described);
    if (script.metadata !== undefined && request.path.startsWith('/.well-known/'))
      return void response.writeHead(404).end();
    if (script.accepts !== undefined && request.headers['authorization'] !== script.accepts())
      return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    if (script.status !== undefined) return void response.writeHead(script.status, script.headers ?? {}).end('refused');
    if (request.httpMethod !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
    if (meta['io.modelcontextprotocol/protocolVersion'] !== '2026-07-28')
      return fail(400, -32022, 'Unsupported protocol version');
    if (typeof meta['io.modelcontextprotocol/clientCapabilities'] !== 'object')
      return fail(400, -32602, 'no capabilities');
    if (request.headers['mcp-protocol-version'] !== '2026-07-28') return fail(400, -32020, 'version header');
    if (request.headers['mcp-method'] !== method) return fail(400, -32020, 'method header');
    const named = { 'tools/call': params.name, 'prompts/get': params.name, 'resources/read': params.uri }[method ?? ''];
    if (named !== undefined && decoded(request.headers['mcp-name']) !== named) return fail(400, -32020, 'name header');

    switch (method) {
      case 'server/discover':
        if (script.discoverable === false) return fail(404, -32601, 'Method not found');
        return give({
          supportedVersions: ['2026-07-28'],
          capabilities,
          instructions: 'be kind',
          ttlMs: 60_000,
          cacheScope: 'public',
        });
      case 'tools/list': {
        const start = Number(params.cursor ?? 0);
        const page = start / pageSize;
        const end = start + pageSize;
        const more =
          script.pagesForEver === 'repeated'
            ? '0'
            : script.pagesForEver === 'new' || end < server.tools.length
              ? String(end)
              : undefined;
        const hints = script.cacheHints?.[page] ?? { ttlMs: 30_000, cacheScope: 'public' };
        return give({
          tools: server.tools.slice(start, end),
          ...hints,
          ...(more !== undefined && { nextCursor: more }),
        });
      }
      case 'resources/list':
        return give({
          resources: [{ uri: 'fixture://text', name: 'text', 'x-more': 1 }],
          ttlMs: 60_000,
          cacheScope: 'public',
        });
      case 'prompts/list':
        return give({ prompts: [{ name: 'greet', 'x-more': 1 }], ttlMs: 60_000, cacheScope: 'public' });
      case 'resources/read':
        return give({ contents: [{ uri: params.uri, text: 'hello', 'x-more': 1 }] });
      case 'prompts/get':
        if (server.brokenPrompts-- > 0) return void response.socket?.destroy();
        return give({
          messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(params.arguments) } }],
        });
      case 'completion/complete':
        return give({ completion: { values: ['one', 'two'], 'x-more': 1 } });
      case 'subscriptions/listen': {
        openStream(response);
        const stamp = { 'io.modelcontextprotocol/subscriptionId': id };
        writeEvent(response, {
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: { notifications: params.notifications, _meta: stamp },
        });
        listeners.add(response);
        return void response.on('close', () => listeners.delete(response));
      }
      case 'tools/call': {
        const needed = server.required[String(params.name)];
        if (needed !== undefined && request.headers[needed.toLowerCase()] === undefined)
          return fail(400, -32020, `needs ${needed}`);
        return actOut(exchange, server, complete);
      }
      default:
        return fail(404, -32601, 'Method not found');
    }
  }, script.port);
  const server: ModernHttpServer = Object.assign(http, {
    tools: script.tools ?? FIXTURE_TOOLS,
    required: {},
    brokenPrompts: 0,
    listeners,
    toolsChanged: () =>
      listeners.forEach((stream) =>
        writeEvent(stream, { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} }),
      ),
  });
  return server;
}

const complete = (result: JsonObject): JsonObject => ({
  resultType: 'complete',
  ...result,
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern-fixture', version: '1' } },
});

function decoded(header: string | string[] | undefined): string | undefined {
  const value = String(header);
  return value.startsWith('=?base64?') ? Buffer.from(value.slice(9, -2), 'base64').toString() : value;
}
