import { describe, expect, it } from '@jest/globals';
import type { Effect, Principal } from '@portico/contracts';
import { type AuthMode, buildPolicy } from './build-policy.js';
import { parsePolicyFile } from './policy-file.js';
import type { Access } from './policy.js';

const principal = (over: Partial<Principal> = {}): Principal => ({
  tenant: 'acme',
  subject: 'ci-build',
  scopes: ['portico:call'],
  ...over,
});
const LOCAL: Principal = { tenant: 'default', subject: 'local', scopes: ['*'] };
const policyOf = (access: unknown, authMode: AuthMode = 'jwt') =>
  buildPolicy(parsePolicyFile('/policy.yaml', JSON.stringify({ access })), authMode);
const accessFor = (access: unknown, who: Principal = principal(), authMode: AuthMode = 'jwt'): Access =>
  policyOf(access, authMode).policy.accessOf(who);
const allows = (access: Access, fullName: string, effect: Effect = 'write'): boolean =>
  access.allows({ fullName, effect });

describe('[FD-10] access without a rule', () => {
  it.each<[AuthMode, boolean, boolean]>([
    ['none', true, true],
    ['api-key', false, false],
    ['jwt', false, false],
  ])('in %s mode: reads are allowed, writes and destructive calls: %s', (mode, write, all) => {
    const access = accessFor([], principal(), mode);
    expect(allows(access, 'files.read', 'read')).toBe(true);
    expect(allows(access, 'files.write', 'write')).toBe(write);
    expect(allows(access, 'files.delete', 'destructive')).toBe(write);
    expect(access.all).toBe(all);
  });

  it('decides by the effect as it is asked with, also for a name it has seen with another', () => {
    const access = accessFor([]);
    for (let round = 0; round < 2; round += 1) {
      expect(allows(access, 'files.touch', 'write')).toBe(false);
      expect(allows(access, 'files.touch', 'read')).toBe(true);
      expect(allows(access, 'files.touch', 'destructive')).toBe(false);
    }
  });
});

describe('[FD-10] gateway.* and task.*', () => {
  it.each(['gateway.describe', 'gateway.receipts', 'task.acquire', 'task.some.thing'])(
    '%s is allowed to all',
    (name) => {
      const access = accessFor([{ deny: ['*', 'gateway.*', 'task.*', 'task.acquire'] }]);
      expect(allows(access, name, 'destructive')).toBe(true);
      expect(allows(access, 'files.read', 'read')).toBe(false);
    },
  );

  it.each(['gatewayx.describe', 'x.gateway.describe', 'task2.acquire', 'x.task.acquire'])(
    '%s is no name of theirs',
    (name) => expect(allows(accessFor([{ deny: ['*'] }]), name, 'read')).toBe(false),
  );

  it('can not be denied, and a denial that only names them is told and counts for nothing', () => {
    const { policy, warnings } = policyOf([{ deny: ['gateway.receipts', 'task.*'] }], 'none');
    expect(policy.accessOf(LOCAL).all).toBe(true);
    expect(warnings).toEqual([
      'access[0].deny names gateway.receipts, but gateway and task are open to every caller.',
      'access[0].deny names task.*, but gateway and task are open to every caller.',
    ]);
  });
});

describe('[FD-10] which rules apply', () => {
  const opened = (selectors: object, who: Principal) => allows(accessFor([{ ...selectors, allow: ['*'] }], who), 'a.b');

  it.each<[object, Partial<Principal>, boolean]>([
    [{}, {}, true],
    [{ subjects: [], tenants: [], scopes: [] }, {}, true],
    [{ subjects: ['ci-*'] }, { subject: 'ci-build' }, true],
    [{ subjects: ['ci-*'] }, { subject: 'CI-build' }, false],
    [{ subjects: ['ci-*'] }, { subject: 'x-ci-build' }, false],
    [{ subjects: ['a', 'ci-*'] }, { subject: 'ci-' }, true],
    [{ subjects: ['*@ci.example.com'] }, { subject: 'a.b@ci.example.com' }, true],
    [{ subjects: ['ci.build'] }, { subject: 'ci-build' }, false],
    [{ tenants: ['acme'] }, { tenant: 'acme' }, true],
    [{ tenants: ['acme'] }, { tenant: 'acme2' }, false],
    [{ tenants: ['*'] }, { tenant: '' }, true],
    [{ scopes: ['a'] }, { scopes: ['a', 'b'] }, true],
    [{ scopes: ['a', 'b'] }, { scopes: ['a', 'b'] }, true],
    [{ scopes: ['a', 'b'] }, { scopes: ['a'] }, false],
    [{ scopes: ['a'] }, { scopes: [] }, false],
    [{ scopes: ['a'] }, { scopes: ['A', 'aa'] }, false],
    [{ scopes: ['a', 'b'] }, { scopes: ['*'] }, true],
    [{ subjects: ['ci-*'], tenants: ['other'] }, {}, false],
    [{ subjects: ['other'], tenants: ['acme'] }, {}, false],
    [{ subjects: ['ci-*'], tenants: ['acme'], scopes: ['missing'] }, {}, false],
    [{ subjects: ['ci-*'], tenants: ['acme'], scopes: ['portico:call'] }, {}, true],
  ])('%j to %j: %s', (selectors, who, expected) => expect(opened(selectors, principal(who))).toBe(expected));
});

