import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { proofsIn } from '../scripts/requirement-proofs.js';
import { RESULTS_FILE, type TestResults } from '../scripts/test-reporter.js';

const root = join(import.meta.dirname, '..');
/** Not spelled out, so that this file is not taken for a proof. */
const titled = (number: number, title: string): string => `[FD${'-'}${number}] ${title}`;
const SUITES = {
  'good.test.js': `it('${titled(1, 'holds')}', () => {}); it('${titled(2, 'fails')}', () => { throw new Error('no'); });`,
  'broken.test.js': `require('./nowhere'); it('${titled(3, 'never ran')}', () => {});`,
};

describe('the results of a run with a suite that can not be loaded', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-results-'));
  let run: { status: number | null; stdout: string };
  let results: TestResults;

  beforeAll(() => {
    const reporters = [join(root, 'scripts/test-reporter.js')];
    const config = { rootDir: folder, transform: {}, reporters, haste: { enableSymlinks: false } };
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));
    for (const [name, text] of Object.entries(SUITES)) writeFileSync(join(folder, name), text);
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const args = [jest, '--config', join(folder, 'jest.config.json'), '--no-cache'];
    run = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    results = JSON.parse(readFileSync(join(folder, RESULTS_FILE), 'utf8')) as TestResults;
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  it('count it as failed', () => {
    expect([run.status, run.stdout.trimEnd().split('\n').at(-1)]).toEqual([1, '1 passed, 2 failed']);
  });

  it('are no proof: the requirements are told which suite it is, beside what failed', () => {
    const { passing, problems } = proofsIn(results);
    expect([...passing]).toEqual([['FD-1', [titled(1, 'holds')]]]);
    expect(problems).toEqual([
      'broken.test.js could not be run: none of its tests has a result.',
      `FD-2 has a failing test: ${titled(2, 'fails')}`,
    ]);
  });
});
