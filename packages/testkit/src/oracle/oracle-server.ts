import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import type { ServerContext, ServerOptions } from '@modelcontextprotocol/server';
import type { Notice, SourceCatalogue, ToolCallRequest, ToolResult } from '@portico/contracts';

type Loose = Record<string, unknown>;

/** What stands behind a catalogue: called in this process, by the oracle and by a source on the bus alike. */
export interface OracleBackend {
  callTool(request: ToolCallRequest, notify: (notice: Notice) => void): Promise<ToolResult>;
  /** Undefined: no such resource. */
  readResource(uri: string): Loose | undefined;
  getPrompt(name: string, given: Loose): Loose;
  complete(value: string): { completion: { values: string[] } };
}

export interface OracleOptions {
  readonly serverInfo: { readonly name: string; readonly version: string; readonly title?: string };
  readonly instructions: string;
  capabilities(era: 'modern' | 'legacy'): Loose;
  /** The revisions of the handshake that it announces. */
  readonly legacyRevisions: readonly string[];
  /** What it tells clients of how long a list may be kept. */
  readonly listTtlMs: number;
}

/** A running server that is nothing but the official SDK. */
export interface Oracle {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves a catalogue with the official SDK alone, both eras, on a loopback port: what the front door's answers are
 * compared with. The SDK checks `Mcp-Param-*` only for tools registered with its high-level server, so they are; the
 * handlers below then replace those that would reshape definitions.
 */
export async function startOracle(
  catalogue: SourceCatalogue,
  backend: OracleBackend,
  options: OracleOptions,
): Promise<Oracle> {
  const handler = createMcpHandler(({ era }) => oracleServer(era, catalogue, backend, options));
  const answer = toNodeHandler(handler);
  const hostIsLocal = localhostHostValidation();
  const originIsLocal = localhostOriginValidation();
  const http = createServer((request, response) => {
    if (hostIsLocal(request, response) && originIsLocal(request, response)) void answer(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    close: async () => {
      await handler.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function oracleServer(
  era: 'modern' | 'legacy',
  { tools, resources, resourceTemplates, prompts }: SourceCatalogue,
  backend: OracleBackend,
  { serverInfo, instructions, capabilities, legacyRevisions, listTtlMs }: OracleOptions,
): McpServer | Server {
  const hint = { ttlMs: listTtlMs, cacheScope: 'private' } as const;
  const serverOptions = {
    capabilities: capabilities(era),
    instructions,
    cacheHints: {
      'server/discover': hint,
      'tools/list': hint,
      'prompts/list': hint,
      'resources/list': hint,
      'resources/templates/list': hint,
      'resources/read': { ttlMs: 0, cacheScope: 'private' },
    },
    ...(era === 'legacy' && { supportedProtocolVersions: [...legacyRevisions] }),
  } satisfies ServerOptions;
  // The high-level server announces changes of lists by itself, which 2025 clients of the front door are not offered.
  const mcp = era === 'modern' ? new McpServer(serverInfo, serverOptions) : undefined;
  const server = mcp?.server ?? new Server(serverInfo, serverOptions);
  for (const { definition } of tools) {
    mcp?.registerTool(definition.name, { inputSchema: fromJsonSchema(definition.inputSchema) }, () => ({
      content: [],
    }));
  }
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ definition }) => definition) as never }));
  server.setRequestHandler('resources/list', () => ({ resources: resources as never }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: resourceTemplates as never }));
  server.setRequestHandler('prompts/list', () => ({ prompts: prompts as never }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    if (!tools.some(({ definition }) => definition.name === params.name)) throw unknown('tool');
    const notices = relayed(context);
    const result = await backend.callTool({ tool: params.name, arguments: params.arguments ?? {} }, notices.send);
    await notices.sent();
    return result as never;
  });
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const contents = backend.readResource(uri);
    if (!contents) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri });
    return contents as never;
  });
  server.setRequestHandler('prompts/get', ({ params }) => {
    if (!prompts.some(({ name }) => name === params.name)) throw unknown('prompt');
    return backend.getPrompt(params.name, params.arguments ?? {}) as never;
  });
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) => {
    const known =
      ref.type === 'ref/prompt'
        ? prompts.some(({ name }) => name === ref.name)
        : resourceTemplates.some(({ uriTemplate }) => uriTemplate === ref.uri) ||
          resources.some(({ uri }) => uri === ref.uri);
    if (!known) throw unknown('reference');
    return backend.complete(argument.value);
  });
  return mcp ?? server;
}

const unknown = (what: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown ${what}`);

/** Passes notices on in order, with the caller's progress token, to a caller that gave one. */
function relayed({ mcpReq }: ServerContext) {
  const progressToken = mcpReq._meta?.progressToken;
  let last: Promise<void> = Promise.resolve();
  return {
    send: ({ method, params }: Notice): void => {
      if (method !== 'notifications/progress' || progressToken === undefined) return;
      last = last.then(() => mcpReq.notify({ method, params: { ...params, progressToken } as never }));
    },
    sent: (): Promise<void> => last,
  };
}
