import { describe, expect, it } from '@jest/globals';
import { ENVELOPE_META_KEY, Envelope, FAULT_CODES, Fault, type Effect, type ToolResult } from '@portico/contracts';
import { isSpecType } from '@modelcontextprotocol/server';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { HOSTILE } from '../test/backend-messages.js';
import { fail, succeed, type CallFacts } from './envelope.js';
import type { McpToolResult } from './mcp-tool-result.js';

const facts = (
  over: Partial<CallFacts> & { effect?: Effect; declaresOutput?: boolean; wrapsOutput?: boolean } = {},
): CallFacts => {
  const { effect = 'write', declaresOutput = false, wrapsOutput = false, ...rest } = over;
  return {
    tool: { domain: 'files', tool: 'read', policy: { effect }, declaresOutput, wrapsOutput },
    context: { correlationId: 'c-1', principal: { tenant: 't', subject: 's' } },
    era: 'modern',
    servedFrom: 'backend',
    durationMs: 12.5,
    ...rest,
  };
};
const META = { domain: 'files', tool: 'read', duration_ms: 12.5, correlation_id: 'c-1', served_from: 'backend' };
const OK = { contract_version: '1', ok: true, error: null, meta: META };
const text = (words: string) => ({ type: 'text', text: words });
const envelopeOf = (result: McpToolResult) => Envelope.parse(result._meta[ENVELOPE_META_KEY]);
const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
};

describe('[FD-20] a success', () => {
  it('keeps its content, and has the envelope in both places', () => {
    const result = succeed(
      { content: [text('a'), { type: 'image', data: 'AA==', mimeType: 'image/png', 'x-more': 1 }] },
      facts(),
    );
    expect(result.content).toEqual([text('a'), { type: 'image', data: 'AA==', mimeType: 'image/png', 'x-more': 1 }]);
    expect(result.structuredContent).toEqual(OK);
    expect(result._meta[ENVELOPE_META_KEY]).toEqual(OK);
    expect(result).not.toHaveProperty('isError');
  });

  it.each([{ rows: [1] }, [1, 2], 'text', 0, false, null])(
    'keeps structured output of its own exact: %j',
    (structuredContent) => {
      const result = succeed({ content: [], structuredContent }, facts());
      expect(result.structuredContent).toEqual(structuredContent);
      expect(envelopeOf(result)).toEqual(OK);
    },
  );

  it('that declares an output schema and has no structured output passes as it came', () => {
    const result = succeed({ content: [text('a')] }, facts({ declaresOutput: true }));
    expect(result).not.toHaveProperty('structuredContent');
    expect(envelopeOf(result)).toEqual(OK);
  });

  it('that asks for input passes exact, with the envelope in _meta alone', () => {
    const asked: ToolResult = freeze({
      resultType: 'input_required',
      inputRequests: { a: { method: 'elicitation/create' } },
      requestState: 's',
      _meta: { k: 1 },
    } as ToolResult);
    const { _meta, ...rest } = succeed(asked, facts());
    expect(rest).toEqual({
      resultType: 'input_required',
      inputRequests: { a: { method: 'elicitation/create' } },
      requestState: 's',
    });
    expect(_meta).toMatchObject({ k: 1, [ENVELOPE_META_KEY]: OK });
  });

  it('takes a kind of result that we never declared for no result', () =>
    expect(succeed({ resultType: 'task', task: {} } as ToolResult, facts())._meta[ENVELOPE_META_KEY]).toMatchObject({
      ok: false,
      error: { code: 'UNKNOWN_ERROR', executed: 'yes' },
    }));

  it('keeps every other key, and every key of _meta but ours', () => {
    const given = freeze({
      content: [],
      'x-top': { a: 1 },
      _meta: { 'com.example/a': 1, [ENVELOPE_META_KEY]: { ok: 'forged' } },
    });
    const result = succeed(given, facts());
    expect(result).toMatchObject({ 'x-top': { a: 1 }, _meta: { 'com.example/a': 1, [ENVELOPE_META_KEY]: OK } });
  });

  it('carries what is known of its context, and nothing that is not', () => {
    const context = {
      correlationId: 'c',
      taskId: 't',
      agent: 'a',
      leaseRef: 'l',
      leaseFence: 3,
      traceparent: 'p',
      principal: { tenant: 'T', subject: 'S' },
    };
    const result = succeed(
      { content: [] },
      facts({ context, servedFrom: 'semantic', ageMs: 5, similarity: 0.97, stale: true }),
    );
    expect(envelopeOf(result).meta).toEqual({
      domain: 'files',
      tool: 'read',
      duration_ms: 12.5,
      correlation_id: 'c',
      task_id: 't',
      agent: 'a',
      lease_ref: 'l',
      served_from: 'semantic',
      age_ms: 5,
      similarity: 0.97,
      stale: true,
    });
    expect(JSON.stringify(result)).not.toContain('"T"');
  });

  it('is what clients of every revision accept', () => {
    for (const result of [
      { content: [] },
      { content: [text('a')], structuredContent: { a: 1 } },
      { structuredContent: [1] },
    ] as ToolResult[]) {
      expect(isSpecType.CallToolResult(succeed(result, facts()))).toBe(true);
      expect(CallToolResultSchema.safeParse(succeed(result, facts({ era: 'legacy' }))).error).toBeUndefined();
    }
  });

  it('without content shows its structured output as text too', () =>
    expect(succeed({ structuredContent: { a: 1 } }, facts()).content).toEqual([text('{"a":1}')]));
});

