import { describe, expect, it } from '@jest/globals';
import type { Fault } from '@portico/contracts';
import { parseRule } from './deny-rule.js';
import { DenyList } from './deny.js';

const faultOf = (list: DenyList, tool: string, args: Record<string, unknown>): Fault | undefined => {
  try {
    list.checkKinds({ tool, arguments: args });
    return undefined;
  } catch (error) {
    return error as Fault;
  }
};

describe('[AD-6] the default deny list', () => {
  const list = new DenyList([], []);

  it.each(['configuration_view', 'pods_exec', 'pods_run', 'Pods_Exec'])('denies %s', (tool) => {
    expect(list.tool(tool)).toBe(true);
  });

  it.each(['pods_list', 'resources_get', 'configuration_contexts_list', 'pods_log'])('lets %s through', (tool) => {
    expect(list.tool(tool)).toBe(false);
  });

  it.each(['resources_get', 'resources_list', 'resources_delete', 'resources_scale', 'resources_patch_of_tomorrow'])(
    'denies %s on Secrets, however they are spelled',
    (tool) => {
      for (const kind of ['Secret', 'secret', 'SECRETS', 'SecretList', 'core/v1/secrets', 'secrets.v1.']) {
        for (const key of ['kind', 'Kind', 'KIND']) {
          expect(faultOf(list, tool, { apiVersion: 'v1', [key]: kind, name: 'x' })).toMatchObject({
            code: 'PERMISSION_DENIED',
            executed: 'no',
          });
        }
      }
      expect(
        faultOf(list, tool, { apiVersion: 'v1', kind: 'ConfigMap', name: 'secret', namespace: 'secrets' }),
      ).toBeUndefined();
    },
  );

  it.each([
    ['text', 'kind: Pod\n---\nkind: List\nitems: [{kind: secret}]'],
    ['a value', { kind: 'List', items: [{ kind: 'Secret' }] }],
    ['a list', [{ kind: 'Secret' }]],
  ])('denies a Secret in a manifest that is %s, whatever the argument is called', (_what, manifest) => {
    for (const name of ['resource', 'Resource', 'manifest']) {
      const fault = faultOf(list, 'resources_create_or_update', { [name]: manifest });
      expect(fault).toMatchObject({ code: 'PERMISSION_DENIED', executed: 'no' });
    }
  });

  it.each([
    ['a kind that is no text', { kind: ['Secret'] }],
    ['a kind of look-alike letters', { kind: 'Sеcret' }],
    ['a nesting without end', { resource: JSON.parse('['.repeat(200) + ']'.repeat(200)) as unknown }],
    ['a manifest that cannot be read for certain', { resource: 'kind: &k Secret' }],
  ])('refuses %s before the server is asked', (_what, args) => {
    expect(faultOf(list, 'resources_create_or_update', args)).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      executed: 'no',
    });
  });

  it('reads no manifest in the arguments of other tools', () => {
    expect(faultOf(list, 'helm_install', { values: { kind: 'Secret' } })).toBeUndefined();
  });
});

describe('[AD-6] what the operator adds and lifts', () => {
  it('adds tools, tools by pattern, and kinds', () => {
    const list = new DenyList(['nodes_log', 'helm_*', '*_delete', 'resources_*:ConfigMap'], []);
    expect(
      ['nodes_log', 'helm_list', 'helm_', 'pods_delete', 'configuration_view'].map((tool) => list.tool(tool)),
    ).toEqual([true, true, true, true, true]);
    expect(list.tool('helm')).toBe(false);
    expect(faultOf(list, 'resources_get', { kind: 'cm' })).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(faultOf(list, 'resources_get', { kind: 'Secret' })).toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('lifts exactly what is named', () => {
    const list = new DenyList([], ['pods_exec', 'resources_list:secrets']);
    expect([list.tool('pods_exec'), list.tool('pods_run')]).toEqual([false, true]);
    expect(faultOf(list, 'resources_list', { kind: 'Secret' })).toBeUndefined();
    expect(faultOf(list, 'resources_get', { kind: 'Secret' })).toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('never lifts what the operator denies', () => {
    const list = new DenyList(['pods_exec'], ['*', '*:Secret']);
    expect([list.tool('pods_exec'), list.tool('configuration_view')]).toEqual([true, false]);
    expect(faultOf(list, 'resources_get', { kind: 'Secret' })).toBeUndefined();
  });

  it.each(['', 'pods exec', 'a:b:c', ':Secret', 'resources_*:', 'pods_exec;'])('takes no rule spelled %j', (rule) => {
    expect(() => parseRule(rule)).toThrow(/neither a tool/);
  });

  it('matches a hostile pattern in linear time', () => {
    const list = new DenyList([`${'a*'.repeat(60)}b`], []);
    const started = performance.now();
    expect(list.tool('a'.repeat(100_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
