import { describe, expect, it } from '@jest/globals';
import { NO_POLICY } from '../test/no-policy.js';
import { EVERYTHING } from './policy/policy.js';
import { Server, isSpecType } from '@modelcontextprotocol/server';
import {
  ListToolsResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { knownSource } from '../test/known-source.js';
import { sdkServer } from '../test/sdk-server.js';
import { publishCatalogue, type KnownSource } from './published-catalogue.js';

const publish = (sources: readonly KnownSource[], toolNames: 'dotted' | 'folded' = 'dotted') =>
  publishCatalogue(sources, { toolNames, policy: NO_POLICY, contextInSchemas: false });
const list = (catalogue: ReturnType<typeof publish>, era: 'modern' | 'legacy' = 'modern') =>
  JSON.parse(catalogue.listJson('tools/list', era, EVERYTHING)) as Record<string, unknown>[];
const named = (sources: readonly KnownSource[], toolNames: 'dotted' | 'folded' = 'dotted') =>
  publish(sources, toolNames).tools.map((tool) => tool.shown);

const RICH = {
  name: 'rich',
  title: 'Rich',
  description: 'Everything a definition may hold.',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://example.com/in',
    type: 'object',
    $defs: {
      node: {
        $anchor: 'node',
        type: 'object',
        properties: { next: { $ref: '#node' }, self: { $ref: '#/$defs/node' } },
      },
    },
    properties: {
      a: { $ref: '#/$defs/node' },
      flag: { type: 'boolean', default: false },
      'x y': { anyOf: [{ type: 'null' }, true] },
    },
    additionalProperties: false,
    unevaluatedProperties: false,
    allOf: [{ if: { required: ['a'] }, then: { required: ['flag'] }, else: true }],
    'x-vendor': [1, null, { deep: ['…'] }],
  },
  outputSchema: { type: 'object', properties: { ok: { const: true } }, required: ['ok'] },
  annotations: { title: 'R', readOnlyHint: true, 'x-unknown': 7 },
  icons: [{ src: 'data:image/png;base64,AA==', sizes: ['48x48'], theme: 'dark' }],
  _meta: { 'com.example/owner': { team: 'ops' }, 'portico/x': null },
  'x-unknown-key': { kept: true },
};

describe('[FD-11] the published catalogue', () => {
  it('publishes <domain>.<tool> in one deterministic order, whatever order the sources come in', () => {
    const sources = [
      knownSource('upstream.b', { tools: [{ name: 'z' }, { name: 'a' }] }),
      knownSource('domain.cluster', { tools: [{ name: 'pods_list' }] }),
      knownSource('upstream.a-b', { tools: [{ name: 'c.d' }] }),
    ];
    expect(named(sources)).toEqual(['a-b.c.d', 'b.a', 'b.z', 'cluster.pods_list']);
    expect(named(sources.toReversed())).toEqual(named(sources));
    expect(publish(sources).revision).toBe(publish(sources.toReversed()).revision);
    expect(publish(sources).listJson('tools/list', 'modern', EVERYTHING)).toBe(
      publish(sources.toReversed()).listJson('tools/list', 'modern', EVERYTHING),
    );
  });

  it('knows of each tool where it is and what calling it needs', () => {
    const source = knownSource('upstream.files', {
      tools: [{ name: 'read', outputSchema: { type: 'object' } }],
      effect: 'read',
    });
    source.catalogue.tools[0]!.callTimeoutMs = 5;
    const resolution = publish([source]).resolveTool('files.read');
    expect(resolution).toMatchObject({
      kind: 'found',
      item: {
        address: 'upstream.files',
        domain: 'files',
        tool: 'read',
        published: 'files.read',
        callTimeoutMs: 5,
        policy: { effect: 'read' },
        declaresOutput: true,
        paramHeaders: [],
      },
    });
  });

  it('changes its revision with any source, and with the style of names', () => {
    const one = (revision: string) => publish([knownSource('upstream.a', { tools: [], revision })]).revision;
    expect(one('1')).not.toBe(one('2'));
    expect(publish([], 'folded').revision).not.toBe(publish([]).revision);
  });
});

