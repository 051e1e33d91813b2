import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');
const workspaces = ['apps', 'packages'].flatMap((kind) =>
  readdirSync(join(root, kind)).map((name) => `${kind}/${name}`),
);

describe('npm scripts', () => {
  it('run on the Node that started npm: no package puts another one into .bin', async () => {
    expect(existsSync(join(root, 'node_modules/.bin/node'))).toBe(false);
    const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
    const asked = promisify(execFile)('npm', ['exec', '--no', '--call', 'node -p process.execPath'], {
      cwd: root,
      env: { ...process.env, PATH: path },
    });
    expect(realpathSync((await asked).stdout.trim())).toBe(realpathSync(process.execPath));
  });

  it('install every dependency at the exact version that the lock file has', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string } | undefined>;
    };
    for (const manifest of ['.', ...workspaces]) {
      const { dependencies, devDependencies } = JSON.parse(
        readFileSync(join(root, manifest, 'package.json'), 'utf8'),
      ) as {
        dependencies?: Record<string, string>;
        devDependencies?: Record<string, string>;
      };
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
        expect(`${name} ${version}`).toMatch(/ \d+\.\d+\.\d+(-[\w.]+)?$/);
        if (name.startsWith('@portico/')) continue;
        const locked = lock.packages[`${manifest}/node_modules/${name}`] ?? lock.packages[`node_modules/${name}`];
        expect(`${name} ${locked?.version}`).toBe(`${name} ${version}`);
      }
    }
  });
});
