import { describe, expect, it } from '@jest/globals';
import type { ToolPolicy } from '@portico/contracts';
import { buildPolicy } from './build-policy.js';
import { parsePolicyFile } from './policy-file.js';

const built = (tools: unknown[]) => buildPolicy(parsePolicyFile('/policy.yaml', JSON.stringify({ tools })), 'none');
const policyOf = (tools: unknown[], fullName: string, declared: ToolPolicy = { effect: 'write' }): ToolPolicy =>
  built(tools).policy.toolPolicy(fullName, declared);

describe('[FD-10][SS-2] the policy of a tool', () => {
  it('is what its source declares until a rule matches, and the very same object then', () => {
    const declared: ToolPolicy = { effect: 'write' };
    expect(policyOf([], 'files.read', declared)).toBe(declared);
    expect(policyOf([{ match: 'file.*', effect: 'read' }], 'files.read', declared)).toBe(declared);
  });

  it('takes each field from the first rule that matches, the others from its source', () => {
    const declared: ToolPolicy = { effect: 'write', staleness: 'stale', cache: { ttlSeconds: 5 }, decorate: true };
    const rules = [
      { match: 'billing.get_*', effect: 'read', cache: { threshold: 0 } },
      { match: 'billing.*', effect: 'destructive', decorate: false, invalidates: ['billing.get_*'] },
      { match: '*', lease: { resource: 'x' } },
    ];
    expect(policyOf(rules, 'billing.get_one', declared)).toEqual({
      effect: 'read',
      staleness: 'stale',
      // As a whole: what it may be is read in one place.
      cache: { threshold: 0 },
      decorate: true,
    });
    expect(policyOf(rules, 'billing.refund', declared)).toEqual({
      effect: 'destructive',
      staleness: 'stale',
      cache: { ttlSeconds: 5 },
      decorate: false,
      invalidates: ['billing.get_*'],
    });
    expect(policyOf(rules, 'files.read', declared)).toEqual({ ...declared, lease: { resource: 'x' } });
    expect(declared).toEqual({ effect: 'write', staleness: 'stale', cache: { ttlSeconds: 5 }, decorate: true });
  });

  it('is shielded from later rules by one that says nothing', () => {
    expect(policyOf([{ match: 'a.b' }, { match: 'a.*', effect: 'read' }], 'a.b')).toEqual({ effect: 'write' });
  });

  it('of gateway and task is their own: no lease is ever needed to acquire one', () => {
    const rules = [{ match: '*', effect: 'destructive', lease: { resource: 'everything' } }];
    for (const name of ['gateway.describe', 'task.acquire'])
      expect(policyOf(rules, name, { effect: 'read' })).toEqual({ effect: 'read' });
    expect(policyOf(rules, 'x.task.acquire')).toEqual({ effect: 'destructive', lease: { resource: 'everything' } });
  });
});

describe('[SS-2] rules that can never count', () => {
  it('are told: the same twice, behind a wider one, or for gateway and task', () => {
    expect(
      built([
        { match: 'billing.get_*' },
        { match: 'billing.*' },
        { match: 'billing.get_*' },
        { match: 'billing.refund' },
        { match: 'gateway.describe' },
        { match: '*' },
        { match: 'files.*' },
        { match: '**' },
      ]).warnings,
    ).toEqual([
      'tools[2] (billing.get_*) never counts, as tools[0] (billing.get_*) comes first.',
      'tools[3] (billing.refund) never counts, as tools[1] (billing.*) comes first.',
      'tools[4] names gateway.describe, but the tools of gateway and task keep their own policy.',
      'tools[6] (files.*) never counts, as tools[5] (*) comes first.',
      'tools[7] (**) never counts, as tools[5] (*) comes first.',
    ]);
  });
});

describe('[FD-28] the profiles of a policy', () => {
  const profilesOf = (profiles: unknown) =>
    buildPolicy(parsePolicyFile('/policy.yaml', JSON.stringify({ profiles })), 'jwt').policy.profiles;

  it('are lists of full names, each tool once, in their order', () => {
    expect([...profilesOf({ 'ops@1': ['b.x', 'a.y.z', 'b.x'], 'ops@2': [] })]).toEqual([
      ['ops@1', ['b.x', 'a.y.z']],
      ['ops@2', []],
    ]);
    expect(profilesOf(undefined).size).toBe(0);
  });

  it('open nothing', () => {
    const { policy } = buildPolicy({ profiles: { 'ops@1': ['a.write'] } }, 'jwt');
    const access = policy.accessOf({ tenant: 't', subject: 's', scopes: ['ops@1'] });
    expect(access.allows({ fullName: 'a.write', effect: 'write' })).toBe(false);
    expect(access.allows({ fullName: 'b.read', effect: 'read' })).toBe(true);
  });
});

describe('the revision of a policy', () => {
  it('changes with what the file says and with the mode, not with how it is written', () => {
    const of = (text: string, mode: 'none' | 'jwt' = 'none') =>
      buildPolicy(parsePolicyFile('/policy.yaml', text), mode).policy.revision;
    const written = of('tools: [{ match: "*", effect: read }]');
    expect(of('# said otherwise\n{"tools": [{"match": "*", "effect": "read"}]}')).toBe(written);
    expect(of('tools: [{ match: "*", effect: write }]')).not.toBe(written);
    expect(of('tools: [{ match: "*", effect: read }]', 'jwt')).not.toBe(written);
  });
});
