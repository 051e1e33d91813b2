import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from '@swc/core';

const SOURCES = join(import.meta.dirname, '../src');
/** Inside the repository, so that what they import is found. */
const CACHE = join(import.meta.dirname, '../../../.cache');

/** The package as JavaScript for another process: of the sources, as everything that is tested. */
export const compileSources = async (): Promise<{ folder: string; remove(): Promise<void> }> => {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'storage-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of (await readdir(SOURCES)).filter((one) => one.endsWith('.ts') && !one.endsWith('.spec.ts'))) {
    const { code } = await transform(await readFile(join(SOURCES, name), 'utf8'), {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'es6' },
    });
    await writeFile(join(folder, name.replace(/\.ts$/, '.js')), code);
  }
  return { folder, remove: () => rm(folder, { recursive: true }) };
};
