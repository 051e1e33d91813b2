import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type CheckStatus = 'SUCCESS' | 'INFO' | 'SKIPPED' | 'WARNING' | 'FAILURE';

/** One check of the official suite, as far as it is judged here. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: CheckStatus;
  readonly errorMessage?: string;
}

/** What one run of the suite found: each scenario's checks by its name. */
export type SuiteChecks = ReadonlyMap<string, readonly Check[]>;

const RESULT_FOLDER = /^(?:server-)?(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/;

/** Reads the folder that the suite was told to write its results to; it must hold those of one run alone. */
export async function readSuiteChecks(folder: string): Promise<SuiteChecks> {
  const found = new Map<string, readonly Check[]>();
  for (const name of await readdir(folder)) {
    const scenario = RESULT_FOLDER.exec(name)?.[1];
    if (scenario === undefined) continue;
    found.set(scenario, JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')) as Check[]);
  }
  return found;
}

/** A scenario fails when one of its checks does, or when it checked nothing at all. */
export const scenarioFails = (checks: readonly Check[] | undefined): boolean =>
  checks === undefined || checks.length === 0 || checks.some(({ status }) => status === 'FAILURE');

const RANK: Readonly<Record<CheckStatus, number>> = { SKIPPED: 0, INFO: 1, SUCCESS: 2, WARNING: 3, FAILURE: 4 };

/** The worst status of each check of a scenario: the suite emits some of them several times. */
export function worstByCheck(checks: readonly Check[]): ReadonlyMap<string, Check> {
  const worst = new Map<string, Check>();
  for (const check of checks) {
    const key = `${check.id} ${check.name}`;
    const known = worst.get(key);
    if (!known || RANK[check.status] > RANK[known.status]) worst.set(key, check);
  }
  return worst;
}
