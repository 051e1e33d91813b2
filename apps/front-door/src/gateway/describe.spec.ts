import { describe as suite, expect, it } from '@jest/globals';
import { Fault, type SourceSummary } from '@portico/contracts';
import { knownSource } from '../../test/known-source.js';
import { NO_POLICY } from '../../test/no-policy.js';
import { type Access, EVERYTHING } from '../policy/policy.js';
import { publishCatalogue } from '../published-catalogue.js';
import { describe } from './describe.js';
import type { GatewayView } from './gateway-view.js';

const LONG = 'x'.repeat(70);
const sources: SourceSummary[] = [
  { source: 'upstream.files', state: 'fresh', revision: 'r1' },
  { source: 'upstream.solo', state: 'fresh', revision: 'r1' },
  { source: 'upstream.dead', state: 'unavailable', error: 'unreachable' },
  { source: 'upstream.other', state: 'fresh', revision: 'r1' },
];
const catalogue = publishCatalogue(
  [
    knownSource('upstream.files', { tools: [{ name: 'read' }, { name: 'write' }, { name: LONG }, { name: 'a.b' }] }),
    knownSource('upstream.solo', { mount: 'root', tools: [{ name: 'echo' }, { name: 'files.read' }] }),
    knownSource('upstream.other', { tools: [{ name: 'read' }] }),
  ],
  { toolNames: 'dotted', policy: NO_POLICY, contextInSchemas: false },
);
const PROFILES = new Map<string, readonly string[]>([
  ['operations@1', ['files.read', 'dead.look', 'absent.tool', 'files.gone']],
  ['operations@2', ['files.read', 'files.write', `files.${LONG}`, 'files.a.b', 'solo.echo']],
  ['nothing@1', []],
]);

const viewOf = (profiles: GatewayView['profiles']): GatewayView => ({
  catalogue: () => catalogue,
  sources: () => sources,
  health: async () => [],
  accessOf: () => EVERYTHING,
  profiles,
  receipts: async () => [],
  cacheStats: async () => ({}),
});
const ask = (args: Parameters<typeof describe>[0], access: Access = EVERYTHING, profiles = PROFILES) =>
  describe(
    args,
    viewOf(() => profiles),
    access,
  );
const toolsOf = (args: Parameters<typeof describe>[0], access?: Access) =>
  ask(args, access).domains.map(({ name, status, tools }) => [name, status, ...tools.map((tool) => tool['name'])]);
const fault = (args: Parameters<typeof describe>[0], profiles?: typeof PROFILES): Fault => {
  try {
    ask(args, EVERYTHING, profiles);
  } catch (error) {
    return error as Fault;
  }
  throw new Error('it was answered');
};

suite('[FD-27][FD-28] gateway.describe with a profile', () => {
  it('is a projection of the tools really published: what is not there is not shown', () => {
    expect(toolsOf({ profile: 'operations@1' })).toEqual([
      // Worth knowing for who looks for its tools.
      ['dead', 'down'],
      ['files', 'up', 'files.read'],
    ]);
  });

  it('goes by the full names, however long, dotted or shown without their domain', () => {
    expect(toolsOf({ profile: 'operations@2' })).toEqual([
      ['files', 'up', 'files.a.b', 'files.read', 'files.write', `files.${LONG}`],
      ['solo', 'up', 'echo'],
    ]);
  });

  it('has no tool that joined its domain since, and none of another version', () => {
    const shown = JSON.stringify(ask({ profile: 'operations@1' }));
    expect(shown).not.toContain('files.write');
    expect(shown).not.toContain('other');
    expect(ask({ profile: 'nothing@1' })).toEqual({ contract_version: '1', domains: [] });
  });

  it('narrows one domain, and shows schemas on demand', () => {
    expect(toolsOf({ profile: 'operations@2', domain: 'solo' })).toEqual([['solo', 'up', 'echo']]);
    expect(toolsOf({ profile: 'operations@2', domain: 'other' })).toEqual([['other', 'up']]);
    expect(fault({ profile: 'operations@2', domain: 'nope' })).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('no such domain'),
    });
    expect(ask({ profile: 'operations@1', include_schemas: true }).domains[1]?.tools).toEqual([
      { name: 'files.read', description: '', effect: 'write', input_schema: { type: 'object' } },
    ]);
    expect(ask({ profile: 'operations@1' }).domains[1]?.tools[0]).not.toHaveProperty('input_schema');
  });

  it('is no access control: it shows a caller nothing that is denied', () => {
    const access: Access = { all: false, allows: ({ fullName }) => fullName !== 'files.read' };
    expect(toolsOf({ profile: 'operations@1' }, access)).toEqual([
      ['dead', 'down'],
      ['files', 'up'],
    ]);
  });

  it.each(['operations', 'operations@3', 'Operations@1', '__proto__', ''])(
    'knows no profile %j, and names those there are',
    (profile) => {
      expect(fault({ profile })).toBeInstanceOf(Fault);
      expect(fault({ profile })).toMatchObject({
        code: 'NOT_FOUND',
        executed: 'no',
        message: 'There is no such profile. Known: nothing@1, operations@1, operations@2.',
      });
    },
  );

  it('names a bounded number of them, and says when there is none', () => {
    const many = new Map(Array.from({ length: 1_000 }, (_, index) => [`${'p'.repeat(120)}${index}@1`, []]));
    const { message } = fault({ profile: 'x' }, many);
    expect(message).toMatch(/^There is no such profile\. Known: .* and 992 more\.$/);
    expect(message.length).toBeLessThan(500);
    expect(fault({ profile: 'x' }, new Map()).message).toBe('There is no such profile; none is defined.');
  });
});
