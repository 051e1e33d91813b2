import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Builds every workspace: by turbo, which skips what has not changed, and by `tsc -b` where turbo has no binary.
 * `--when-possible`: an installation without devDependencies has no compiler, and brings its build along.
 */
const root = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

/** @param {string} name */
const found = (name) => {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
};

/**
 * @param {string} script
 * @param {readonly string[]} args
 */
const run = (script, args) => {
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, env, stdio: 'inherit' });
  return status ?? 1;
};

const tsc = found('typescript/bin/tsc');
const turbo = found('turbo/bin/turbo');
if (tsc === undefined) {
  const possible = process.argv.includes('--when-possible');
  process.stderr.write('Nothing was built: TypeScript is not installed here.\n');
  process.exitCode = possible ? 0 : 1;
} else {
  const runs = turbo !== undefined && spawnSync(process.execPath, [turbo, '--version'], { cwd: root }).status === 0;
  const quiet = ['run', 'build', '--output-logs=errors-only', '--log-order=grouped', '--ui=stream'];
  process.exitCode = runs ? run(turbo, quiet) : run(tsc, ['-b']);
}
