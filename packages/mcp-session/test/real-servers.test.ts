import { randomUUID } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener, Server as HttpServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Server as LegacyServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Server, createMcpHandler } from '@modelcontextprotocol/server';
import type { ServerTarget } from '@portico/mcp-session';
import { call, closeSessions, faultOf, hold, overHttp, soon, until } from './sessions.js';

const require = createRequire(import.meta.url);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'portico-real-')));
const cleanups: (() => Promise<unknown> | void)[] = [];

afterEach(async () => {
  await closeSessions();
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const npmServer = (name: string, args: string[], env: Record<string, string> = {}): ServerTarget => {
  const bin = join(dirname(require.resolve(`${name}/package.json`)), 'dist', 'index.js');
  return {
    transport: 'stdio',
    command: process.execPath,
    args: [bin, ...args],
    env,
  };
};

const listen = async (listener: RequestListener): Promise<string> => {
  const http: HttpServer = createServer(listener);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => (http.close(resolve), http.closeAllConnections())));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
};

describe('[FD-14] a server from npm over stdio', () => {
  it('server-filesystem lists and reads files', async () => {
    writeFileSync(join(folder, 'note.txt'), 'written by the test');
    const session = hold(npmServer('@modelcontextprotocol/server-filesystem', [folder]));
    const catalogue = await session.catalogue({ signal: soon() });
    expect(catalogue.era).toBe('legacy');
    expect(catalogue.tools.map(({ name }) => name)).toContain('read_text_file');
    const result = await session.callTool(call('read_text_file', { path: join(folder, 'note.txt') }), {
      signal: soon(),
    });
    expect(result.content).toEqual([{ type: 'text', text: 'written by the test' }]);
    const outside = await session.callTool(call('read_text_file', { path: '/etc/passwd' }), { signal: soon() });
    expect(outside.isError).toBe(true);
  });

  it('server-memory remembers from one call to the next', async () => {
    const session = hold(
      npmServer('@modelcontextprotocol/server-memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.json') }),
    );
    const entity = { name: 'portico', entityType: 'gateway', observations: ['stands in front'] };
    await session.callTool(call('create_entities', { entities: [entity] }), { signal: soon() });
    const { structuredContent } = await session.callTool(call('read_graph'), { signal: soon() });
    expect(structuredContent).toMatchObject({ entities: [entity] });
    rmSync(folder, { recursive: true, force: true });
  });
});

const TOOL = { name: 'report', inputSchema: { type: 'object' as const, $defs: {}, 'x-own': 1 }, 'x-top': true };

