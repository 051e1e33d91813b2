import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { transformFileSync } from '@swc/core';
import { proofsIn } from './requirement-proofs.js';
import { lastChange, titlesById } from './requirement-titles.js';
import { RESULTS_FILE } from './test-reporter.js';

/**
 * Prints what must be true and the tests that prove it; exits with 1 when a proven row has no passing test,
 * or a suite of the last run could not be run.
 * @typedef {import('../requirements.js').Requirement} Requirement
 * @typedef {import('./test-reporter.js').TestResults} TestResults
 */

const root = join(import.meta.dirname, '..');
const problems = /** @type {string[]} */ ([]);
const titles = titlesOfPassingTests();
const rows = (await declared()).map((row) => ({ ...row, tests: titles.get(row.id) ?? [] }));

for (const { id, state, tests } of rows) {
  if (state === 'proven' && tests.length === 0)
    problems.push(`${id} is declared proven, and no passing test names it.`);
}

if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
else process.stdout.write(table());
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** @returns {Promise<readonly Requirement[]>} */
async function declared() {
  const { code } = transformFileSync(join(root, 'requirements.ts'), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  });
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).requirements;
}

/** The titles of the last whole run; without one, those that the sources show, which proves nothing. */
function titlesOfPassingTests() {
  const file = join(root, RESULTS_FILE);
  if (!existsSync(file)) problems.push('There are no test results here: run npm test, then this again.');
  else if (statSync(file).mtimeMs < lastChange(root)) {
    problems.push('The test results are older than the sources: run npm test, then this again.');
  }
  if (problems.length > 0) return titlesById(root);

  const proofs = proofsIn(/** @type {TestResults} */ (JSON.parse(readFileSync(file, 'utf8'))));
  problems.push(...proofs.problems);
  return proofs.passing;
}

function table() {
  const lines = rows.map(
    ({ id, source, sentence, state, tests }) =>
      `${id.padEnd(6)} ${state.padEnd(8)} ${source.split(',')[0]?.padEnd(15)} ${sentence}\n` +
      tests.map((title) => `${' '.repeat(16)}- ${title}\n`).join(''),
  );
  const proven = rows.filter(({ state }) => state === 'proven').length;
  return `${lines.join('')}\n${proven} proven, ${rows.length - proven} planned\n`;
}
