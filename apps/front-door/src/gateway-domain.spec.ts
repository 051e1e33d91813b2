import { describe, expect, it } from '@jest/globals';
import { Fault, SourceCatalogue, type SourceSummary } from '@portico/contracts';
import { knownSource } from '../test/known-source.js';
import { gatewayDomain, type GatewayDomain } from './gateway-domain.js';
import { NO_POLICY } from '../test/no-policy.js';
import type { GatewayView } from './gateway/gateway-view.js';
import { EVERYTHING } from './policy/policy.js';
import { LOCAL_PRINCIPAL } from './principal.js';
import { publishCatalogue, type KnownSource } from './published-catalogue.js';

const files = knownSource('upstream.files', {
  effect: 'read',
  tools: [
    {
      name: 'read',
      description: 'Reads.',
      inputSchema: { type: 'object', properties: { p: { type: 'string' } } },
      outputSchema: { type: 'array', items: {} },
    },
    { name: 'x'.repeat(70), description: 'Long.' },
  ],
});
files.catalogue.tools[0]!.policy = { effect: 'destructive', lease: { resource: 'file:{p}' } };
const sources: SourceSummary[] = [
  { source: 'upstream.files', state: 'stale', revision: 'r1' },
  { source: 'domain.cluster', state: 'pending' },
  { source: 'upstream.dead', state: 'unavailable', error: 'unreachable' },
  { source: 'upstream.live', state: 'fresh', revision: 'r1' },
];

const open = (over: Partial<GatewayView> = {}, extra: readonly KnownSource[] = []) => {
  const gateway: GatewayDomain = gatewayDomain(
    {
      catalogue: () =>
        publishCatalogue(
          [
            { address: gateway.address, catalogue: gateway.catalogue },
            files,
            knownSource('upstream.live', {}),
            ...extra,
          ],
          { toolNames: 'dotted', policy: NO_POLICY, contextInSchemas: false },
        ),
      sources: () => sources,
      health: async () => [],
      accessOf: () => EVERYTHING,
      profiles: () => new Map(),
      receipts: async () => [],
      cacheStats: async () => ({}),
      ...over,
    },
    { manifest: true },
  );
  const ask = async (tool: string, args: Record<string, unknown> = {}) => {
    const result = await gateway.call(tool, args, LOCAL_PRINCIPAL);
    expect(Object.keys(result)).toEqual(['content']);
    return JSON.parse(String(result.content?.[0]?.['text'])) as {
      contract_version?: string;
      domains: Record<string, unknown>[];
    };
  };
  const fault = async (tool: string, args: Record<string, unknown>) =>
    gateway.call(tool, args, LOCAL_PRINCIPAL).then(
      () => undefined,
      (error: unknown) => error as Fault,
    );
  return { gateway, ask, fault };
};

