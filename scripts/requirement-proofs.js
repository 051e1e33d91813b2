import { idsIn } from './requirement-titles.js';

/**
 * What the results of a run say of requirements: the titles of the passing tests by requirement id, and what keeps the run
 * from proving anything: a test that failed, or a suite whose tests never ran.
 * @param {import('./test-reporter.js').TestResults} results
 */
export function proofsIn({ tests, broken }) {
  /** @type {Map<string, string[]>} */
  const passing = new Map();
  const problems = broken.map((file) => `${file} could not be run: none of its tests has a result.`);
  for (const { title, status } of tests) {
    for (const id of new Set(idsIn(title))) {
      if (status === 'passed') passing.set(id, [...(passing.get(id) ?? []), title]);
      if (status === 'failed') problems.push(`${id} has a failing test: ${title}`);
    }
  }
  return { passing, problems };
}