describe('[FD-10] which rule decides', () => {
  it('denies before it allows, in one rule', () => {
    const access = accessFor([{ allow: ['cluster.*'], deny: ['*.delete_*'] }]);
    expect(allows(access, 'cluster.pods_run')).toBe(true);
    expect(allows(access, 'cluster.delete_pod')).toBe(false);
    expect(allows(access, 'files.delete_file', 'read')).toBe(false);
  });

  it('is the first that applies and has the tool: a later one changes nothing, an earlier one without it neither', () => {
    const rules = [
      { subjects: ['nobody'], deny: ['*'] },
      { allow: ['dagger.*'] },
      { subjects: ['ci-*'], allow: ['cluster.pods_*'] },
      { deny: ['cluster.*'] },
      { allow: ['cluster.*', 'dagger.*'] },
    ];
    const ci = accessFor(rules);
    expect(allows(ci, 'cluster.pods_run')).toBe(true);
    expect(allows(ci, 'cluster.nodes_run', 'read')).toBe(false);
    expect(allows(ci, 'dagger.trigger')).toBe(true);
    expect(allows(ci, 'slack.post')).toBe(false);
    expect(allows(ci, 'slack.list', 'read')).toBe(true);
    const other = accessFor(rules, principal({ subject: 'alice' }));
    expect(allows(other, 'cluster.pods_run')).toBe(false);
  });

  it('can take reads away, and close a gateway that trusts its perimeter', () => {
    expect(allows(accessFor([{ deny: ['files.*'] }]), 'files.read', 'read')).toBe(false);
    const local = accessFor([{ deny: ['*.delete_*'] }], LOCAL, 'none');
    expect(local.all).toBe(false);
    expect([allows(local, 'files.delete_file'), allows(local, 'files.write_file')]).toEqual([false, true]);
  });

  it('sees the whole name: what follows its first dot is one segment, whatever an upstream named its tool', () => {
    const access = accessFor([{ allow: ['cluster.*', '*.safe'] }]);
    expect(allows(access, 'evil.cluster.pods_delete')).toBe(false);
    expect(allows(access, 'evil.very.safe')).toBe(false);
    expect(allows(access, 'cluster.a.b.c')).toBe(true);
  });
});

describe('[FD-10] an access', () => {
  it.each<[string, AuthMode, unknown[], boolean]>([
    ['no rule, none mode', 'none', [], true],
    ['a rule that only allows, none mode', 'none', [{ allow: ['a.*'] }], true],
    ['a denial, none mode', 'none', [{ deny: ['a.*'] }], false],
    ['a denial after everything was allowed', 'none', [{ allow: ['*'] }, { deny: ['a.*'] }], true],
    ['everything allowed', 'jwt', [{ allow: ['*'] }], true],
    ['everything allowed, spelled otherwise', 'jwt', [{ allow: ['**.**'] }], true],
    ['a denial in the rule that allows everything', 'jwt', [{ allow: ['*'], deny: ['a.b'] }], false],
    ['a denial before', 'jwt', [{ deny: ['a.*'] }, { allow: ['*'] }], false],
    ['less than everything allowed', 'jwt', [{ allow: ['a*.*'] }], false],
    ['a denial for somebody else', 'none', [{ subjects: ['x'], deny: ['*'] }], true],
  ])('knows whether it denies nothing: %s', (_what, mode, rules, all) => {
    expect(accessFor(rules, principal(), mode).all).toBe(all);
  });

  it('is the same object for all to whom the same rules apply', () => {
    const { policy } = policyOf([
      { subjects: ['ci-*'], allow: ['a.*'] },
      { scopes: ['admin'], allow: ['*'] },
    ]);
    const ci = policy.accessOf(principal({ subject: 'ci-1' }));
    expect(policy.accessOf(principal({ subject: 'ci-2', tenant: 'other' }))).toBe(ci);
    expect(policy.accessOf(principal({ subject: 'alice' }))).not.toBe(ci);
    expect(policy.accessOf(principal({ subject: 'ci-1', scopes: ['admin'] }))).not.toBe(ci);
    const same = principal();
    expect(policy.accessOf(same)).toBe(policy.accessOf(same));
  });

  it('stays right beyond what is remembered: callers, and names', () => {
    const rules = Array.from({ length: 9 }, (_, bit) => ({ scopes: [`s${bit}`], allow: [`d${bit}.*`] }));
    const { policy } = policyOf(rules);
    for (let round = 0; round < 2; round += 1)
      for (let mask = 0; mask < 512; mask += 1) {
        const access = policy.accessOf(
          principal({ scopes: rules.flatMap((_, bit) => (mask & (1 << bit) ? [`s${bit}`] : [])) }),
        );
        for (let bit = 0; bit < 9; bit += 1) expect(allows(access, `d${bit}.x`)).toBe((mask & (1 << bit)) !== 0);
      }
    const access = accessFor([{ allow: ['a.1*'] }]);
    for (let round = 0; round < 2; round += 1)
      for (let index = 0; index < 6_000; index += 1)
        if (allows(access, `a.${index}`) !== String(index).startsWith('1')) throw new Error(`a.${index}`);
  });
});
