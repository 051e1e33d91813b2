import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { frozenOf } from './frozen-contracts.js';

/** `npm run contracts:freeze -- <release>`: keeps what the built contracts are, once for each release. */
const FOLDER = join(import.meta.dirname, '../packages/contracts/released');

const [release = ''] = process.argv.slice(2);
if (/^\d+\.\d+\.\d+$/.test(release)) await freeze(join(FOLDER, `${release}.json`));
else fail('A release is three numbers, such as 0.1.0: npm run contracts:freeze -- 0.1.0');

/** @param {string} file */
async function freeze(file) {
  if (existsSync(file)) return fail(`${release} is frozen already: what was released stays as it was.`);
  const frozen = frozenOf(await import('../packages/contracts/dist/index.js'));
  const { shapes, ...rest } = frozen;
  // A line each, so that two releases can be laid beside each other.
  const lines = Object.entries(shapes).map(([name, shape]) => `    ${JSON.stringify(name)}: ${JSON.stringify(shape)}`);
  mkdirSync(FOLDER, { recursive: true });
  const head = JSON.stringify(rest, undefined, 2).slice(0, -2);
  writeFileSync(file, `${head},\n  "shapes": {\n${lines.join(',\n')}\n  }\n}\n`);
}

/** @param {string} sentence */
function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}
