import { describe, expect, it } from '@jest/globals';
import { knownSource } from '../../test/known-source.js';
import { NO_POLICY } from '../../test/no-policy.js';
import { manifestJson } from '../manifest/manifest.js';
import { EVERYTHING, type Policy } from '../policy/policy.js';
import { isStalePattern } from '../policy/stale-pattern.js';
import { publishCatalogue } from '../published-catalogue.js';
import { domainsOfPattern, toolsOfPattern } from './stale-patterns.js';
import { patternOfUri, staleUri } from './stale-uri.js';

const many = Array.from({ length: 2_000 }, (_, n) => ({ name: `get_${n}` }));
const sources = [
  knownSource('domain.billing', { tools: [{ name: 'get_a' }, { name: 'refund' }] }),
  knownSource('upstream.deep', { tools: [{ name: 'a.b.c' }] }),
  knownSource('upstream.many', { tools: many }),
];
const publish = (policy: Policy) => publishCatalogue(sources, { toolNames: 'dotted', policy, contextInSchemas: false });

describe('[SS-2] the policy of a tool', () => {
  it('is resolved once for each tool and version of the policy, however often it is published, listed or read', () => {
    const asked: string[] = [];
    const counting = (): Policy => ({
      ...NO_POLICY,
      toolPolicy: (fullName, declared) => {
        asked.push(fullName);
        return declared;
      },
    });
    const policy = counting();
    for (let turn = 0; turn < 5; turn += 1) {
      const catalogue = publish(policy);
      catalogue.listJson('tools/list', 'modern', EVERYTHING);
      manifestJson(catalogue, EVERYTHING);
      toolsOfPattern(catalogue, 'billing.*');
      catalogue.resolveTool('billing.refund');
    }
    expect(asked).toHaveLength(2_003);
    publish(counting());
    expect(asked).toHaveLength(4_006);
  });
});

describe('[SS-2] the tools of a pattern', () => {
  const catalogue = publish(NO_POLICY);
  const names = (pattern: string): string[] => toolsOfPattern(catalogue, pattern).map(({ fullName }) => fullName);

  it('are those whose full names it matches', () => {
    expect(names('billing.get_*')).toEqual(['billing.get_a']);
    expect(names('billing.**')).toEqual(['billing.get_a', 'billing.refund']);
    expect(names('deep.**')).toEqual(['deep.a.b.c']);
    expect(names('**.c')).toEqual([]);
    expect(names('*.*.c')).toEqual(['deep.a.b.c']);
    expect(names('**')).toHaveLength(2_003);
  });

  it('are looked for once, and bounded patterns are remembered: however many are asked for, answers stay right', () => {
    expect(toolsOfPattern(catalogue, 'billing.*')).toBe(toolsOfPattern(catalogue, 'billing.*'));
    const before = toolsOfPattern(catalogue, 'billing.*');
    for (let n = 0; n < 300; n += 1) toolsOfPattern(catalogue, `none${n}.x`);
    expect(toolsOfPattern(catalogue, 'billing.*')).not.toBe(before);
    expect(names('billing.*')).toEqual(['billing.get_a', 'billing.refund']);
  });

  it('are found in time, whatever the pattern looks like', () => {
    const startedAt = performance.now();
    for (let n = 0; n < 50; n += 1) expect(names(`many.${'*t'.repeat(100 + (n % 20))}${n}`)).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe('[SS-5] the URI of a pattern', () => {
  it.each(['billing.get_*', '*', '**', 'a.b.c', 'a.%', 'a.x/y?z#', 'a."<é>', 'a.\u{1F600}'])(
    '%s is found again in it',
    (pattern) => {
      expect(patternOfUri(staleUri(pattern))).toBe(pattern);
      expect(URL.canParse(staleUri(pattern))).toBe(true);
    },
  );

  it('can be made of any text', () => {
    expect(staleUri('a.\ud800')).toBe('portico://stale/a.%EF%BF%BD');
  });

  it('shows a plain pattern as it is written', () => {
    expect(staleUri('billing.get_*')).toBe('portico://stale/billing.get_*');
  });

  it('speaks of the domains before its first dot', () => {
    expect(['billing.get_*', 'b*.x', '*', '**', '*.delete'].map(domainsOfPattern)).toEqual([
      'billing.*',
      'b*.*',
      '*',
      '*',
      '*.*',
    ]);
  });

  it.each(['a.b c', 'a.b,c', 'a.\n', 'a', '', 'A.b'])('%j is none to announce', (text) =>
    expect(isStalePattern(text)).toBe(false),
  );
});
