import { describe, expect, it } from '@jest/globals';
import { judgeAgainstBaseline, judgeRequirements, judgeScenarios } from './judge.js';
import type { ServerRuns } from './judge.js';
import type { Check, CheckStatus } from './suite-checks.js';

const checks = (statuses: Readonly<Record<string, readonly CheckStatus[]>>) =>
  new Map(
    Object.entries(statuses).map(([scenario, found]) => [
      scenario,
      found.map((status, index): Check => ({ id: `${scenario}-${index}`, name: 'Check', status })),
    ]),
  );

const runs = (
  fixture: Readonly<Record<string, readonly CheckStatus[]>>,
  gateway: Readonly<Record<string, readonly CheckStatus[]>>,
  exitCode = 0,
): ServerRuns => ({
  fixture: { exitCode: 0, checks: checks(fixture) },
  gateway: { exitCode, checks: checks(gateway) },
});

describe('judgeRequirements', () => {
  it('is content when the front door passes all that the fixture passes', () => {
    expect(judgeRequirements(runs({ a: ['SUCCESS', 'FAILURE'] }, { a: ['SUCCESS', 'FAILURE'] }))).toEqual([]);
  });

  it.each(['FAILURE', 'WARNING', 'SKIPPED'] as const)('names a check that is %s only at the front door', (status) => {
    const wrong = judgeRequirements(runs({ a: ['SUCCESS'] }, { a: [status] }));
    expect(wrong).toEqual([`a: a-0 Check passes at the fixture and is ${status} at the front door`]);
  });

  it('names a check that the front door never reached', () => {
    expect(judgeRequirements(runs({ a: ['SUCCESS'] }, {}))).toEqual([
      'a: a-0 Check passes at the fixture and is absent at the front door',
    ]);
  });

  it('believes the suite when it is not content', () => {
    expect(judgeRequirements(runs({}, {}, 1))).toEqual(['The front door does not meet the requirements.']);
  });

  it('takes the worst of a check that was made twice', () => {
    const twice = [
      { id: 'x', name: 'X', status: 'SUCCESS' as const },
      { id: 'x', name: 'X', status: 'FAILURE' as const, errorMessage: 'late' },
    ];
    const wrong = judgeRequirements({
      fixture: { exitCode: 0, checks: new Map([['a', twice.slice(0, 1)]]) },
      gateway: { exitCode: 0, checks: new Map([['a', twice]]) },
    });
    expect(wrong).toEqual(['a: x X passes at the fixture and is FAILURE at the front door: late']);
  });
});

describe('judgeAgainstBaseline', () => {
  it('is content when exactly the listed scenarios fail', () => {
    const both = runs({ a: ['SUCCESS'], b: ['SUCCESS'] }, { a: ['SUCCESS'], b: ['FAILURE'] });
    expect(judgeAgainstBaseline(both, ['b'])).toEqual([]);
  });

  it('names an unlisted failure', () => {
    expect(judgeAgainstBaseline(runs({ a: ['SUCCESS'] }, { a: ['FAILURE'] }), [])).toHaveLength(1);
  });

  it('names a listed scenario that passes, so that the list only shrinks', () => {
    expect(judgeAgainstBaseline(runs({ a: ['SUCCESS'] }, { a: ['SUCCESS'] }), ['a'])).toEqual([
      'a: is listed as failing and passes; take it off the list.',
    ]);
  });

  it('names a listed scenario that does not exist', () => {
    expect(judgeAgainstBaseline(runs({}, {}), ['gone'])).toEqual([
      'gone: is listed as failing and does not exist here.',
    ]);
  });

  it('names a failure of the fixture itself', () => {
    expect(judgeAgainstBaseline(runs({ a: ['FAILURE'] }, { a: ['FAILURE'] }), ['a'])).toEqual([
      'a: fails at the fixture itself.',
    ]);
  });
});

describe('judgeScenarios', () => {
  it('counts a scenario that checked nothing as failed', () => {
    expect(judgeScenarios(['a', 'b'], checks({ a: [] }), [])).toHaveLength(2);
  });
});
