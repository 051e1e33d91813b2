import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BackendReader } from '@portico/domain-kit';
import type { CallScope } from '@portico/domain-kit';
import ts from 'typescript';
import { DispatcherDouble } from '../test/dispatcher-double.js';
import { DispatcherClient } from './client.js';
import { readConfig } from './config.js';

const scope: CallScope = {
  signal: new AbortController().signal,
  context: undefined,
  remainingMs: () => 20_000,
  progress() {},
  log: { info() {}, warn() {}, error() {} },
};

describe('[AD-7] the client of the dispatcher, by its type', () => {
  const ROOT = join(import.meta.dirname, '../../..');
  const FILE = join(import.meta.dirname, 'attempts.ts');
  const DECLARED = `import { BackendReader, type BackendClient, type CallScope } from '@portico/domain-kit';
import { DispatcherClient } from './client.js';
declare const client: DispatcherClient, reader: BackendReader, scope: CallScope;
`;

  /** The messages of the compiler about some code that has a client. */
  const errorsOf = (lines: readonly string[]): string[][] => {
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile) as { config: object };
    const { options } = ts.parseJsonConfigFileContent(
      { ...config, compilerOptions: { ...(config as { compilerOptions: object }).compilerOptions, composite: false } },
      ts.sys,
      ROOT,
    );
    const paths = { '@portico/*': [join(ROOT, 'packages/*/src/index.ts')] };
    const host = ts.createCompilerHost(options);
    const { getSourceFile, fileExists } = host;
    host.fileExists = (name) => name === FILE || fileExists(name);
    host.getSourceFile = (name, ...rest) =>
      name === FILE
        ? ts.createSourceFile(FILE, DECLARED + lines.join('\n'), rest[0])
        : getSourceFile.call(host, name, ...rest);
    const program = ts.createProgram([FILE], { ...options, noEmit: true, noUnusedLocals: false, paths }, host);
    const source = program.getSourceFile(FILE);
    const errors = lines.map((): string[] => []);
    for (const { start = 0, messageText } of program.getSemanticDiagnostics(source)) {
      const line = source!.getLineAndCharacterOfPosition(start).line - (DECLARED.split('\n').length - 1);
      errors[line]?.push(ts.flattenDiagnosticMessageText(messageText, ' '));
    }
    return errors;
  };

  it('has no method that sends a body, or a method other than GET', () => {
    const fine = [
      `const all: Record<keyof DispatcherClient, 1> = { runs: 1, run: 1, logs: 1, artifacts: 1, check: 1, close: 1 };`,
      `const both: Record<keyof BackendReader, 1> = { get: 1, close: 1 };`,
      `void client.run('a', scope);`,
      `void reader.get({ path: '/v1/runs', scope });`,
    ];
    const attempts = [
      `client.send({ method: 'POST', path: '/v1/runs', scope });`,
      `client.post('/v1/runs', {});`,
      `client.get({ path: '/v1/runs', scope });`,
      `client.backend.get({ path: '/v1/runs', scope });`,
      `client.runs({ method: 'POST' }, scope);`,
      `client.runs({ body: 'x' }, scope);`,
      `client.run('a', scope, { method: 'DELETE' });`,
      `client.logs('a', { json: {} }, scope);`,
      `client.artifacts('a', { ...scope, method: 'PUT' });`,
      `client.check(scope, 'POST');`,
      `reader.send({ method: 'POST', path: '/v1/runs', scope });`,
      `reader.get({ method: 'POST', path: '/v1/runs', scope });`,
      `reader.get({ path: '/v1/runs', scope, json: {} });`,
      `reader.get({ path: '/v1/runs', scope, body: 'x' });`,
      `reader.link.exchange('POST', { path: '/v1/runs', scope });`,
      `const writer: BackendClient = reader;`,
    ];
    const errors = errorsOf([...fine, ...attempts]);
    expect(errors.slice(0, fine.length).flat()).toEqual([]);
    const compiled = attempts.filter((_attempt, index) => errors[fine.length + index]!.length === 0);
    expect(compiled).toEqual([]);
  }, 120_000);
});

describe('[AD-7] the client of the dispatcher, as it runs', () => {
  const EVIL = { method: 'POST', body: 'x', json: { x: 1 }, headers: { 'content-length': '1' } };
  let dispatcher: DispatcherDouble;
  let client: DispatcherClient;
  beforeAll(async () => {
    dispatcher = await DispatcherDouble.start();
    dispatcher.tokens.add('t');
    client = new DispatcherClient(
      readConfig({ CI_DISPATCHER_URL: dispatcher.url, CI_DISPATCHER_TOKEN: 't' })!,
      undefined,
    );
  });
  afterAll(async () => {
    await client.close();
    await dispatcher.close();
  });

  it('holds nothing that anybody could reach, and has these methods alone', () => {
    expect(Reflect.ownKeys(client)).toEqual([]);
    expect(Reflect.ownKeys(DispatcherClient.prototype)).toEqual([
      'constructor',
      ...['runs', 'run', 'logs', 'artifacts', 'check', 'close'],
    ]);
    expect(Object.getPrototypeOf(DispatcherClient.prototype)).toBe(Object.prototype);
    expect(Reflect.ownKeys(new BackendReader({ name: 'x', baseUrl: dispatcher.url }))).toEqual([]);
    expect(Reflect.ownKeys(BackendReader.prototype)).toEqual(['constructor', 'get', 'close']);
  });

  it('sends a GET without a body, whatever it is given', async () => {
    const hostile = { ...scope, ...EVIL };
    const methods: [string, unknown[]][] = [
      ['runs', [{ limit: 1, ...EVIL }, hostile, EVIL]],
      ['run', ['build-44', hostile, EVIL]],
      ['logs', ['build-44', EVIL, hostile, EVIL]],
      ['artifacts', ['build-44', hostile, EVIL]],
      ['check', [hostile, EVIL]],
    ];
    for (const [name, args] of methods)
      await (client as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>)[name]!(...args);
    const reader = new BackendReader({
      name: 'The CI dispatcher',
      baseUrl: dispatcher.url,
      credential: { read: () => Promise.resolve('t') },
    });
    await reader.get({ path: '/v1/runs', scope, method: 'POST', body: 'x', json: {} } as never);
    await reader.close();
    expect(dispatcher.requests).toHaveLength(6);
    expect(dispatcher.requests.filter(({ method, body }) => method !== 'GET' || body !== '')).toEqual([]);
    expect(dispatcher.violations).toEqual([]);
  });
});
