import { describe as jestDescribe, expect, it as jestIt } from '@jest/globals';
import { describeWhere } from './describe-if-available.js';
import type { Suites } from './describe-if-available.js';

/** Writes down what is registered instead of running it; a test in a suite runs at once, as Jest would later. */
const registered = (machine: { available: boolean; ci: boolean }): string[] => {
  const lines: string[] = [];
  const describe = Object.assign(
    (title: string, suite: () => void) => {
      lines.push(`suite: ${title}`);
      suite();
    },
    { skip: (title: string) => void lines.push(`skipped: ${title}`) },
  );
  const it: Suites['it'] = (title, test) => {
    try {
      test();
      lines.push(`passed: ${title}`);
    } catch (error) {
      lines.push(`failed: ${title}: ${(error as Error).message}`);
    }
  };
  const suite = (): void => it('the test', () => {});
  describeWhere(machine, { tool: 'nats-server', name: 'a suite', suite }, { describe, it });
  return lines;
};

jestDescribe('a suite that needs a real server', () => {
  jestIt('runs where there is one', () => {
    expect(registered({ available: true, ci: false })).toEqual(['suite: a suite', 'passed: the test']);
    expect(registered({ available: true, ci: true })).toEqual(['suite: a suite', 'passed: the test']);
  });

  jestIt('is skipped under a title that says so where there is none', () => {
    expect(registered({ available: false, ci: false })).toEqual(['skipped: not run: no nats-server here — a suite']);
  });

  jestIt('fails where there is none and every suite must run', () => {
    expect(registered({ available: false, ci: true })).toEqual([
      'suite: not run: no nats-server here — a suite',
      'failed: has a nats-server to run on: With CI=true every suite must run: install nats-server.',
    ]);
  });
});
