import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeSource } from '@portico/contracts';
import { checkAnswer, checkRequest, contract, plain } from './contract.js';
import { DaggerWorld } from './dagger-world.js';

const operations = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const operation = (id: string) => operations.find((one) => one.operation.operationId === id)!.operation;
const BEARER = { authorization: 'Bearer t' };

describe('[AD-7] the ci-dispatcher contract', () => {
  it('is OpenAPI 3.1, and nothing in it has a method other than GET, or a body', () => {
    expect(contract.openapi).toMatch(/^3\.1\.\d+$/);
    expect(operations.map(({ operation: { operationId } }) => operationId)).toEqual([
      'listRuns',
      'getRun',
      'getLogs',
      'listArtifacts',
      'health',
    ]);
    expect(operations.filter(({ method, operation: { requestBody } }) => method !== 'get' || requestBody)).toEqual([]);
  });

  it.each([
    ['a good request', {}, []],
    ['a body', { body: '{}' }, ['it has a body']],
    ['a body to come', { headers: { ...BEARER, 'transfer-encoding': 'chunked' } }, ['it has a body']],
    ['no token', { headers: {} }, ['no bearer token']],
    ['another method', { method: 'POST' }, ['there is no POST /v1/runs/build-1']],
    ['another path', { url: '/v1/workers' }, ['there is no GET /v1/workers']],
    ['a run id that is none', { url: '/v1/runs/Build%2F1' }, [expect.stringMatching(/^run_id /)]],
    ['a parameter that is none', { url: '/v1/runs?sort=asc' }, ['there is no query parameter sort']],
    ['a value that is none', { url: '/v1/runs?limit=101' }, [expect.stringMatching(/^limit /)]],
  ])('tells of %s', (_name, request, problems) => {
    const seen = { method: 'GET', url: '/v1/runs/build-1', headers: BEARER, body: '', ...request };
    expect(checkRequest(seen).problems).toEqual(problems);
  });

  it('tells of an answer that is none', () => {
    const headers = { 'content-type': 'application/json' };
    expect(checkAnswer(operation('listRuns'), 200, headers, { data: [], next_cursor: null })).toEqual([]);
    expect(checkAnswer(operation('listRuns'), 200, headers, { data: [{ id: 1 }] })).not.toEqual([]);
    expect(checkAnswer(operation('listRuns'), 418, headers, {})).toEqual(['listRuns answers no 418']);
    expect(checkAnswer(operation('getRun'), 429, headers, {})).toContainEqual(expect.stringMatching(/in no/));
    const problem = { 'content-type': 'application/problem+json' };
    const body = { title: 'Slow down', status: 429 };
    expect(checkAnswer(operation('getRun'), 429, problem, body)).toEqual(['no header Retry-After']);
  });
});

describe('[AD-7] the tools', () => {
  let world: DaggerWorld;
  beforeAll(async () => (world = await DaggerWorld.start()));
  afterAll(() => world.close());

  /** Arguments that page through an answer which the dispatcher gives at once. */
  const OURS = ['steps_from', 'from'];

  it.each([
    ['list_runs', 'listRuns'],
    ['get_run', 'getRun'],
    ['get_logs', 'getLogs'],
    ['list_artifacts', 'listArtifacts'],
  ])('%s takes what the contract takes', async (name, id) => {
    const { tools } = await world.bus.ask(describeSource('domain.dagger'), {});
    expect(tools).toHaveLength(4);
    const { definition, policy } = tools.find((tool) => tool.definition.name === name)!;
    expect(policy).toEqual({ effect: 'read', staleness: 'stale' });
    const schema = definition.inputSchema as {
      properties: Record<string, Record<string, unknown>>;
      required?: string[];
    };
    const parameters = operation(id).parameters ?? [];
    const names = Object.keys(schema.properties).filter((argument) => !OURS.includes(argument));
    expect(names.toSorted()).toEqual(parameters.map((parameter) => parameter.name).toSorted());
    expect(schema.required ?? []).toEqual(parameters.filter((one) => one.in === 'path').map((one) => one.name));
    for (const parameter of parameters) {
      const argument = schema.properties[parameter.name]!;
      const declared = plain(parameter.schema);
      for (const bound of ['type', 'enum', 'minimum', 'maximum', 'minLength', 'maxLength', 'default'])
        if (bound in declared) expect([parameter.name, argument[bound]]).toEqual([parameter.name, declared[bound]]);
      if (parameter.name !== 'created_after' && 'pattern' in declared)
        expect([parameter.name, argument['pattern']]).toEqual([parameter.name, declared['pattern']]);
    }
  });
});