describe('[FD-3][FD-14] each revision gets its own shape', () => {
  it('2026-07-28: a result type and the name of the server', () => {
    expect(succeed({ content: [] }, facts())).toMatchObject({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'portico' } },
    });
    expect(
      succeed({ content: [], _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'upstream' } } }, facts())._meta,
    ).toMatchObject({ 'io.modelcontextprotocol/serverInfo': { name: 'portico' } });
    expect(fail(new Fault('TIMEOUT', 'late'), facts())).toMatchObject({ resultType: 'complete', isError: true });
  });

  it('2025: none of that', () => {
    const result = succeed({ resultType: 'complete', content: [] }, facts({ era: 'legacy' }));
    expect(result).not.toHaveProperty('resultType');
    expect(result._meta).not.toHaveProperty('io.modelcontextprotocol/serverInfo');
    expect(fail(new Fault('TIMEOUT', 'late'), facts({ era: 'legacy' }))).not.toHaveProperty('resultType');
  });

  it.each([[[1, 2]], ['text'], [null], [0]])(
    '2025: structured output %j is wrapped, with the schema or without',
    (structuredContent) => {
      for (const wrapsOutput of [true, false])
        expect(
          succeed(
            { content: [], structuredContent },
            facts({ era: 'legacy', wrapsOutput, declaresOutput: wrapsOutput }),
          ).structuredContent,
        ).toEqual({ result: structuredContent });
    },
  );

  it('2025: an object is wrapped only where its schema was', () => {
    const wrapped = succeed(
      { content: [], structuredContent: { a: 1 } },
      facts({ era: 'legacy', wrapsOutput: true, declaresOutput: true }),
    );
    expect(wrapped.structuredContent).toEqual({ result: { a: 1 } });
    expect(
      succeed({ content: [], structuredContent: { a: 1 } }, facts({ era: 'legacy', declaresOutput: true }))
        .structuredContent,
    ).toEqual({ a: 1 });
    expect(succeed({ content: [] }, facts({ era: 'legacy' })).structuredContent).toEqual(OK);
  });

  it('2025: what asks for input is UNSUPPORTED, and whether it ran is unknown', () => {
    const result = succeed(
      { resultType: 'input_required', requestState: 'secret' } as ToolResult,
      facts({ era: 'legacy' }),
    );
    expect(result.isError).toBe(true);
    expect(envelopeOf(result).error).toMatchObject({ code: 'UNSUPPORTED', executed: 'unknown', retryable: false });
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});

