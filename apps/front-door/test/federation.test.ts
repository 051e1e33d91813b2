import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { definePrompt, defineResource } from '@portico/domain-kit';
import { type ModernHttpServer, startModernHttpServer } from '@portico/testkit';
import { z } from 'zod';
import { echoDomain } from './echo-domain.js';
import { listen } from './listen.js';
import { type OpenDoor, openDoor } from './open-door.js';

const TOOLS = [
  {
    name: 'rich',
    title: 'Rich',
    description: 'Keeps everything.',
    icons: [{ src: 'data:image/png;base64,AAAA', sizes: ['16x16'] }],
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' }, region: { type: 'string', 'x-mcp-header': 'Region' } },
      $defs: { a: { $anchor: 'x', anyOf: [{ type: 'string' }, { type: 'null' }] } },
      allOf: [{ if: { required: ['a'] }, then: { required: ['region'] } }],
      additionalProperties: false,
      'x-own': { deep: [1] },
    },
    outputSchema: { type: 'array', items: { type: 'integer' } },
    annotations: { readOnlyHint: true, openWorldHint: false, 'x-hint': 1 },
    _meta: { 'com.example/owner': 'ops' },
    'x-unknown': true,
  },
  {
    name: 'bad-header',
    description: 'Left out.',
    inputSchema: { type: 'object', properties: { n: { type: 'number', 'x-mcp-header': 'N' } } },
  },
  { name: 'echo', description: 'Echo.', inputSchema: { type: 'object' } },
];

let door: OpenDoor;
let upstream: ModernHttpServer;
const library = (name: string, text: string) => ({
  name,
  description: `The ${name} library.`,
  version: '1',
  tools: [],
  resources: [
    defineResource({
      template: 'book://index',
      name: 'index',
      description: 'The index.',
      subscribable: true,
      mimeType: 'text/plain',
      read: async () => ({ text }),
    }),
    defineResource({
      template: 'book://{id}/page',
      name: 'page',
      description: 'A page.',
      subscribable: true,
      read: async ({ id }) => ({ blob: Buffer.from(`${text} ${id}`) }),
    }),
  ],
  prompts: [
    definePrompt({
      name: 'ask',
      description: 'Asks.',
      arguments: z.object({ topic: z.string() }),
      complete: { topic: async (value) => ['alpha', 'beta'].filter((word) => word.startsWith(value)) },
      get: ({ topic }) => `${text}: ${topic}`,
    }),
  ],
});

let sources: Awaited<ReturnType<OpenDoor['serve']>>[] = [];
beforeAll(async () => {
  upstream = await startModernHttpServer({ tools: TOOLS });
  door = await openDoor({ CONTEXT_IN_SCHEMAS: 'off' }, { servers: { up: { url: upstream.url, allowPrivate: true } } });
  sources = [await door.serve(library('alpha', 'A')), await door.serve(library('beta', 'B'))];
  await door.serve(echoDomain().domain);
  await door.rpc('tools/list');
});
afterAll(async () => {
  await door.close();
  await upstream.close();
});
const result = async (method: string, params: Record<string, unknown> = {}, revision?: string) =>
  (await door.rpc(method, params, revision === undefined ? {} : { revision })).message.result;

