import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Builds every workspace, by turbo, which skips what has not changed. `--fresh`, after an installation: nothing is there to
 * skip, and one compiler for all takes less than half of the time; without a compiler (no devDependencies) there is nothing to do.
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
const fresh = process.argv.includes('--fresh');
if (tsc === undefined) {
  process.stderr.write('Nothing was built: TypeScript is not installed here.\n');
  process.exitCode = fresh ? 0 : 1;
} else if (fresh || turbo === undefined) process.exitCode = run(tsc, ['-b']);
else process.exitCode = run(turbo, ['run', 'build', '--output-logs=errors-only', '--log-order=grouped']);
