import { scenarioFails, worstByCheck } from './suite-checks.js';
import type { SuiteChecks } from './suite-checks.js';

/** What the two runs of one suite were: against the fixture itself, and against the front door before it. */
export interface ServerRuns {
  readonly fixture: { readonly exitCode: number; readonly checks: SuiteChecks };
  readonly gateway: { readonly exitCode: number; readonly checks: SuiteChecks };
}

/**
 * The rule of the 2026 revision: the suite is content with both, and the front door is worse than the fixture in no
 * single check. Returns what is wrong, one sentence each.
 */
export function judgeRequirements({ fixture, gateway }: ServerRuns): string[] {
  const wrong: string[] = [];
  if (fixture.exitCode !== 0) wrong.push('The fixture itself does not meet the requirements.');
  if (gateway.exitCode !== 0) wrong.push('The front door does not meet the requirements.');
  for (const [scenario, checks] of fixture.checks) {
    const through = worstByCheck(gateway.checks.get(scenario) ?? []);
    for (const [key, check] of worstByCheck(checks)) {
      if (check.status !== 'SUCCESS') continue;
      const status = through.get(key)?.status;
      if (status === 'SUCCESS') continue;
      const why = through.get(key)?.errorMessage;
      const told = why === undefined ? '' : `: ${why}`;
      wrong.push(`${scenario}: ${key} passes at the fixture and is ${status ?? 'absent'} at the front door${told}`);
    }
  }
  return wrong;
}

/**
 * The rule of the 2025 revisions: the fixture passes everything; the front door fails the scenarios in `expected` and
 * no others. A listed scenario that passes is wrong too, so that the list only shrinks.
 */
export function judgeAgainstBaseline({ fixture, gateway }: ServerRuns, expected: readonly string[]): string[] {
  const unfit = [...fixture.checks].filter(([, checks]) => scenarioFails(checks)).map(([scenario]) => scenario);
  return [
    ...unfit.map((scenario) => `${scenario}: fails at the fixture itself.`),
    ...judgeScenarios([...fixture.checks.keys()], gateway.checks, expected),
  ];
}

/** Compares the scenarios that fail with those expected to; `scenarios` are those that must have run. */
export function judgeScenarios(
  scenarios: readonly string[],
  checks: SuiteChecks,
  expected: readonly string[],
): string[] {
  const listed = new Set(expected);
  const wrong = scenarios.flatMap((scenario) => {
    const fails = scenarioFails(checks.get(scenario));
    if (fails === listed.has(scenario)) return [];
    if (!fails) return [`${scenario}: is listed as failing and passes; take it off the list.`];
    const why = checks.get(scenario)?.find(({ status }) => status === 'FAILURE')?.errorMessage;
    return [`${scenario}: fails and is not on the list${why === undefined ? '.' : `: ${why}`}`];
  });
  const unknown = expected.filter((scenario) => !scenarios.includes(scenario));
  return [...wrong, ...unknown.map((scenario) => `${scenario}: is listed as failing and does not exist here.`)];
}
