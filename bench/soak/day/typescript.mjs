import { existsSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transformSync } from '@swc/core';

// Given to `node --import`: the doubles of the backends are sources of tests, which nothing builds.

const OPTIONS = /** @type {const} */ ({ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } });

/** The test kit asks for these when it is loaded; outside of jest none is called. */
const NO_TESTS = ['afterAll', 'beforeAll', 'describe', 'expect', 'it'].map(
  (name) => `export const ${name} = undefined;`,
);
const JEST = `data:text/javascript,${encodeURIComponent(NO_TESTS.join('\n'))}`;

if (isMainThread) register(import.meta.url);

/** @type {import('node:module').ResolveHook} */
export const resolve = (specifier, context, next) => {
  if (specifier === '@jest/globals') return { url: JEST, format: 'module', shortCircuit: true };
  if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts')) {
    const source = new URL(`${specifier.slice(0, -3)}.ts`, context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
};

/** @type {import('node:module').LoadHook} */
export const load = (url, context, next) => {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), OPTIONS);
  return { format: 'module', source: code, shortCircuit: true };
};
