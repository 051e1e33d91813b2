import { toolPath } from './installed-tool.js';
import type { Tool } from './installed-tool.js';

export interface Suites {
  readonly describe: ((title: string, suite: () => void) => void) & { skip(title: string, suite: () => void): void };
  readonly it: (title: string, test: () => void) => void;
}

/**
 * A suite that needs a real server. Where there is none it is skipped under a title that the closing summary repeats;
 * with CI=true that is a failure. Jest is taken from the globals, so that this package can be loaded without it too.
 */
export const describeIfAvailable = (tool: Tool, name: string, suite: () => void): void =>
  describeWhere({ available: toolPath(tool) !== undefined, ci: process.env['CI'] === 'true' }, { tool, name, suite });

export const describeWhere = (
  machine: { readonly available: boolean; readonly ci: boolean },
  { tool, name, suite }: { readonly tool: Tool; readonly name: string; readonly suite: () => void },
  { describe, it } = globalThis as unknown as Suites,
): void => {
  if (machine.available) return describe(name, suite);
  const title = `not run: no ${tool} here — ${name}`;
  if (!machine.ci) return describe.skip(title, suite);
  describe(title, () => {
    it(`has a ${tool} to run on`, () => {
      throw new Error(`With CI=true every suite must run: install ${tool}.`);
    });
  });
};