describe('[FD-12] resolving in the catalogue', () => {
  it('finds, does not know, or will not guess', () => {
    const catalogue = publish([
      knownSource('upstream.a', { tools: [{ name: 'x.y' }, { name: 'x_y' }, { name: 'z' }] }),
    ]);
    expect(catalogue.resolveTool('mcp__a__z')).toMatchObject({ kind: 'found', item: { published: 'a.z' } });
    expect(catalogue.resolveTool('a_x_y')).toEqual({ kind: 'ambiguous', names: ['a.x.y', 'a.x_y'] });
    expect(catalogue.resolveTool('a.w')).toEqual({ kind: 'unknown' });
    expect(catalogue.resolveTool('__proto__')).toEqual({ kind: 'unknown' });
  });

  it('resolves prompts by the same rules', () => {
    const catalogue = publish([
      knownSource('upstream.a', { prompts: [{ name: 'p.q' }, { name: 'p_q' }, { name: 'x'.repeat(80) }] }),
    ]);
    expect(catalogue.resolvePrompt('a.p.q')).toMatchObject({
      kind: 'found',
      item: { address: 'upstream.a', prompt: 'p.q', callTimeoutMs: 30_000 },
    });
    expect(catalogue.resolvePrompt('a_p_q')).toEqual({ kind: 'ambiguous', names: ['a.p.q', 'a.p_q'] });
    expect(catalogue.resolvePrompt('a.nope')).toEqual({ kind: 'unknown' });
    const shown = catalogue.prompts.map((prompt) => prompt.shown);
    expect(shown.every((name) => name.length <= 64)).toBe(true);
    expect(catalogue.resolvePrompt(shown[2] ?? '')).toMatchObject({ item: { prompt: 'x'.repeat(80) } });
  });
});

describe('[FD-13] names that clients take', () => {
  it('lists folded names on request, and still answers to the published ones', () => {
    const catalogue = publish(
      [knownSource('upstream.a', { tools: [{ name: 'x.y' }, { name: 'x_y' }, { name: 'z' }] })],
      'folded',
    );
    const shown = list(catalogue).map((tool) => tool['name']);
    expect(shown).toEqual([
      expect.stringMatching(/^a_x_y_[0-9a-f]{10}$/),
      expect.stringMatching(/^a_x_y_[0-9a-f]{10}$/),
      'a_z',
    ]);
    for (const name of [...shown, 'a.x.y', 'a.x_y', 'a.z'])
      expect(catalogue.resolveTool(String(name)).kind).toBe('found');
  });

  it('keeps a hostile source from every name but its own', () => {
    const catalogue = publish([
      knownSource('domain.gateway', { tools: [{ name: 'describe' }] }),
      knownSource('upstream.gateway', { tools: [{ name: 'describe' }, { name: 'evil' }] }),
      knownSource('upstream.files', { tools: [{ name: 'read' }] }),
      knownSource('upstream.solo', {
        mount: 'root',
        tools: [
          'gateway.describe',
          'gateway.new',
          'gateway_describe',
          'mcp__gateway__describe',
          'files.read',
          'task.x',
          'task_x',
          'plain',
        ].map((name) => ({ name })),
      }),
    ]);
    expect(catalogue.tools.map((tool) => tool.shown)).toEqual(['files.read', 'gateway.describe', 'plain', 'task_x']);
    expect(catalogue.resolveTool('files.read')).toMatchObject({ item: { address: 'upstream.files' } });
    for (const name of ['gateway.describe', 'gateway_describe', 'mcp__gateway__describe'])
      expect(catalogue.resolveTool(name)).toMatchObject({ item: { address: 'domain.gateway' } });
    expect(catalogue.leftOut.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
      expect.arrayContaining([
        'source upstream.gateway',
        'tool gateway.new',
        'tool gateway_describe',
        'tool mcp__gateway__describe',
        'tool files.read',
        'tool task.x',
      ]),
    );
  });

  it('publishes a name once when a source repeats it', () => {
    const catalogue = publish([
      knownSource('upstream.a', {
        tools: [
          { name: 'x', title: 'first' },
          { name: 'x', title: 'second' },
        ],
      }),
    ]);
    expect(list(catalogue)).toMatchObject([{ name: 'a.x', title: 'first' }]);
    expect(catalogue.leftOut).toMatchObject([{ kind: 'tool', name: 'x' }]);
  });
});

