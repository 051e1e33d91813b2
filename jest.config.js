/** Tests run on the sources, so that a stale build can never make them pass. */
export default {
  testEnvironment: 'node',
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/packages', '<rootDir>/apps', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts', '**/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@portico/(contracts|bus|domain-kit|mcp-session|resilience|observe|settings|storage|embedding|testkit)$':
      '<rootDir>/packages/$1/src/index.ts',
    '^@portico/(front-door|discovery|upstreams|adapter-cluster|adapter-plane|adapter-dagger|adapter-github|adapter-n8n|adapter-slack|slack-bridge|task-runtime|semantic-cache|local)$':
      '<rootDir>/apps/$1/src/$1.module.ts',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
        },
        module: { type: 'es6' },
      },
    ],
  },
  testTimeout: 30_000,
  maxWorkers: '100%',
  workerIdleMemoryLimit: '1GB',
  reporters: ['default', '<rootDir>/scripts/test-reporter.js'],
};
