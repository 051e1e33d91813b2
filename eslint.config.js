import { basename } from 'node:path';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const TESTS = ['**/*.spec.ts', '**/test/**/*.ts'];
const SOURCES = ['apps/*/src/**/*.ts', 'packages/*/src/**/*.ts'];

/** No better name means no home yet. */
const NO_HOME = /(^|-)(common|shared|utils?|helpers?|misc|manager)(\.|$)/;
const fileName = {
  create: (context) => ({
    Program(node) {
      const name = basename(context.filename);
      if (NO_HOME.test(name))
        context.report({ node, message: `A file called ${name} says nothing: name what it does.` });
      if (/\/apps\/.+\/index\.ts$/.test(context.filename)) {
        context.report({ node, message: 'An app has no index.ts: import the file itself.' });
      }
    },
  }),
};

const NO_DEFAULT = { selector: 'ExportDefaultDeclaration', message: 'Export by name.' };
const NO_STAR = { selector: 'ExportAllDeclaration', message: 'A package has one front door of named exports.' };
const NO_ENV = {
  selector: 'MemberExpression[object.name="process"][property.name="env"]',
  message: 'The environment is read once, by config.ts, and handed on.',
};
const NO_SILENCE = {
  selector:
    'CallExpression > MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(skip|only|todo|failing)$/]',
  message: 'A test runs, or it is deleted.',
};
const NO_MOCK = {
  selector: 'MemberExpression[object.name="jest"][property.name=/[mM]ock/]',
  message: 'We never mock ourselves: use the real thing, and double the outside world as a server.',
};

/** What was caught, and the reason of a signal, are passed on as they are. */
const ANYTHING_CAUGHT = { allowThrowingAny: true, allowThrowingUnknown: true };

export default defineConfig(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/.turbo/**', '.cache/**', '.portico/**', 'workspace/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { project: './tsconfig.tests.json', tsconfigRootDir: import.meta.dirname },
    },
    plugins: { '@typescript-eslint': tseslint.plugin, portico: { rules: { 'file-name': fileName } } },
    rules: {
      'portico/file-name': 'error',
      'no-restricted-syntax': ['error', NO_DEFAULT, NO_STAR, NO_ENV, NO_SILENCE, NO_MOCK],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-var': 'error',
      'prefer-const': ['error', { ignoreReadBeforeAssign: true }],
      'no-control-regex': 'error',
      'no-debugger': 'error',
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-self-compare': 'error',
      'no-unsafe-finally': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-implied-eval': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unsafe-argument': 'error',
      '@typescript-eslint/no-unsafe-assignment': 'error',
      '@typescript-eslint/no-unsafe-call': 'error',
      '@typescript-eslint/no-unsafe-member-access': 'error',
      '@typescript-eslint/no-unsafe-return': 'error',
      '@typescript-eslint/only-throw-error': ['error', ANYTHING_CAUGHT],
      '@typescript-eslint/prefer-promise-reject-errors': ['error', ANYTHING_CAUGHT],
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: SOURCES,
    ignores: TESTS,
    rules: { 'no-console': 'error', 'max-lines': ['error', { max: 200, skipBlankLines: true, skipComments: true }] },
  },
  { files: ['**/config.ts', '**/main.ts'], rules: { 'no-restricted-syntax': ['error', NO_DEFAULT, NO_STAR] } },
  {
    files: TESTS,
    rules: {
      'no-restricted-syntax': ['error', NO_DEFAULT, NO_STAR, NO_SILENCE, NO_MOCK],
      'no-control-regex': 'off',
      // Tests read JSON answers of servers: what is wrong in one shows as a failed expectation.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  // The test kit starts servers with the environment of the tests, and leaves out the suites of a server that is not here.
  {
    files: ['packages/testkit/src/**/*.ts', 'scripts/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', NO_DEFAULT, NO_STAR], 'no-console': 'off' },
  },
);