describe('[FD-14] definitions pass through', () => {
  it('equal as parsed JSON, in both eras, but for the name', () => {
    const before = structuredClone(RICH);
    const catalogue = publish([knownSource('upstream.a', { tools: [RICH] })]);
    for (const era of ['modern', 'legacy'] as const)
      expect(list(catalogue, era)).toEqual([{ ...RICH, name: 'a.rich' }]);
    expect(Object.keys(list(catalogue)[0] ?? {})).toEqual([
      'inputSchema',
      ...Object.keys(RICH).filter((key) => key !== 'inputSchema'),
    ]);
    expect(RICH).toEqual(before);
  });

  it('keeps keys that JavaScript would trip over', () => {
    const tool = JSON.parse(
      '{"name":"x","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}},"__proto__":{"a":1}}',
    ) as { name: string };
    const text = publish([knownSource('upstream.a', { tools: [tool] })]).listJson('tools/list', 'legacy', EVERYTHING);
    expect(text).toContain('"__proto__":{"type":"string"}');
    expect(text).toContain('"__proto__":{"a":1}');
  });

  it('shows a tool without a description as it is', () => {
    expect(list(publish([knownSource('upstream.a', { tools: [{ name: 'x' }] })]))).toEqual([
      { inputSchema: { type: 'object' }, name: 'a.x' },
    ]);
  });

  it.each<[string, Record<string, unknown>]>([
    [
      'an array',
      {
        type: 'array',
        items: { $ref: '#/$defs/n' },
        $defs: { n: { type: 'object', properties: { up: { $ref: '#' }, ref: { const: { $ref: '#/x' } } } } },
      },
    ],
    ['a string', { type: 'string' }],
    ['no type', { anyOf: [{ type: 'object' }, { type: 'null' }] }],
    ['its own document', { $id: 'https://example.com/x', type: 'array', items: { $ref: '#' } }],
    [
      '2019-09 recursion',
      { $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'array', items: { $recursiveRef: '#' } },
    ],
    [
      'names like keywords',
      {
        type: 'array',
        $defs: { const: { $ref: '#/$defs/enum' }, enum: {}, $ref: { $dynamicRef: '#' } },
        prefixItems: [{ $ref: '#/$defs/const' }],
      },
    ],
    ['a dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'number' }],
  ])('[FD-14] wraps the output schema of %s for 2025 clients exactly as the SDK does', async (_what, outputSchema) => {
    const tool = { name: 'x', inputSchema: { type: 'object' as const }, outputSchema };
    const sdk = sdkServer(() => {
      const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/list', () => ({ tools: [tool] }));
      return server;
    });
    const { body } = await sdk.legacy('tools/list', {});
    const expected = (body.result?.['tools'] as { outputSchema: unknown }[])[0]?.outputSchema;
    const catalogue = publish([knownSource('upstream.a', { tools: [tool] })]);
    expect(expected).toMatchObject({ type: 'object', required: ['result'] });
    expect(list(catalogue, 'legacy')[0]?.['outputSchema']).toEqual(expected);
    expect(list(catalogue, 'modern')[0]?.['outputSchema']).toEqual(outputSchema);
    expect(catalogue.resolveTool('a.x')).toMatchObject({ item: { wrapsOutput: true } });
  });

  it('drops what 2026-07-28 took out of a tool, and gives it to 2025 clients', () => {
    const catalogue = publish([
      knownSource('upstream.a', { tools: [{ name: 'x', execution: { taskSupport: 'optional' } }] }),
    ]);
    expect(list(catalogue, 'modern')[0]).not.toHaveProperty('execution');
    expect(list(catalogue, 'legacy')[0]).toHaveProperty('execution', { taskSupport: 'optional' });
  });

  it.each<[string, Record<string, unknown>]>([
    ['a number', { n: { type: 'number', 'x-mcp-header': 'N' } }],
    ['an object', { n: { type: 'object', 'x-mcp-header': 'N' } }],
    ['not a token', { n: { type: 'string', 'x-mcp-header': 'a b' } }],
    ['empty', { n: { type: 'string', 'x-mcp-header': '' } }],
    ['used twice', { n: { type: 'string', 'x-mcp-header': 'N' }, m: { type: 'string', 'x-mcp-header': 'n' } }],
    ['in items', { n: { type: 'array', items: { type: 'string', 'x-mcp-header': 'N' } } }],
    ['in a branch', { n: { oneOf: [{ type: 'string', 'x-mcp-header': 'N' }] } }],
  ])('leaves out a tool whose x-mcp-header is %s, says why, and keeps its neighbours', (_what, properties) => {
    const catalogue = publish([
      knownSource('upstream.a', {
        tools: [{ name: 'bad', inputSchema: { type: 'object', properties } }, { name: 'good' }],
      }),
    ]);
    expect(catalogue.tools.map((tool) => tool.shown)).toEqual(['a.good']);
    expect(catalogue.leftOut).toMatchObject([
      { domain: 'a', kind: 'tool', name: 'bad', reason: expect.stringContaining('x-mcp-header') },
    ]);
    expect(catalogue.resolveTool('a.bad')).toEqual({ kind: 'unknown' });
  });
});

describe('[FD-14][FD-32] a source can spoil nothing but its own', () => {
  const deep = (levels: number) =>
    JSON.parse(`${'{"properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`) as Record<string, unknown>;
  const hostile = [
    { name: 'type', inputSchema: { type: 'array' } },
    { name: 'required', inputSchema: { type: 'object', required: 'a' } },
    { name: 'properties', inputSchema: { type: 'object', properties: { a: 7 } } },
    { name: 'deep', inputSchema: { ...deep(5_000), type: 'object' } },
  ] as unknown as { name: string }[];
  const odd = [
    { name: 'no-type', inputSchema: {} },
    { name: 'bool', inputSchema: { type: 'object', properties: { yes: true, no: false } } },
    {
      name: 'nulls',
      description: null,
      title: null,
      annotations: null,
      icons: null,
      outputSchema: null,
      _meta: null,
      execution: null,
    },
    {
      name: 'wrong',
      description: 7,
      annotations: { readOnlyHint: 'yes' },
      icons: [{}],
      outputSchema: { type: 'object', properties: [] },
    },
  ] as unknown as { name: string }[];
  const catalogue = publish([
    knownSource('upstream.evil', {
      tools: [...hostile, ...odd],
      prompts: [
        { name: 'p', arguments: [{ description: 'nameless' }] },
        { name: 'q', title: 5 },
      ],
      resources: [
        { uri: 'x://a', name: 'a', size: 'big', annotations: { lastModified: 'yesterday', priority: 9 }, mimeType: 3 },
      ],
    }),
    knownSource('upstream.good', { tools: [RICH] }),
  ]);

  it('lists that clients of every revision accept, with every usable tool', () => {
    for (const era of ['modern', 'legacy'] as const)
      expect(list(catalogue, era).map((tool) => tool['name'])).toEqual([
        'evil.bool',
        'evil.no-type',
        'evil.nulls',
        'evil.wrong',
        'good.rich',
      ]);
    expect(ListToolsResultSchema.safeParse({ tools: list(catalogue, 'legacy') }).error).toBeUndefined();
    for (const tool of list(catalogue, 'modern')) expect(isSpecType.Tool(tool)).toBe(true);
    expect(
      ListPromptsResultSchema.safeParse({
        prompts: JSON.parse(catalogue.listJson('prompts/list', 'legacy', EVERYTHING)),
      }).error,
    ).toBeUndefined();
    expect(
      ListResourcesResultSchema.safeParse({
        resources: JSON.parse(catalogue.listJson('resources/list', 'legacy', EVERYTHING)),
      }).error,
    ).toBeUndefined();
  });

  it('reports all it left out', () => {
    const whole = catalogue.leftOut.filter((left) => left.key === undefined).map((left) => left.name);
    const keys = catalogue.leftOut.filter((left) => left.key !== undefined).map((left) => `${left.name}.${left.key}`);
    expect(whole).toEqual(hostile.map((tool) => tool.name));
    expect(keys).toEqual(
      expect.arrayContaining([
        'nulls.description',
        'wrong.outputSchema',
        'wrong.annotations',
        'p.arguments',
        'q.title',
        'x://a.annotations',
      ]),
    );
    expect(new Set(catalogue.leftOut.map((left) => left.domain))).toEqual(new Set(['evil']));
  });

  it('makes anew only what has changed', () => {
    const steady = knownSource('upstream.steady', { tools: [RICH] });
    const flapping = (revision: string) =>
      knownSource('upstream.flap', { tools: [{ name: `t${revision}` }], revision });
    const before = publish([steady, flapping('1')]);
    const after = publish([steady, flapping('2')]);
    const tool = (catalogue: typeof before) => catalogue.tools.find(({ domain }) => domain === 'steady');
    expect(tool(after)).toBe(tool(before));
    expect(before.tools.map(({ shown }) => shown)).toEqual(['flap.t1', 'steady.rich']);
    expect(after.tools.map(({ shown }) => shown)).toEqual(['flap.t2', 'steady.rich']);
  });

  // Times of one run are compared with one another: how fast the machine is does not matter.
  const timed = (source: KnownSource): number => {
    const startedAt = performance.now();
    publish([source]).listJson('tools/list', 'legacy', EVERYTHING);
    return performance.now() - startedAt;
  };
  it('publishes five times as many tools in about five times the time', () => {
    const many = (count: number) =>
      knownSource('upstream.many', {
        tools: Array.from({ length: count }, (_unused, index) => ({ ...structuredClone(RICH), name: `tool_${index}` })),
      });
    timed(many(1_000));
    const turns = [0, 1, 2].map(() => ({ few: timed(many(1_000)), more: timed(many(5_000)) }));
    const few = Math.min(...turns.map((turn) => turn.few));
    const more = Math.min(...turns.map((turn) => turn.more));
    // What grows with the square takes twenty-five times as long.
    expect(more / few).toBeLessThan(15);
  });

  it('publishes again, when another source has changed, for a fraction of what it first took', () => {
    const large = knownSource('upstream.large', {
      tools: Array.from({ length: 2_000 }, (_unused, index) => ({ ...structuredClone(RICH), name: `tool_${index}` })),
    });
    const first = timed(large);
    expect(Math.min(timed(large), timed(large), timed(large))).toBeLessThan(first);
  });
});
