import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import {
  Fault,
  callTool,
  complete,
  describeSource,
  getPrompt,
  readResource,
  resourceUpdated,
  sourceHealth,
} from '@portico/contracts';
import type { CallContext, Notice } from '@portico/contracts';
import { z } from 'zod';
import type { Domain } from './domain.js';
import { definePrompt } from './prompt.js';
import { defineResource } from './resource.js';
import { serveDomain } from './serve-domain.js';
import type { ServedSource } from './serve-source.js';
import { defineTool, toolResult } from './tool.js';

const AT = 'domain.demo';
const ran: string[] = [];
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

const greet = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Greets somebody.',
  input: z.object({
    name: z
      .string()
      .regex(/^[a-z]+$/)
      .describe('who'),
    times: z.int().min(1).max(3).default(1),
    style: z.object({ loud: z.boolean() }).optional(),
  }),
  effect: 'read',
  staleness: 'cached',
  cache: { freeText: ['name'], ttlSeconds: 60 },
  lease: { resource: 'demo:{name}' },
  decorate: false,
  callTimeoutMs: 1_500,
  meta: { 'demo/x': 1 },
  handle: ({ name, times }) => {
    ran.push('greet');
    return `${'hello '.repeat(times)}${name}`;
  },
});
const count = defineTool({
  name: 'count',
  description: 'Counts.',
  input: z.object({ how: z.enum(['well', 'badly', 'oddly', 'fully', 'not', 'throw', 'fault', 'bigint']) }),
  output: z.object({
    n: z.number(),
    at: z
      .date()
      .transform((date) => date.toISOString())
      .pipe(z.string())
      .optional(),
  }),
  effect: 'write',
  invalidates: ['demo.*', '**'],
  // The answers are wrong on purpose: what a handler promises is checked, not believed.
  handle: (({ how }: { how: string }) => {
    if (how === 'badly') return { n: 'many' };
    if (how === 'oddly') return { n: 1, more: 'left out' };
    if (how === 'fully')
      return toolResult({ content: [{ type: 'text', text: 'one' }], structuredContent: { n: 1 }, _meta: { a: 1 } });
    if (how === 'not') return undefined;
    if (how === 'throw') throw new Error('postgres://user:password@10.0.0.1/db is down');
    if (how === 'fault') throw new Fault('CONFLICT', 'somebody else counted');
    return { n: 1 };
  }) as never,
});
const plain = defineTool({
  name: 'plain',
  description: 'Answers as asked.',
  input: z.looseObject({}),
  effect: 'destructive',
  annotations: { destructiveHint: false, openWorldHint: true },
  handle: (({ kind }: { kind: string }) =>
    (
      ({
        object: { b: 1, content: [{ type: 'text', text: 'not a result' }] },
        null: null,
        undefined: undefined,
        function: () => 1,
        bigint: 1n,
        malformed: toolResult({ content: 'x' } as never),
      }) as Record<string, unknown>
    )[kind]) as never,
});
const slow = defineTool({
  name: 'slow',
  description: 'Reports progress and waits.',
  input: z.object({}),
  effect: 'read',
  handle: async (_args, { signal, progress, context, remainingMs }) => {
    progress(1, 2, context?.correlationId);
    progress(remainingMs() > 0 ? 2 : -1);
    await sleep(60_000, undefined, { signal });
    return '';
  },
});

const domain: Domain = {
  name: 'demo',
  description: 'A domain to try things on.',
  version: '1.0.0',
  instructions: 'Be kind.',
  tools: [greet, count, plain, slow],
  resources: [
    defineResource({
      template: 'demo://motd',
      name: 'motd',
      mimeType: 'text/plain',
      subscribable: true,
      read: () => ({ text: 'hi' }),
    }),
    defineResource({
      template: 'demo://files/{id}',
      name: 'file',
      title: 'File',
      description: 'a file',
      audience: ['assistant'],
      variables: z.object({ id: z.string().regex(/^[a-z]+$/) }),
      complete: { id: (typed) => ['abc', 'abd', 'x'].filter((id) => id.startsWith(typed)) },
      read: ({ id }) => ({ blob: new Uint8Array([id.length, 255]) }),
    }),
  ],
  prompts: [
    definePrompt({
      name: 'poem',
      description: 'Asks for a poem.',
      arguments: z.object({ about: z.string().describe('its subject'), in: z.string().optional() }),
      complete: {
        about: () => Array.from({ length: 150 }, (_, index) => `subject ${index}`),
        in: (_typed, given) => [`${given['about']} language`],
      },
      get: ({ about }) => `Write about ${about}.`,
    }),
    definePrompt({
      name: 'talk',
      description: 'A talk.',
      get: () => [{ role: 'assistant', content: { type: 'text', text: 'Hello.' } }],
    }),
  ],
  health: async () => ({ state: 'degraded', detail: 'tired' }),
};

