import { afterEach, describe, expect, it } from '@jest/globals';
import { FIXTURE_TOOLS, ODD_RESULT, startModernHttpServer } from '@portico/testkit';
import type { ModernHttpScript, ModernHttpServer } from '@portico/testkit';
import { call, closeSessions, faultOf, hold, overHttp, soon, until } from './sessions.js';

const servers: ModernHttpServer[] = [];
const serve = async (script?: ModernHttpScript): Promise<ModernHttpServer> => {
  const server = await startModernHttpServer(script);
  servers.push(server);
  return server;
};

afterEach(async () => {
  await closeSessions();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const sentBy = (server: ModernHttpServer, method: string) =>
  server.requests.filter(({ message }) => message.method === method);

describe('a modern server over HTTP', () => {
  it('[FD-14] passes definitions and results on exactly as they came', async () => {
    const tool = {
      name: 'odd',
      title: 'Odd',
      icons: [{ src: 'data:,x' }],
      inputSchema: {
        type: 'object',
        $defs: { a: { type: 'string' } },
        unevaluatedProperties: false,
        'x-own': { kept: [1] },
      },
      outputSchema: { type: 'array', items: { $ref: '#/$defs/a' } },
      annotations: { readOnlyHint: true, 'x-hint': 1 },
      _meta: { 'com.example/owner': 'ops' },
      'x-top': true,
    };
    const server = await serve({ tools: [tool] });
    const session = hold(overHttp(server.url));
    const catalogue = await session.catalogue({ signal: soon() });
    expect(catalogue.tools).toEqual([tool]);
    expect(catalogue.resources).toEqual([{ uri: 'fixture://text', name: 'text', 'x-more': 1 }]);
    expect(catalogue.prompts).toEqual([{ name: 'greet', 'x-more': 1 }]);
    expect(await session.callTool(call('odd'), { signal: soon() })).toEqual(ODD_RESULT);
  });

  it('[UP-3] tells what the server says of itself, and walks every page', async () => {
    const server = await serve({ pageSize: 4 });
    const catalogue = await hold(overHttp(server.url)).catalogue({ signal: soon() });
    expect(catalogue).toMatchObject({
      era: 'modern',
      protocolVersion: '2026-07-28',
      serverInfo: { name: 'modern-fixture' },
      instructions: 'be kind',
      capabilities: { tools: { listChanged: true } },
    });
    expect(catalogue.tools).toEqual(FIXTURE_TOOLS);
    expect(sentBy(server, 'tools/list').map(({ message }) => message.params?.cursor)).toEqual([
      undefined,
      '4',
      '8',
      '12',
    ]);
  });

  it('is true for the shortest time that a page says, and public only when every page is', async () => {
    const hints = [
      { ttlMs: 9_000, cacheScope: 'public' },
      { ttlMs: 400, cacheScope: 'private' },
    ];
    const server = await serve({ pageSize: 7, cacheHints: hints });
    expect(await hold(overHttp(server.url)).catalogue({ signal: soon() })).toMatchObject({
      ttlMs: 400,
      cacheScope: 'private',
    });
    const open = await serve();
    expect(await hold(overHttp(open.url)).catalogue({ signal: soon() })).toMatchObject({
      ttlMs: 30_000,
      cacheScope: 'public',
    });
  });

  it('remembers the catalogue until asked to refresh, until its time has passed, or until it changed', async () => {
    const server = await serve({ pageSize: 100 });
    const session = hold(overHttp(server.url));
    await Promise.all([session.catalogue({ signal: soon() }), session.catalogue({ signal: soon() })]);
    await session.catalogue({ signal: soon() });
    expect(sentBy(server, 'tools/list')).toHaveLength(1);
    await session.catalogue({ refresh: true, signal: soon() });
    expect(sentBy(server, 'tools/list')).toHaveLength(2);

    await until(() => server.listeners.size === 1);
    const changed = new Promise<void>((resolve) => session.onChanged(resolve));
    server.tools = FIXTURE_TOOLS.slice(0, 1);
    server.toolsChanged();
    await changed;
    expect((await session.catalogue({ signal: soon() })).tools).toHaveLength(1);

    const brief = await serve({ pageSize: 100, cacheHints: [{ ttlMs: 0, cacheScope: 'public' }] });
    const impatient = hold(overHttp(brief.url));
    await impatient.catalogue({ signal: soon() });
    await impatient.catalogue({ signal: soon() });
    expect(sentBy(brief, 'tools/list')).toHaveLength(2);
  });

  it('listens again when the stream breaks, and takes the gap for a change', async () => {
    const server = await serve();
    const session = hold(overHttp(server.url));
    let changes = 0;
    session.onChanged(() => changes++);
    await session.catalogue({ signal: soon() });
    await until(() => server.listeners.size === 1);
    server.cut();
    await until(() => server.listeners.size === 0);
    await until(() => server.listeners.size === 1 && changes === 1);
  });

  it('never listens to a server that declares no changes', async () => {
    const server = await serve({ capabilities: { tools: {} } });
    const session = hold(overHttp(server.url));
    const catalogue = await session.catalogue({ signal: soon() });
    await session.callTool(call('echo'), { signal: soon() });
    expect(catalogue.resources).toEqual([]);
    expect(new Set(server.requests.map(({ message }) => message.method))).toEqual(
      new Set(['server/discover', 'tools/list', 'tools/call']),
    );
  });

  it('[UP-3] gives up pages that never end', async () => {
    for (const pagesForEver of ['repeated', 'new'] as const) {
      const server = await serve({ pagesForEver });
      const fault = await faultOf(hold(overHttp(server.url)).catalogue({ signal: soon() }));
      expect(fault.code).toBe(pagesForEver === 'repeated' ? 'UNKNOWN_ERROR' : 'PAYLOAD_TOO_LARGE');
      expect(server.requests.length).toBeLessThan(1_100);
    }
  });

  it('leaves out and logs items that are none, or repeated', async () => {
    const good = { name: 'good', inputSchema: { type: 'object' } };
    const tools = [good, { ...good, title: 'again' }, { name: 'no-schema' }, { inputSchema: {}, name: 7 }] as never;
    const server = await serve({ tools });
    const warnings: unknown[] = [];
    const log = {
      debug() {},
      info() {},
      error() {},
      warn: (event: string, fields?: object) => void warnings.push([event, fields]),
    };
    const catalogue = await hold(overHttp(server.url), { log }).catalogue({ signal: soon() });
    expect(catalogue.tools).toEqual([good]);
    expect(warnings).toHaveLength(3);
  });

  it('[FD-14] leaves out a tool whose x-mcp-header is invalid, and logs it', async () => {
    const tool = (name: string, property: object) => ({
      name,
      inputSchema: { type: 'object', properties: { p: property } },
    });
    const good = tool('good', { type: 'string', 'x-mcp-header': 'Region' });
    const server = await serve({ tools: [tool('bad', { type: 'number', 'x-mcp-header': 'Region' }), good] });
    const left: unknown[] = [];
    const log = {
      debug() {},
      info() {},
      error() {},
      warn: (_: string, fields?: Record<string, unknown>) => void left.push(fields?.name),
    };
    expect((await hold(overHttp(server.url), { log }).catalogue({ signal: soon() })).tools).toEqual([good]);
    expect(left).toEqual(['bad']);
  });

  it('[UP-3] sends what the revision demands: headers, envelope, capabilities that reach the client', async () => {
    const tool = {
      name: 'geo ✓',
      inputSchema: {
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          at: { type: 'object', properties: { zone: { type: 'integer', 'x-mcp-header': 'Zone' } } },
        },
      },
    };
    const server = await serve({ tools: [tool] });
    const session = hold(
      overHttp(server.url, { headers: { Authorization: 'Bearer abc', 'MCP-Protocol-Version': 'mine', Accept: 'no' } }),
    );
    await session.catalogue({ signal: soon() });
    const capabilities = {
      elicitation: { form: {} },
      tasks: {},
      unheardOf: {},
      extensions: { 'io.modelcontextprotocol/tasks': {}, 'com.example/e': {} },
    };
    await session.callTool(
      call(
        'geo ✓',
        { region: 'äu', at: { zone: 42 } },
        {
          client: { clientInfo: { name: 'agent', version: '9' }, clientCapabilities: capabilities, logLevel: 'info' },
          meta: { 'com.example/k': 1, 'io.modelcontextprotocol/protocolVersion': 'forged', progressToken: 'forged' },
          inputResponses: { a: { action: 'accept' } },
          requestState: 'opaque',
        },
      ),
      { signal: soon() },
    );
    const { headers, message } = sentBy(server, 'tools/call')[0]!;
    expect(headers).toMatchObject({
      authorization: 'Bearer abc',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${Buffer.from('geo ✓').toString('base64')}?=`,
      'mcp-param-region': `=?base64?${Buffer.from('äu').toString('base64')}?=`,
      'mcp-param-zone': '42',
    });
    expect(message.params).toEqual({
      name: 'geo ✓',
      arguments: { region: 'äu', at: { zone: 42 } },
      inputResponses: { a: { action: 'accept' } },
      requestState: 'opaque',
      _meta: {
        'com.example/k': 1,
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '9' },
        'io.modelcontextprotocol/clientCapabilities': {
          elicitation: { form: {} },
          extensions: { 'com.example/e': {} },
        },
        'io.modelcontextprotocol/logLevel': 'info',
      },
    });
  });

  it('never uses a JSON-RPC id twice', async () => {
    const server = await serve();
    const session = hold(overHttp(server.url));
    await session.catalogue({ signal: soon() });
    await Promise.all(Array.from({ length: 20 }, (_, n) => session.callTool(call('echo', { n }), { signal: soon() })));
    const ids = server.requests.map(({ message }) => message.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('[FD-26] hands progress to the caller in order, before the result, without our token', async () => {
    const server = await serve();
    const heard: unknown[] = [];
    const session = hold(overHttp(server.url));
    const result = await session.callTool(call('progress'), {
      signal: soon(),
      onNotice: (notice) => heard.push(notice),
    });
    expect(heard).toEqual(
      [1, 2, 3].map((progress) => ({ method: 'notifications/progress', params: { progress, total: 3 } })),
    );
    expect(result.content).toEqual([{ type: 'text', text: 'done' }]);
    await session.callTool(call('progress'), { signal: soon() });
    expect(sentBy(server, 'tools/call')[1]!.message.params?._meta).not.toHaveProperty('progressToken');
  });

  it('hands on log lines of the level that the caller asked for, none otherwise', async () => {
    const server = await serve();
    const session = hold(overHttp(server.url));
    const heard: unknown[] = [];
    const onNotice = (notice: { params: Record<string, unknown> }) => heard.push(notice.params.level);
    await session.callTool(call('log'), { signal: soon(), onNotice });
    expect(heard).toEqual([]);
    await session.callTool(call('log', {}, { client: { logLevel: 'warning' } }), { signal: soon(), onNotice });
    expect(heard).toEqual(['warning', 'error']);
  });

  it('reads resources, gets prompts and completes, exactly', async () => {
    const server = await serve();
    const session = hold(overHttp(server.url));
    const read = await session.readResource({ uri: 'fixture://text' }, { signal: soon() });
    expect(read.contents).toEqual([{ uri: 'fixture://text', text: 'hello', 'x-more': 1 }]);
    const prompt = await session.getPrompt({ name: 'greet', arguments: { a: 1 } }, { signal: soon() });
    expect(prompt.messages).toEqual([{ role: 'user', content: { type: 'text', text: '{"a":1}' } }]);
    const completion = await session.complete(
      { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'a', value: 'o' } },
      { signal: soon() },
    );
    expect(completion.completion).toEqual({ values: ['one', 'two'], 'x-more': 1 });
  });

  it('skips discovery for a server that is pinned to the revision', async () => {
    const server = await serve({ discoverable: false });
    const session = hold(overHttp(server.url, { protocol: '2026-07-28' }));
    expect((await session.callTool(call('echo', { a: 1 }), { signal: soon() })).structuredContent).toEqual({ a: 1 });
    expect((await session.catalogue({ signal: soon() })).tools).toEqual(FIXTURE_TOOLS);
    expect(sentBy(server, 'server/discover')).toHaveLength(0);
    expect((await faultOf(hold(overHttp(server.url)).catalogue({ signal: soon() }))).code).toBe('UNSUPPORTED');
  });
});
