import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * @typedef {{ readonly title: string, readonly status: string, readonly file: string }} TestOutcome
 * @typedef {{ readonly finishedAt: string, readonly tests: readonly TestOutcome[], readonly broken: readonly string[] }} TestResults
 * `broken`: the files that could not be run, so that none of their tests is among `tests`.
 */

/** Where the outcome of the last whole run is kept for `npm run requirements`. */
export const RESULTS_FILE = '.cache/test-results.json';
const NOT_RUN = /not run: no .+? here/;

/** Keeps the outcome of a whole run, and closes each run with what was not run and "N passed, N failed". */
export default class TestReporter {
  /** @param {import('@jest/types').Config.GlobalConfig} globalConfig */
  constructor(globalConfig) {
    this.rootDir = globalConfig.rootDir;
    this.whole =
      globalConfig.testPathPatterns.patterns.length === 0 &&
      !globalConfig.testNamePattern &&
      !globalConfig.onlyChanged &&
      !globalConfig.runTestsByPath &&
      !globalConfig.shard;
    /** @type {Error | undefined} */
    this.error = undefined;
  }

  /**
   * @param {unknown} _contexts
   * @param {import('@jest/test-result').AggregatedResult} results
   */
  onRunComplete(_contexts, results) {
    const tests = results.testResults.flatMap(({ testFilePath, testResults }) =>
      testResults.map(({ fullName, status }) => ({
        title: fullName,
        status,
        file: relative(this.rootDir, testFilePath),
      })),
    );
    const broken = results.testResults
      .filter(({ testExecError }) => testExecError)
      .map(({ testFilePath }) => relative(this.rootDir, testFilePath));
    if (this.whole) this.keep(tests, broken);
    const missing = notRun(tests);
    const silenced = this.whole ? tests.filter(isSilenced) : [];
    const refused = [
      ...(process.env['CI'] === 'true' ? missing : []),
      ...silenced.map(({ title }) => `skipped: ${title}`),
    ];
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + refused.length;
    if (refused.length > 0) this.error = new Error(`These must run: ${refused.join('; ')}`);
    const lines = [...new Set([...missing, ...refused])].map((line) => `${line}\n`);
    const closing = `\n${lines.join('')}${results.numPassedTests} passed, ${failed} failed\n`;
    // Jest's own summary is always written after the last reporter's; this line is to stand last.
    process.once('exit', () => process.stdout.write(closing));
  }

  /** Jest exits with 1 when this gives an error. */
  getLastError() {
    return this.error;
  }

  /**
   * @param {readonly TestOutcome[]} tests
   * @param {readonly string[]} broken
   */
  keep(tests, broken) {
    const file = join(this.rootDir, RESULTS_FILE);
    mkdirSync(dirname(file), { recursive: true });
    /** @type {TestResults} */
    const kept = { finishedAt: new Date().toISOString(), tests, broken };
    writeFileSync(file, JSON.stringify(kept, null, 1));
  }
}

/**
 * One line a suite that had no server to run against.
 * @param {readonly TestOutcome[]} tests
 */
const notRun = (tests) => [
  ...new Set(
    tests
      .filter(({ title, status }) => status === 'pending' && NOT_RUN.test(title))
      .map(({ title, file }) => `${NOT_RUN.exec(title)?.[0]}: ${file}`),
  ),
];

/** @param {TestOutcome} test */
const isSilenced = ({ title, status }) => (status === 'pending' || status === 'todo') && !NOT_RUN.test(title);