describe('serveDomain', () => {
  const bus = memoryBus();
  const logged: unknown[][] = [];
  let served: ServedSource;
  const call = (tool: string, args: Record<string, unknown>) =>
    bus.ask(callTool(AT), { tool, arguments: args }, { deadlineMs: 5_000 });
  const refusal = async (tool: string, args: Record<string, unknown>): Promise<Fault> =>
    call(tool, args).then(
      () => Promise.reject(new Error('it was not refused')),
      (fault: Fault) => fault,
    );

  beforeAll(async () => {
    const log = {
      info() {},
      warn: (...line: unknown[]) => logged.push(line),
      error: (...line: unknown[]) => logged.push(line),
    };
    served = await serveDomain(bus, domain, { instance: 'i1', log });
  });
  afterAll(async () => {
    await served.close();
    await bus.close();
  });

  describe('[AD-2] a tool is listed with', () => {
    const listed = async (name: string) =>
      (await bus.ask(describeSource(AT), {})).tools.find(({ definition }) => definition.name === name)!;

    it('its schema as JSON Schema 2020-12, effect, annotations, policy and deadline', async () => {
      expect(await listed('greet')).toEqual({
        definition: {
          name: 'greet',
          title: 'Greet',
          description: 'Greets somebody.',
          inputSchema: {
            $schema: 'https://json-schema.org/draft/2020-12/schema',
            type: 'object',
            properties: {
              name: { type: 'string', pattern: '^[a-z]+$', description: 'who' },
              times: { type: 'integer', minimum: 1, maximum: 3, default: 1 },
              style: { type: 'object', properties: { loud: { type: 'boolean' } }, required: ['loud'] },
            },
            required: ['name'],
            additionalProperties: false,
          },
          annotations: { readOnlyHint: true },
          _meta: { 'demo/x': 1 },
        },
        policy: {
          effect: 'read',
          staleness: 'cached',
          cache: { freeText: ['name'], ttlSeconds: 60 },
          lease: { resource: 'demo:{name}' },
          decorate: false,
        },
        callTimeoutMs: 1_500,
      });
    });

    it('the annotations of its effect, unless it gives its own', async () => {
      expect((await listed('count')).definition['annotations']).toEqual({
        readOnlyHint: false,
        destructiveHint: false,
      });
      expect((await listed('plain')).definition['annotations']).toEqual({
        readOnlyHint: false,
        destructiveHint: false,
        openWorldHint: true,
      });
      expect((await listed('count')).policy.invalidates).toEqual(['demo.*', '**']);
      expect((await listed('count')).definition['outputSchema']).toMatchObject({ type: 'object', required: ['n'] });
    });
  });

  it('[AD-1] says who it is and what it can do', async () => {
    const { identity, resources, resourceTemplates, prompts } = await bus.ask(describeSource(AT), {});
    expect(identity).toEqual({
      description: 'A domain to try things on.',
      era: 'modern',
      protocolVersion: '2026-07-28',
      serverInfo: { name: 'demo', version: '1.0.0' },
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
      instructions: 'Be kind.',
      mount: 'namespace',
      callTimeoutMs: 30_000,
    });
    expect(resources).toEqual([{ uri: 'demo://motd', name: 'motd', mimeType: 'text/plain' }]);
    expect(resourceTemplates).toEqual([
      {
        uriTemplate: 'demo://files/{id}',
        name: 'file',
        title: 'File',
        description: 'a file',
        annotations: { audience: ['assistant'] },
      },
    ]);
    expect(prompts).toEqual([
      {
        name: 'poem',
        description: 'Asks for a poem.',
        arguments: [
          { name: 'about', description: 'its subject', required: true },
          { name: 'in', required: false },
        ],
      },
      { name: 'talk', description: 'A talk.' },
    ]);
    expect(await bus.ask(sourceHealth(AT), {})).toEqual({ state: 'degraded', detail: 'tired' });
  });

  it.each([
    [{}, 'Argument "name" is required.'],
    [{ name: 7 }, 'Argument "name": Invalid input: expected string, received number.'],
    [{ name: 'A/B' }, 'Argument "name" must match /^[a-z]+$/.'],
    [{ name: 'a', times: 9 }, 'Argument "times": Too big: expected number to be <=3.'],
    [{ name: 'a', nmae: 1, 'x\n': 2 }, 'There is no argument "nmae", "x\\n".'],
    [{ name: 'a', style: {} }, 'Argument "style.loud" is required.'],
    [{ times: 'x' }, 'Argument "name" is required. Argument "times": Invalid input: expected number, received string.'],
  ])('[AD-2] refuses the arguments %j before the handler runs, naming the field', async (args, message) => {
    ran.length = 0;
    expect(await refusal('greet', args)).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no', message });
    expect(ran).toEqual([]);
  });

  it('[AD-2] bounds what it says of hostile arguments', async () => {
    const hostile = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`${index}${'x'.repeat(1_000)}`, 1]),
    );
    const { message } = await refusal('greet', hostile);
    expect(message.length).toBeLessThanOrEqual(500);
  });

  it('[AD-1] answers with text, with structure that is what was declared, or with a result of any form', async () => {
    expect(await call('greet', { name: 'ann', times: 2 })).toEqual(text('hello hello ann'));
    expect(await call('count', { how: 'well' })).toEqual({ ...text('{"n":1}'), structuredContent: { n: 1 } });
    expect(await call('count', { how: 'oddly' })).toEqual({ ...text('{"n":1}'), structuredContent: { n: 1 } });
    expect(await call('count', { how: 'fully' })).toEqual({
      ...text('one'),
      structuredContent: { n: 1 },
      _meta: { a: 1 },
    });
    expect(await call('plain', { kind: 'null' })).toEqual(text('null'));
    expect(await call('plain', { kind: 'object' })).toEqual(
      text('{"b":1,"content":[{"type":"text","text":"not a result"}]}'),
    );
  });

  it.each([
    ['count', { how: 'badly' }],
    ['count', { how: 'not' }],
    ['plain', { kind: 'undefined' }],
    ['plain', { kind: 'function' }],
    ['plain', { kind: 'bigint' }],
    ['plain', { kind: 'malformed' }],
  ])('[FD-21] %s %j answered no result: UNKNOWN_ERROR, though it ran', async (tool, args) => {
    logged.length = 0;
    expect(await refusal(tool, args)).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'yes' });
    expect(logged).toEqual([['tool.bad-answer', expect.objectContaining({ tool })]]);
  });

  it('[FD-21] tells nothing of what a handler throws, unless it is a Fault', async () => {
    const fault = await refusal('count', { how: 'throw' });
    expect(fault).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'unknown' });
    expect(fault.message).not.toMatch(/postgres|password|10\.0/);
    expect(await refusal('count', { how: 'fault' })).toMatchObject({
      code: 'CONFLICT',
      executed: 'no',
      message: 'somebody else counted',
    });
    expect(await call('greet', { name: 'ann' })).toEqual(text('hello ann'));
  });

  it('refuses a tool, a resource and a prompt that it does not have', async () => {
    expect(await refusal('nothing', {})).toMatchObject({ code: 'UNKNOWN_TOOL', executed: 'no' });
    expect(await refusal('constructor', {})).toMatchObject({ code: 'UNKNOWN_TOOL' });
    const deadline = { deadlineMs: 1_000 };
    await expect(bus.ask(readResource(AT), { uri: 'demo://nothing' }, deadline)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(bus.ask(getPrompt(AT), { name: 'nothing' }, deadline)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('gives a handler the context, the time left and the signal, and passes its progress on in order', async () => {
    const ending = new AbortController();
    const context: CallContext = { correlationId: 'c-1', principal: { tenant: 't', subject: 's' } };
    const notices: Notice[] = [];
    const onNotice = (notice: Notice) => {
      if (notices.push(notice) === 2) ending.abort();
    };
    const asked = bus.ask(
      callTool(AT),
      { tool: 'slow', arguments: {} },
      { deadlineMs: 5_000, signal: ending.signal, context, onNotice },
    );
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(notices).toEqual([
      { method: 'notifications/progress', params: { progress: 1, total: 2, message: 'c-1' } },
      { method: 'notifications/progress', params: { progress: 2 } },
    ]);
  });

  it('[AD-1][FD-31] reads resources as text and blob, and checks what stands for the variables', async () => {
    const read = (uri: string) => bus.ask(readResource(AT), { uri }, { deadlineMs: 1_000 });
    expect(await read('demo://motd')).toEqual({
      contents: [{ uri: 'demo://motd', mimeType: 'text/plain', text: 'hi' }],
    });
    expect(await read('demo://files/abc')).toEqual({ contents: [{ uri: 'demo://files/abc', blob: 'A/8=' }] });
    await expect(read('demo://files/..%2f')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
  });

  it('[FD-31] gets prompts, and completes the arguments of prompts and templates', async () => {
    const deadline = { deadlineMs: 1_000 };
    expect(await bus.ask(getPrompt(AT), { name: 'poem', arguments: { about: 'rain' } }, deadline)).toEqual({
      description: 'Asks for a poem.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Write about rain.' } }],
    });
    expect((await bus.ask(getPrompt(AT), { name: 'talk' }, deadline)).messages).toEqual([
      { role: 'assistant', content: { type: 'text', text: 'Hello.' } },
    ]);
    await expect(bus.ask(getPrompt(AT), { name: 'poem' }, deadline)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: 'Argument "about" is required.',
    });
    const completion = async (
      ref: { type: string; [key: string]: unknown },
      name: string,
      value: string,
      context?: Record<string, unknown>,
    ) => (await bus.ask(complete(AT), { ref, argument: { name, value }, context })).completion;
    const poem = { type: 'ref/prompt', name: 'poem' };
    const subjects = await completion(poem, 'about', '');
    expect(subjects).toMatchObject({ total: 150, hasMore: true });
    expect(subjects.values).toHaveLength(100);
    expect(await completion(poem, 'in', '', { arguments: { about: 'sea', n: 1 } })).toMatchObject({
      values: ['sea language'],
    });
    expect(await completion(poem, 'constructor', '')).toMatchObject({ values: [], hasMore: false });
    expect(await completion({ type: 'ref/resource', uri: 'demo://files/{id}' }, 'id', 'ab')).toMatchObject({
      values: ['abc', 'abd'],
    });
    await expect(completion({ type: 'ref/prompt', name: 'none' }, 'a', '')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('[AD-1] tells of a change of a resource only where one may subscribe to it', async () => {
    const updated: string[] = [];
    const listening = await bus.listen(resourceUpdated, ({ uri }) => void updated.push(uri));
    served.resourceUpdated('demo://files/abc');
    served.resourceUpdated('demo://nothing');
    // Said often, it is told once.
    for (let turn = 0; turn < 1_000; turn += 1) served.resourceUpdated('demo://motd');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(updated).toEqual(['demo://motd']);
    await listening.close();
  });
});

describe('[AD-1] a domain that cannot be served is refused in a sentence', () => {
  const tool = (more: Record<string, unknown>) =>
    defineTool({
      name: 'a',
      description: 'x',
      input: z.object({ id: z.string(), _task: z.string().optional() }),
      effect: 'write',
      handle: () => '',
      ...more,
    } as never);

  it.each<[string, Partial<Domain>, RegExp]>([
    ['a bad name', { name: 'De mo' }, /"De mo" cannot start\. Its name must be/],
    ['no description', { description: ' ' }, /no description/],
    ['one tool name twice', { tools: [tool({}), tool({})] }, /Two of its tools are named "a"/],
    ['a bad tool name', { tools: [tool({ name: 'a.b' })] }, /"a\.b" is no tool name/],
    ['a tool without description', { tools: [tool({ description: '' })] }, /"a" has no description/],
    ['a bad pattern', { tools: [tool({ invalidates: ['nodot'] })] }, /invalidates "nodot"/],
    ['a pattern over no domain that can be', { tools: [tool({ invalidates: ['A.b'] })] }, /invalidates "A\.b"/],
    ['a cached write', { tools: [tool({ cache: {} })] }, /only a read may be/],
    [
      'free text that is no argument',
      { tools: [tool({ effect: 'read', cache: { freeText: ['q'] } })] },
      /"q" free text/,
    ],
    [
      'a lease by what is no argument',
      { tools: [tool({ lease: { resource: 'x:{nothing}' } })] },
      /leases by "nothing"/,
    ],
    ['a lease and an argument of its name', { tools: [tool({ lease: { resource: 'x:{id}' } })] }, /"_task"/],
    ['a deadline of nothing', { tools: [tool({ callTimeoutMs: 0 })] }, /callTimeoutMs/],
    ['a check of its own', { checks: [() => undefined, () => 'DEMO_URL is not set.'] }, /DEMO_URL is not set\./],
    [
      'one template twice',
      { resources: ['a', 'b'].map((name) => defineResource({ template: 'a://b', name, read: () => ({ text: '' }) })) },
      /Two resources have the template/,
    ],
    [
      'one prompt twice',
      { prompts: [1, 2].map(() => definePrompt({ name: 'p', description: 'x', get: () => '' })) },
      /Two of its prompts/,
    ],
  ])('%s', async (_what, more, sentence) => {
    const bus = memoryBus();
    await expect(serveDomain(bus, { ...domain, tools: [], ...more }, { instance: 'i1' })).rejects.toThrow(sentence);
    await expect(bus.ask(describeSource(AT), {})).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await bus.close();
  });

  it('a schema that JSON Schema cannot say', () => {
    expect(() => tool({ input: z.object({ when: z.date() }) })).toThrow(
      /input schema of the tool "a" cannot be published/,
    );
  });
});