describe('[FD-21] an error of a tool', () => {
  const reported = (content: ToolResult['content'], over: Partial<ToolResult> = {}, given = facts()) =>
    succeed(freeze({ content, isError: true, ...over }) as ToolResult, given);

  it("[FD-21] tells a JSON-RPC error in the server's own words, redacted and cut", () => {
    const said = `q is required, see http://10.1.2.3/docs ${'x'.repeat(600)}`;
    const fault = new Fault('INVALID_ARGUMENTS', 'ours', { rpc: { code: -32602, message: said } });
    const { message } = (fail(fault, facts())._meta[ENVELOPE_META_KEY] as { error: { message: string } }).error;
    expect(message).toContain('q is required');
    expect(message).not.toContain('10.1.2.3');
    expect(message.length).toBeLessThanOrEqual(500);
  });

  it('[FD-23] is redacted wherever the tool put its words, _meta and keys that nobody knows too', () => {
    const secret = 'at /srv/app/x.js:1 http://10.9.9.9:8443/ token=hunter2hunter2';
    const result = succeed(
      freeze({ content: [], isError: true, _meta: { stack: secret }, 'x-debug': { at: [secret] } }) as ToolResult,
      facts(),
    );
    for (const inside of ['/srv/app', '10.9.9.9', 'hunter2']) expect(JSON.stringify(result)).not.toContain(inside);
  });

  it('is isError, its content before the envelope, the envelope in the last text block', () => {
    const result = reported([text('no such file "a.txt"'), text('second')], {
      _meta: { k: 1 },
      'x-top': 2,
    } as Partial<ToolResult>);
    expect(result).toMatchObject({ isError: true, 'x-top': 2, _meta: { k: 1 } });
    expect(result.content?.slice(0, 2)).toEqual([text('no such file "a.txt"'), text('second')]);
    const last = JSON.parse(String(result.content?.at(-1)?.['text'])) as unknown;
    expect(last).toEqual(envelopeOf(result));
    expect(result.structuredContent).toEqual(last);
    expect(last).toMatchObject({
      ok: false,
      error: { code: 'UNKNOWN_ERROR', message: 'no such file "a.txt" second', executed: 'yes', retryable: false },
    });
  });

  it('gives no envelope as structured output where the tool declares another', () => {
    expect(reported([text('no')], {}, facts({ declaresOutput: true }))).not.toHaveProperty('structuredContent');
    expect(fail(new Fault('TIMEOUT', 'late'), facts({ declaresOutput: true }))).not.toHaveProperty('structuredContent');
  });

  it('keeps structured output of its own, in its shape, without the inside', () => {
    const result = reported([], {
      structuredContent: { message: 'connect ECONNREFUSED 10.0.0.1:80', code: 7, list: ['/etc/passwd is gone'] },
    });
    expect(result.structuredContent).toEqual({
      message: 'connect ECONNREFUSED [host]',
      code: 7,
      list: ['[path] is gone'],
    });
    expect(envelopeOf(result).error?.message).toBe('connect ECONNREFUSED [host]');
  });

  it('says something when the tool does not', () => {
    for (const content of [[], [text('')], [text('   ')], undefined])
      expect(envelopeOf(reported(content)).error?.message).toMatch(/\w/);
  });

  it('is bounded: its message, its content, its structured output', () => {
    const flood = 'word '.repeat(100_000);
    const result = reported(
      Array.from({ length: 50 }, () => text(flood)),
      { structuredContent: { flood: [flood, flood] } },
    );
    expect(envelopeOf(result).error?.message).toHaveLength(500);
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
    expect(result.structuredContent).toEqual(envelopeOf(result));
  });

  it('is bounded in the number of its blocks, and in their nesting', () => {
    const many = reported(Array.from({ length: 100_000 }, () => text('x')));
    expect(many.content?.length).toBeLessThan(200);
    expect(many.content?.at(-1)).toEqual(text(JSON.stringify(envelopeOf(many))));
    let deep: unknown = 'x';
    for (let level = 0; level < 50_000; level++) deep = [deep];
    expect(() => succeed({ content: [], isError: true, structuredContent: deep }, facts())).not.toThrow();
  });

  it('keeps pictures and data as they are', () => {
    const image = { type: 'image', data: 'aGVsbG8vd29ybGQvYQ==', mimeType: 'image/png' };
    expect(reported([image]).content?.[0]).toEqual(image);
  });

  it.each(HOSTILE)('[FD-23] shows nothing of the inside, wherever it stands: %j', (message, ...secrets) => {
    const embedded = { type: 'resource', resource: { uri: 'x://y', text: message }, data: message };
    const shown = [
      reported([text(message), embedded], {
        structuredContent: { error: message, data: message, type: message, blob: message },
      }),
      reported([text(message)], {}, facts({ era: 'legacy' })),
      fail(
        new Fault('BACKEND_UNAVAILABLE', message, {
          cause: new Error(message),
          rpc: { code: 1, message, data: message },
        }),
        facts(),
      ),
    ].map((result) => JSON.stringify(result));
    for (const secret of secrets) for (const json of shown) expect(json).not.toContain(secret);
  });
});

describe('[FD-22] the error list', () => {
  it.each(FAULT_CODES)('%s is told as it is, and is a valid envelope', (code) => {
    for (const executed of ['no', 'yes', 'unknown'] as const)
      for (const effect of ['read', 'write', 'destructive'] as const) {
        const result = fail(new Fault(code, 'why', { executed }), facts({ effect }));
        const transient = ['RATE_LIMITED', 'BACKEND_UNAVAILABLE', 'TIMEOUT'].includes(code);
        expect(envelopeOf(result).error).toEqual({
          code,
          message: 'why',
          executed,
          retryable: transient && (effect === 'read' || executed === 'no'),
        });
        expect(result.content).toEqual([text(JSON.stringify(envelopeOf(result)))]);
        expect(result.isError).toBe(true);
      }
  });

  it('says after how long to ask again', () => {
    const error = (retryAfterMs: number) =>
      envelopeOf(fail(new Fault('RATE_LIMITED', 'slow', { retryAfterMs }), facts())).error;
    expect(error(1_500.2)).toMatchObject({ retry_after_ms: 1_501, retryable: true });
    expect(error(-1)).toMatchObject({ retry_after_ms: 0 });
  });
});
