import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CallContext, Envelope, leaseRef } from '@portico/contracts';
import { type Domain, defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import { type OpenDoor, type RpcOptions, openDoor } from './open-door.js';

let door: OpenDoor;
const seen: { args: Record<string, unknown>; context: CallContext | undefined }[] = [];
const domain: Domain = {
  name: 'ctx',
  description: 'Tells the context that it is called in.',
  version: '1.0.0',
  tools: [
    defineTool({
      name: 'tell',
      description: 'Answers with its context.',
      input: z.strictObject({ a: z.string().optional() }),
      effect: 'write',
      handle: async (args, { context }) => {
        seen.push({ args, context });
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        return JSON.parse(JSON.stringify(context)) as never;
      },
    }),
    defineTool({
      name: 'own',
      description: 'Has an argument of that name itself.',
      input: z.strictObject({ _gateway_context: z.string() }),
      effect: 'write',
      handle: (args, { context }) => {
        seen.push({ args, context });
        return Promise.resolve('ok');
      },
    }),
  ],
};
beforeAll(async () => {
  door = await openDoor();
  await door.serve(domain);
  await door.rpc('tools/list');
});
afterAll(() => door.close());

const call = async (args: Record<string, unknown> = {}, options: RpcOptions = {}, name = 'ctx.tell') =>
  (await door.rpc('tools/call', { name, arguments: args }, options)).message.result;
const envelopeOf = (result: { _meta: Record<string, unknown> }) => Envelope.parse(result._meta['portico/envelope']);
const contextOf = (result: { content: { text: string }[] }) => JSON.parse(result.content[0]!.text) as CallContext;

const IDS = [
  { field: 'correlationId', meta: 'correlation-id', argument: 'correlation_id', header: 'X-Correlation-ID' },
  { field: 'taskId', meta: 'task-id', argument: 'task_id', header: 'X-Task-ID' },
  { field: 'agent', meta: 'agent', argument: 'agent', header: 'X-Agent-ID' },
  { field: 'leaseRef', meta: 'lease-id', argument: 'lease_ref', header: 'X-Lease-ID' },
] as const;

describe.each(IDS)('[FD-15] $meta', ({ field, meta, argument, header }) => {
  const isLease = field === 'leaseRef';
  /** What goes on of an id that was given as it is; in the argument it is a reference already. */
  const passed = (id: string): string => (isLease ? leaseRef(id) : id);

  it.each(['2026-07-28', '2025-11-25'])(
    'is read from the header, either _meta key, and the argument (%s)',
    async (revision) => {
      const given = async (args: Record<string, unknown>, options: RpcOptions): Promise<unknown> => {
        const result = await call(args, { revision, ...options });
        const key = { correlationId: 'correlation_id', taskId: 'task_id', agent: 'agent', leaseRef: 'lease_ref' }[
          field
        ];
        expect((envelopeOf(result).meta as Record<string, unknown>)[key]).toBe(contextOf(result)[field]);
        return contextOf(result)[field];
      };
      expect(await given({}, { headers: { [header]: 'h-1' } })).toBe(passed('h-1'));
      expect(await given({}, { meta: { [`portico/${meta}`]: 'p-1' } })).toBe(passed('p-1'));
      expect(await given({}, { meta: { [`djayzone/${meta}`]: 'd-1' } })).toBe(passed('d-1'));
      expect(await given({ _gateway_context: { [argument]: 'a-1' } }, {})).toBe('a-1');
    },
  );

  it('is the argument before _meta, and _meta before the header', async () => {
    const headers = { [header]: 'h-1' };
    const _meta = { [`portico/${meta}`]: 'p-1', [`djayzone/${meta}`]: 'd-1' };
    const argued = await call({ _gateway_context: { [argument]: 'a-1' } }, { headers, meta: _meta });
    expect(contextOf(argued)[field]).toBe('a-1');
    expect(contextOf(await call({}, { headers, meta: _meta }))[field]).toBe(passed('p-1'));
  });

  const longest = 'Az09._:-'.repeat(16);
  it('keeps 1 to 128 letters, digits and ._:-', async () => {
    expect(contextOf(await call({}, { headers: { [header]: longest } }))[field]).toBe(passed(longest));
    expect(contextOf(await call({}, { headers: { [header]: 'x' } }))[field]).toBe(passed('x'));
  });

  it.each<[string, Record<string, unknown>, RpcOptions]>([
    ['too long', {}, { headers: { [header]: `${longest}x` } }],
    ['with a space', {}, { headers: { [header]: 'a b' } }],
    ['empty', { _gateway_context: { [argument]: '' } }, {}],
    ['no text', {}, { meta: { [`portico/${meta}`]: 7 } }],
    ['null', { _gateway_context: { [argument]: null } }, {}],
    ['with a line break', {}, { meta: { [`djayzone/${meta}`]: 'a\nX-Evil: 1' } }],
  ])(
    field === 'correlationId' ? 'becomes a UUID when it is %s' : 'is refused, by its name, when it is %s',
    async (_name, args, options) => {
      const before = seen.length;
      const result = await call(args, options);
      if (field === 'correlationId') {
        expect(contextOf(result).correlationId).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
        return;
      }
      expect(envelopeOf(result).error).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
      const names = new RegExp(`${argument}|/${meta}|${header}`, 'i');
      expect(envelopeOf(result).error?.message).toMatch(names);
      expect(seen).toHaveLength(before);
    },
  );
});

describe('[FD-15] the argument', () => {
  it('must be an object, and the valid correlation id of the call stands in the refusal', async () => {
    const result = await call({ _gateway_context: 'c-1' }, { headers: { 'X-Correlation-ID': 'kept-1' } });
    expect(envelopeOf(result)).toMatchObject({
      error: { code: 'INVALID_ARGUMENTS', executed: 'no', message: expect.stringContaining('_gateway_context') },
      meta: { correlation_id: 'kept-1' },
    });
  });

  it('gives every call without one a correlation id of its own', async () => {
    const [one, two] = [contextOf(await call()), contextOf(await call())];
    expect(one.correlationId).not.toBe(two.correlationId);
  });
});

describe('[FD-16] the raw lease id', () => {
  const raw = 'LEASE-SECRET-0123456789';
  /** As one of ours: where only a reference belongs, too. */
  const ours = 'k3Jq9-LEASE-SECRET_pZx0a1b2c3d4e5f6g7h8i9jA';

  it('goes nowhere: only the first 16 hex of its SHA-256 does', async () => {
    expect(ours).toHaveLength(43);
    const answers = [
      await door.rpc('tools/call', { name: 'ctx.tell', arguments: {} }, { headers: { 'X-Lease-ID': raw } }),
      await door.rpc('tools/call', { name: 'ctx.tell', arguments: {} }, { meta: { 'portico/lease-id': raw } }),
      await door.rpc('tools/call', { name: 'ctx.tell', arguments: { _gateway_context: { lease_ref: ours } } }),
      await door.rpc('tools/call', { name: 'ctx.tell', arguments: {} }, { headers: { 'X-Lease-ID': `${raw} ` + raw } }),
    ];
    const ref = leaseRef(raw);
    expect(ref).toMatch(/^[0-9a-f]{16}$/);
    expect(envelopeOf(answers[0]!.message.result).meta.lease_ref).toBe(ref);
    expect(envelopeOf(answers[2]!.message.result).meta.lease_ref).toBe(leaseRef(ours));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const everything = [...answers.map(({ text }) => text), ...door.lines, JSON.stringify(seen)].join('\n');
    expect(everything).toContain(ref);
    expect(everything).not.toContain('LEASE-SECRET');
  });
});

describe('[FD-17] our arguments', () => {
  it('are in the schema of every tool, and the same in the list and in gateway.describe', async () => {
    const { tools } = (await door.rpc('tools/list')).message.result;
    const described = await door.rpc('tools/call', { name: 'gateway.describe', arguments: { include_schemas: true } });
    const { domains } = JSON.parse(described.message.result.content[0].text);
    const schemas = new Map(
      domains.flatMap((each: { tools: { name: string; input_schema: unknown }[] }) =>
        each.tools.map((tool) => [tool.name, tool.input_schema]),
      ),
    );
    expect(tools.length).toBeGreaterThan(4);
    for (const tool of tools) {
      expect(tool.inputSchema).toEqual(schemas.get(tool.name));
      const ours = tool.inputSchema.properties?._gateway_context;
      if (tool.name === 'ctx.own') expect(ours).toEqual({ type: 'string' });
      else expect(Object.keys(ours.properties)).toEqual(['correlation_id', 'task_id', 'agent', 'lease_ref']);
      expect(tool.inputSchema.required ?? []).not.toContain(tool.name === 'ctx.own' ? '_task' : '_gateway_context');
    }
  });

  it('are taken out before the domain sees them, whose schema forbids them', async () => {
    const result = await call({ a: 'x', _gateway_context: { task_id: 't-1' }, _task: { lease_id: 'none of yours' } });
    expect(envelopeOf(result).ok).toBe(true);
    expect(seen.at(-1)?.args).toEqual({ a: 'x' });
  });

  it('leave its own argument to a tool that has one of that name: ours by _meta only', async () => {
    const result = await call({ _gateway_context: 'mine' }, { meta: { 'portico/task-id': 't-9' } }, 'ctx.own');
    expect(envelopeOf(result)).toMatchObject({ ok: true, meta: { task_id: 't-9' } });
    expect(seen.at(-1)?.args).toEqual({ _gateway_context: 'mine' });
  });

  it('CONTEXT_IN_SCHEMAS=off leaves it out of the schemas, and understands it all the same', async () => {
    const quiet = await openDoor({ CONTEXT_IN_SCHEMAS: 'off' });
    try {
      await quiet.serve(domain);
      const { tools } = (await quiet.rpc('tools/list')).message.result;
      const tell = tools.find((tool: { name: string }) => tool.name === 'ctx.tell');
      expect(tell.inputSchema).toEqual({
        ...tell.inputSchema,
        properties: { a: { type: 'string' } },
        additionalProperties: false,
      });
      const args = { _gateway_context: { agent: 'me' } };
      const { result } = (await quiet.rpc('tools/call', { name: 'ctx.tell', arguments: args })).message;
      expect(envelopeOf(result)).toMatchObject({ ok: true, meta: { agent: 'me' } });
    } finally {
      await quiet.close();
    }
  });
});

describe('[FD-18] concurrent calls', () => {
  it('never see each other’s context', async () => {
    const results = await Promise.all(
      Array.from({ length: 300 }, (_none, index) =>
        call(
          index % 3 === 0 ? { _gateway_context: { correlation_id: `c-${index}`, task_id: `t-${index}` } } : {},
          index % 3 === 1
            ? { meta: { 'portico/correlation-id': `c-${index}`, 'portico/task-id': `t-${index}` } }
            : index % 3 === 2
              ? { headers: { 'X-Correlation-ID': `c-${index}`, 'X-Task-ID': `t-${index}` } }
              : {},
        ),
      ),
    );
    results.forEach((result, index) => {
      expect(contextOf(result)).toMatchObject({ correlationId: `c-${index}`, taskId: `t-${index}` });
      expect(envelopeOf(result).meta).toMatchObject({ correlation_id: `c-${index}`, task_id: `t-${index}` });
    });
  });

  it('continue the trace of _meta before that of the header, and none that is malformed', async () => {
    const trace = (id: string): string => `00-${id.repeat(32)}-00f067aa0ba902b7-01`;
    const both = { meta: { traceparent: trace('a') }, headers: { traceparent: trace('b') } };
    expect(contextOf(await call({}, both)).traceparent).toBe(trace('a'));
    expect(contextOf(await call({}, { headers: both.headers })).traceparent).toBe(trace('b'));
    expect(contextOf(await call({}, { headers: { traceparent: 'nonsense' } })).traceparent).toBeUndefined();
  });
});