describe('[FD-14] a definition passes exact', () => {
  it('to a 2026 client, but for its name', async () => {
    const { tools } = await result('tools/list');
    expect(tools.find(({ name }: { name: string }) => name === 'up.rich')).toEqual({ ...TOOLS[0], name: 'up.rich' });
  });

  it('to a 2025 client too, with the output that it can not take wrapped', async () => {
    const { tools } = await result('tools/list', {}, '2025-11-25');
    const { outputSchema, ...rest } = tools.find(({ name }: { name: string }) => name === 'up.rich');
    const { outputSchema: _original, ...expected } = TOOLS[0] as Record<string, unknown>;
    expect(rest).toEqual({ ...expected, name: 'up.rich' });
    expect(outputSchema).toMatchObject({ type: 'object', properties: { result: { type: 'array' } } });
  });

  it('but a tool with an invalid x-mcp-header is left out, and that is logged', async () => {
    const { tools } = await result('tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).not.toContain('up.bad-header');
    expect(door.lines.some((line) => line.includes('bad-header') && line.includes('"level":"warn"'))).toBe(true);
    expect((await door.rpc('tools/call', { name: 'up.bad-header' })).message.error.data.code).toBe('UNKNOWN_TOOL');
  });

  it('[FD-3] and Mcp-Param headers must agree with the arguments', async () => {
    const call = (headers: Record<string, string>) =>
      door.rpc('tools/call', { name: 'up.rich', arguments: { region: 'eu' } }, { headers });
    for (const headers of [{}, { 'Mcp-Param-Region': 'us' }, { 'Mcp-Param-Region': '=?base64?x?=' }]) {
      const refused = await call(headers as Record<string, string>);
      expect([refused.status, refused.message.error.code]).toEqual([400, -32020]);
    }
    const before = upstream.executions;
    expect((await call({ 'Mcp-Param-Region': 'eu' })).message.result.content).toBeDefined();
    expect(upstream.executions).toBe(before + 1);
    expect(upstream.requests.at(-1)?.headers['mcp-param-region']).toBe('eu');
  });
});

describe('[FD-31] resources', () => {
  it('keep their URIs; where two publish one, the first by name keeps it', async () => {
    const { resources } = await result('resources/list');
    const uris = resources.map(({ uri }: { uri: string }) => uri);
    expect(uris).toEqual(expect.arrayContaining(['book://index', 'beta+book://index', 'fixture://text']));
    expect(resources.find(({ uri }: { uri: string }) => uri === 'fixture://text')).toMatchObject({ 'x-more': 1 });
  });

  it.each([
    ['book://index', 'A'],
    ['beta+book://index', 'B'],
  ])('%s is read at its own source, and named as it was asked for', async (uri, text) => {
    for (const revision of ['2026-07-28', '2025-06-18']) {
      expect((await result('resources/read', { uri }, revision)).contents).toEqual([
        expect.objectContaining({ uri, text }),
      ]);
    }
  });

  it('templates are listed and matched in the same order, blobs pass exact', async () => {
    const { resourceTemplates } = await result('resources/templates/list');
    expect(resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).toContain(
      'book://{id}/page',
    );
    const { contents, ttlMs, cacheScope } = await result('resources/read', { uri: 'book://7/page' });
    expect(contents[0].blob).toBe(Buffer.from('A 7').toString('base64'));
    expect([ttlMs, cacheScope]).toEqual([0, 'private']);
  });

  it('an upstream resource passes with every key', async () => {
    expect((await result('resources/read', { uri: 'fixture://text' })).contents).toEqual([
      { uri: 'fixture://text', text: 'hello', 'x-more': 1 },
    ]);
  });

  it.each(['nope://x', 'book://', '__proto__', 'x'])('%s is -32602 with the URI', async (uri) => {
    const { error } = (await door.rpc('resources/read', { uri })).message;
    expect(error).toMatchObject({ code: -32602, data: { uri, code: 'NOT_FOUND' } });
  });
});

describe('[FD-31] prompts and completion', () => {
  it('are published <domain>.<prompt>', async () => {
    const { prompts } = await result('prompts/list');
    const names = prompts.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['alpha.ask', 'beta.ask', 'up.greet']));
    expect(names).toEqual([...names].sort());
  });

  it('are got at their own source, in either era', async () => {
    for (const revision of ['2026-07-28', '2025-11-25']) {
      const got = await result('prompts/get', { name: 'beta.ask', arguments: { topic: 't' } }, revision);
      expect(JSON.stringify(got.messages)).toContain('B: t');
    }
    expect((await result('prompts/get', { name: 'up.greet', arguments: { a: 'b' } })).messages[0].content.text).toBe(
      '{"a":"b"}',
    );
  });

  it('an unknown one is -32602', async () => {
    expect((await door.rpc('prompts/get', { name: 'alpha.nope' })).message.error.code).toBe(-32602);
  });

  it('arguments are completed at the source of the prompt', async () => {
    const { completion } = await result('completion/complete', {
      ref: { type: 'ref/prompt', name: 'alpha.ask' },
      argument: { name: 'topic', value: 'b' },
    });
    expect(completion.values).toEqual(['beta']);
    const upstreams = await result('completion/complete', {
      ref: { type: 'ref/prompt', name: 'up.greet' },
      argument: { name: 'x', value: '' },
    });
    expect(upstreams.completion).toMatchObject({ values: ['one', 'two'], 'x-more': 1 });
  });

  it('a reference to nothing is -32602', async () => {
    for (const ref of [
      { type: 'ref/prompt', name: 'no' },
      { type: 'ref/resource', uri: 'no://x' },
      { type: 'other' },
      'x',
    ]) {
      expect(
        (await door.rpc('completion/complete', { ref, argument: { name: 'a', value: '' } })).message.error.code,
      ).toBe(-32602);
    }
  });
});

describe('[FD-31][SS-6] a change of a resource', () => {
  it.each([
    ['listed', 'book://index'],
    ['of a template', 'book://7/page'],
  ])('%s is told under the URI that clients know it by, to those who subscribed to that one', async (_what, uri) => {
    const [alpha, beta] = sources as [(typeof sources)[0], (typeof sources)[0]];
    const [plain, prefixed] = [
      await listen(door.url, { resourceSubscriptions: [uri] }, 'plain'),
      await listen(door.url, { resourceSubscriptions: [`beta+${uri}`] }, 'prefixed'),
    ];
    const told = ({ messages }: typeof plain) =>
      messages.slice(1).map(({ method, params }) => [method, params.uri] as const);
    const heard = async (count: number): Promise<void> => {
      for (const end = Date.now() + 5_000; told(plain).length + told(prefixed).length < count && Date.now() < end;)
        await new Promise((resolve) => setTimeout(resolve, 5));
    };
    beta.resourceUpdated(uri);
    await heard(1);
    expect([told(plain), told(prefixed)]).toEqual([[], [['notifications/resources/updated', `beta+${uri}`]]]);
    alpha.resourceUpdated(uri);
    await heard(2);
    expect(told(plain)).toEqual([['notifications/resources/updated', uri]]);
    expect(told(prefixed)).toHaveLength(1);
    plain.close();
    prefixed.close();
  });
});

describe('[FD-13] TOOL_NAMES=folded', () => {
  it('lists names that every model API takes, and resolves either spelling', async () => {
    const folded = await openDoor(
      { TOOL_NAMES: 'folded' },
      { servers: { up: { url: upstream.url, allowPrivate: true } } },
    );
    const { tools } = (await folded.rpc('tools/list')).message.result;
    for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(tools.map(({ name }: { name: string }) => name)).toContain('up_echo');
    for (const name of ['up_echo', 'up.echo'])
      expect((await folded.rpc('tools/call', { name })).message.result.isError).toBeUndefined();
    await folded.close();
  });
});
