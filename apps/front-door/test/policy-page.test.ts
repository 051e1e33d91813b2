import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Principal } from '@portico/contracts';
import { isCacheable } from '../src/cache/question.js';
import { buildPolicy } from '../src/policy/build-policy.js';
import { parsePolicyFile } from '../src/policy/policy-file.js';

const page = readFileSync(new URL('../../../docs/policy.md', import.meta.url), 'utf8');
const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text]) => text!);
const blocks = (language: string): string[] => blocksOf(page, language);
const caller = (over: Partial<Principal> = {}): Principal => ({ tenant: 't', subject: 's', scopes: [], ...over });
const example = (containing: string) => {
  const text = blocks('yaml').find((one) => one.includes(containing))!;
  return buildPolicy(parsePolicyFile('policy.yaml', text), 'jwt');
};

describe('the examples of docs/what-goes-stale.md', () => {
  const stale = readFileSync(new URL('../../../docs/what-goes-stale.md', import.meta.url), 'utf8');
  const examples = blocksOf(stale, 'yaml');

  it.each(examples)('can be copied: %s', (text) => {
    const { warnings, policy } = buildPolicy(parsePolicyFile('policy.yaml', text), 'jwt');
    expect(warnings).toEqual([]);
    expect(policy.revision).not.toBe(buildPolicy({}, 'jwt').policy.revision);
  });

  it('are all there', () => expect(examples).toHaveLength(2));

  it('[SS-1] say of the tools that they name what the page goes on to say', () => {
    const { policy } = buildPolicy(parsePolicyFile('policy.yaml', examples[0]!), 'jwt');
    const of = (name: string) => policy.toolPolicy(name, { effect: 'write' });
    expect(of('billing.get_invoice')).toMatchObject({ effect: 'read', staleness: 'cached' });
    expect(of('billing.rate')).toMatchObject({ effect: 'read', staleness: 'stale' });
    expect(stale).toContain(`cause="billing.refund" domains="${of('billing.refund').invalidates!.join(',')}"`);
  });

  it('[SC-5] have the memory kept among tenants', () => {
    const { policy } = buildPolicy(parsePolicyFile('policy.yaml', examples[1]!), 'jwt');
    const kept = ['read_graph', 'search_nodes', 'open_nodes', 'create_entities'].map((name) =>
      isCacheable({
        policy: policy.toolPolicy(`memory.${name}`, { effect: name.startsWith('create') ? 'write' : 'read' }),
      }),
    );
    expect(kept).toEqual([true, true, true, false]);
  });
});

describe('the examples of docs/policy.md', () => {
  it.each([...blocks('yaml'), ...blocks('json')])('can be copied: %s', (text) => {
    const { warnings, policy } = buildPolicy(parsePolicyFile('policy.yaml', text), 'jwt');
    expect(warnings).toEqual([]);
    expect(policy.revision).not.toBe(buildPolicy({}, 'jwt').policy.revision);
  });

  it('are all there', () => expect([blocks('yaml').length, blocks('json').length]).toEqual([5, 1]));

  it('refuse what the page says is refused, in its words', () => {
    const text = 'tools: [{ match: a.b }, { match: a.c }, { match: a.d }, { match: a.e, effect: wipe }]';
    expect(() => parsePolicyFile('policy.yaml', text)).toThrow(blocks('text')[0]!.trim());
  });

  it.each([
    [{ scopes: ['tools:delete'] }, 'x.delete_y', true],
    [{}, 'x.delete_y', false],
    [{ subject: 'ci-1' }, 'dagger.run', true],
    [{ subject: 'ci-1' }, 'slack.list', false],
    [{}, 'dagger.run', false],
    [{ tenant: 'acme' }, 'files.write_file', true],
    [{ tenant: 'acme', subject: 'audit-1' }, 'files.write_file', false],
    [{ tenant: 'other' }, 'files.write_file', false],
  ])('[FD-10] the rules for access let %j call %s: %s', (who, fullName, expected) => {
    const { policy } = example('tools:delete');
    expect(policy.accessOf(caller(who)).allows({ fullName, effect: 'write' })).toBe(expected);
  });

  it('[FD-10] the closed list closes', () => {
    const { policy } = example("deny: ['*'] }");
    const may = (name: string, scopes: string[] = []) =>
      policy.accessOf(caller({ scopes })).allows({ fullName: name, effect: 'read' });
    expect([may('memory.read_graph'), may('other.read'), may('cluster.pods_list')]).toEqual([true, false, false]);
    expect([may('cluster.pods_list', ['ops']), may('gateway.describe'), may('task.status')]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('[FD-10] the rules for tools say what the comments beside them say', () => {
    const { policy } = example('search.ask');
    const effectOf = (name: string) => policy.toolPolicy(name, { effect: 'write' }).effect;
    expect(['search.get_x', 'search.ask', 'search.delete_x', 'search.other'].map(effectOf)).toEqual([
      'read',
      'read',
      'destructive',
      'write',
    ]);
  });
});