describe('[FD-14] a server built on the SDK', () => {
  it('of 2026-07-28 over HTTP is discovered, listed, called and heard', async () => {
    const aborted: boolean[] = [];
    const handler = createMcpHandler(() => {
      const server = new Server(
        { name: 'sdk-modern', version: '1' },
        { capabilities: { tools: { listChanged: true } } },
      );
      server.setRequestHandler('tools/list', () => ({ tools: [TOOL], ttlMs: 5_000, cacheScope: 'public' as const }));
      server.setRequestHandler('tools/call', async (request, context) => {
        if (request.params.arguments?.hang === true) {
          await new Promise((resolve) => context.mcpReq.signal.addEventListener('abort', resolve));
          aborted.push(true);
        }
        const progressToken = context.mcpReq._meta?.progressToken;
        if (progressToken !== undefined) {
          await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
        }
        return {
          content: [{ type: 'text', text: 'done' }],
          structuredContent: { arguments: request.params.arguments },
        };
      });
      return server;
    });
    const node = toNodeHandler(handler);
    const session = hold(overHttp(await listen((request, response) => void node(request, response))));
    const catalogue = await session.catalogue({ signal: soon() });
    expect(catalogue).toMatchObject({ era: 'modern', serverInfo: { name: 'sdk-modern' }, tools: [TOOL], ttlMs: 0 });
    const heard: unknown[] = [];
    const result = await session.callTool(call('report', { a: 1 }), {
      signal: soon(),
      onNotice: (notice) => heard.push(notice),
    });
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { arguments: { a: 1 } } });
    expect(heard).toEqual([{ method: 'notifications/progress', params: { progress: 1 } }]);

    let changes = 0;
    session.onChanged(() => changes++);
    await until(() => {
      handler.notify.toolsChanged();
      return changes > 0;
    });

    const late = await faultOf(session.callTool(call('report', { hang: true }), { signal: AbortSignal.timeout(200) }));
    expect(late.code).toBe('TIMEOUT');
    await until(() => aborted.length === 1);
  });

  it('of 2025 over HTTP is initialised, listed, called and heard', async () => {
    const transports = new Map<string, StreamableHTTPServerTransport>();
    const servers: LegacyServer[] = [];
    const open = async (): Promise<StreamableHTTPServerTransport> => {
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void transports.set(id, transport),
      });
      const server = new LegacyServer(
        { name: 'sdk-legacy', version: '1' },
        { capabilities: { tools: { listChanged: true } } },
      );
      server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [TOOL] }));
      server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
        const progressToken = request.params._meta?.progressToken;
        if (progressToken !== undefined) {
          await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
        }
        return { content: [{ type: 'text', text: JSON.stringify(request.params.arguments) }] };
      });
      await server.connect(transport);
      servers.push(server);
      return transport;
    };
    const url = await listen((request, response) => {
      const known = transports.get(String(request.headers['mcp-session-id']));
      if (known !== undefined) return void known.handleRequest(request, response);
      if (request.headers['mcp-session-id'] !== undefined) return void response.writeHead(404).end();
      void open().then((transport) => transport.handleRequest(request, response));
    });
    cleanups.push(() => Promise.all(servers.map((server) => server.close())));
    const session = hold(overHttp(url));
    const catalogue = await session.catalogue({ signal: soon() });
    expect(catalogue).toMatchObject({
      era: 'legacy',
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'sdk-legacy' },
    });
    expect(catalogue.tools).toEqual([TOOL]);
    const heard: unknown[] = [];
    const use = { signal: soon(), onNotice: (notice: unknown) => void heard.push(notice) };
    expect(await session.callTool(call('report', { a: 1 }), use)).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
    });
    expect(heard).toEqual([{ method: 'notifications/progress', params: { progress: 1 } }]);

    let changes = 0;
    session.onChanged(() => changes++);
    await until(() => {
      for (const server of servers) void server.sendToolListChanged();
      return changes > 0;
    });
    // The server restarts and knows nobody any more.
    transports.clear();
    expect(await session.callTool(call('report', { b: 2 }), { signal: soon() })).toEqual({
      content: [{ type: 'text', text: '{"b":2}' }],
    });
  });

  it('of both eras over stdio is spoken to in the newer one', async () => {
    const program = `
      import { Server } from '@modelcontextprotocol/server';
      import { serveStdio } from '@modelcontextprotocol/server/stdio';
      serveStdio(() => {
        const server = new Server({ name: 'sdk-stdio', version: '1' }, { capabilities: { tools: { listChanged: true } } });
        server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'report', inputSchema: { type: 'object' } }] }));
        server.setRequestHandler('tools/call', (request) => ({ content: [{ type: 'text', text: JSON.stringify(request.params.arguments) }] }));
        return server;
      });`;
    const args = ['--input-type=module', '-e', program];
    const session = hold({ transport: 'stdio', command: process.execPath, args, env: {}, cwd: import.meta.dirname });
    const catalogue = await session.catalogue({ signal: soon() });
    expect(catalogue).toMatchObject({ era: 'modern', serverInfo: { name: 'sdk-stdio' }, tools: [{ name: 'report' }] });
    const result = await session.callTool(call('report', { a: 1 }), { signal: soon() });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: '{"a":1}' }] });
  });
});
