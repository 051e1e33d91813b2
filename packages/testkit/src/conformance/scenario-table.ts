import type { Check, SuiteChecks } from './suite-checks.js';

/** A table of scenarios with the checks passed and failed in each run, one line a scenario, for people to read. */
export function scenarioTable(columns: Readonly<Record<string, SuiteChecks>>): string {
  const runs = Object.values(columns);
  const scenarios = [...new Set(runs.flatMap((run) => [...run.keys()]))];
  const rows = scenarios.map((scenario) => [scenario, ...runs.map((run) => score(run.get(scenario)))]);
  const total = ['total', ...runs.map((run) => score([...run.values()].flat()))];
  const lines = [['scenario', ...Object.keys(columns)], ...rows, total];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function score(checks: readonly Check[] | undefined): string {
  if (checks === undefined) return 'not run';
  const count = (status: string) => checks.filter((check) => check.status === status).length;
  const [passed, failed, warned] = [count('SUCCESS'), count('FAILURE'), count('WARNING')];
  return `${passed} passed${failed > 0 ? `, ${failed} FAILED` : ''}${warned > 0 ? `, ${warned} warned` : ''}`;
}