describe('[FD-27] gateway.describe', () => {
  it('without arguments: every domain with its health and its tools, no schemas', async () => {
    const { contract_version, domains } = await open().ask('describe');
    expect(contract_version).toBe('1');
    expect(domains.map(({ name, status }) => [name, status])).toEqual([
      ['cluster', 'unknown'],
      ['dead', 'down'],
      ['files', 'degraded'],
      ['gateway', 'up'],
      ['live', 'up'],
    ]);
    expect(domains[2]).toEqual({
      name: 'files',
      description: 'What upstream.files does.',
      status: 'degraded',
      tools: [
        { name: 'files.read', description: 'Reads.', effect: 'destructive', lease: { resource: 'file:{p}' } },
        {
          name: `files.${'x'.repeat(70)}`,
          listed_as: expect.stringMatching(/^files\.x{47}_[0-9a-f]{10}$/),
          description: 'Long.',
          effect: 'read',
        },
      ],
    });
    expect(domains[3]?.['tools']).toMatchObject([
      { name: 'gateway.cache_stats', effect: 'read' },
      { name: 'gateway.describe', effect: 'read' },
      { name: 'gateway.health', effect: 'read' },
      { name: 'gateway.receipts', effect: 'read' },
    ]);
  });

  it('with domain: that one alone, one without a catalogue too', async () => {
    const { ask } = open();
    expect((await ask('describe', { domain: 'files' })).domains.map(({ name }) => name)).toEqual(['files']);
    expect((await ask('describe', { domain: 'cluster' })).domains).toEqual([
      { name: 'cluster', description: '', status: 'unknown', tools: [] },
    ]);
  });

  it('with include_schemas: the very schemas of tools/list', async () => {
    const { gateway, ask } = open();
    const { domains } = await ask('describe', { include_schemas: true });
    const catalogue = publishCatalogue([{ address: gateway.address, catalogue: gateway.catalogue }, files], {
      toolNames: 'dotted',
      policy: NO_POLICY,
      contextInSchemas: false,
    });
    const listed = JSON.parse(catalogue.listJson('tools/list', 'modern', EVERYTHING)) as Record<string, unknown>[];
    const described = domains.flatMap(({ tools }) => tools as Record<string, unknown>[]);
    expect(described).toHaveLength(listed.length);
    for (const tool of listed) {
      const same = described.find((item) => (item['listed_as'] ?? item['name']) === tool['name']);
      expect(same?.['input_schema']).toEqual(tool['inputSchema']);
      expect(same?.['output_schema']).toEqual(tool['outputSchema']);
    }
    expect((await ask('describe', { include_schemas: false })).domains[2]).not.toHaveProperty('tools.0.input_schema');
  });

  it.each<[string, Record<string, unknown>, string, RegExp]>([
    ['an unknown domain', { domain: 'nope' }, 'NOT_FOUND', /Known: cluster, dead, files, gateway, live\./],
    ['__proto__', { domain: '__proto__' }, 'NOT_FOUND', /Known/],
    ['a profile that there is not', { profile: 'operations@1' }, 'NOT_FOUND', /profile/i],
    ['a domain that is no string', { domain: 7 }, 'INVALID_ARGUMENTS', /^domain: /],
    ['an empty domain', { domain: '' }, 'INVALID_ARGUMENTS', /^domain: /],
    ['include_schemas that is no boolean', { include_schemas: 'yes' }, 'INVALID_ARGUMENTS', /^include_schemas: /],
    ['an argument nobody knows', { domains: ['files'] }, 'INVALID_ARGUMENTS', /domains/],
    ['an enormous domain', { domain: 'x'.repeat(100_000) }, 'INVALID_ARGUMENTS', /^domain: /],
  ])('answers %s from the error list', async (_what, args, code, message) => {
    const fault = await open().fault('describe', args);
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ code, executed: 'no', message: expect.stringMatching(message) });
  });

  it('shows no address and nothing of a backend', async () => {
    const { domains } = await open().ask('describe', { include_schemas: true });
    const known = JSON.stringify(domains)
      .replaceAll('What upstream.files does.', '')
      .replaceAll('What upstream.live does.', '');
    expect(known).not.toMatch(/upstream\.|domain\.[a-z]|https?:\/\/(?!json-schema\.org)/);
  });

  it('lists a server at the root by its tools’ published names', async () => {
    const { domains } = await open({}, [
      knownSource('upstream.solo', { mount: 'root', tools: [{ name: 'echo' }] }),
    ]).ask('describe', { domain: 'solo' });
    expect(domains).toMatchObject([{ name: 'solo', tools: [{ name: 'echo' }] }]);
  });
});

describe('[FD-27] gateway.health', () => {
  it('tells what discovery knows, and that the gateway is up', async () => {
    const health = async () => [
      {
        source: 'upstream.dead' as const,
        state: 'down' as const,
        breaker: 'open' as const,
        lastError: 'unreachable' as const,
        checkedAt: '2026-11-30T00:00:00Z',
      },
      { source: 'upstream.files' as const, state: 'up' as const, breaker: 'closed' as const, catalogueAgeMs: 5 },
    ];
    expect(await open({ health }).ask('health')).toEqual({
      domains: [
        { name: 'dead', state: 'down', breaker: 'open', last_error: 'unreachable', checked_at: '2026-11-30T00:00:00Z' },
        { name: 'files', state: 'up', breaker: 'closed', catalogue_age_ms: 5 },
        { name: 'gateway', state: 'up', breaker: 'closed' },
      ],
    });
  });

  it('fails as discovery fails, and takes no arguments', async () => {
    const { fault } = open({
      health: () => Promise.reject(new Fault('BACKEND_UNAVAILABLE', 'discovery is not there')),
    });
    expect(await fault('health', {})).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(await fault('health', { x: 1 })).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });
});

describe('[FD-27] the gateway as a source', () => {
  it('has a catalogue like any other: reads alone, closed arguments, no output schema', () => {
    const { catalogue } = open().gateway;
    expect(SourceCatalogue.parse(catalogue)).toEqual(catalogue);
    expect(catalogue.tools.map(({ definition, policy }) => [definition.name, policy.effect])).toEqual([
      ['describe', 'read'],
      ['health', 'read'],
      ['cache_stats', 'read'],
      ['receipts', 'read'],
    ]);
    for (const { definition } of catalogue.tools) {
      expect(definition.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(definition).not.toHaveProperty('outputSchema');
      expect(definition['description']).toMatch(/\w/);
    }
    expect(open().gateway.catalogue.revision).toBe(catalogue.revision);
  });

  it.each(['nope', '__proto__', 'constructor', ''])('knows no tool %j', async (tool) =>
    expect(await open().fault(tool, {})).toMatchObject({ code: 'UNKNOWN_TOOL', executed: 'no' }),
  );
});
