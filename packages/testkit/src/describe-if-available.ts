import { toolPath } from './installed-tool.js';
import type { Tool } from './installed-tool.js';

interface Suites {
  readonly describe: ((title: string, suite: () => void) => void) & { skip(title: string, suite: () => void): void };
  readonly it: (title: string, test: () => void) => void;
}

/**
 * A suite that needs a real server. Where there is none it is skipped under a title that the closing summary repeats;
 * with CI=true that is a failure. Jest is taken from the globals, so that this package can be loaded without it too.
 */
export const describeIfAvailable = (tool: Tool, name: string, suite: () => void): void => {
  const { describe, it } = globalThis as unknown as Suites;
  if (toolPath(tool) !== undefined) return describe(name, suite);
  const title = `not run: no ${tool} here — ${name}`;
  if (process.env['CI'] !== 'true') return describe.skip(title, suite);
  describe(title, () => {
    it(`has a ${tool} to run on`, () => {
      throw new Error(`With CI=true every suite must run: install ${tool}.`);
    });
  });
};
