import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Envelope } from '@portico/contracts';
import { echoDomain } from './echo-domain.js';
import { type OpenDoor, type RpcOptions, openDoor } from './open-door.js';

let door: OpenDoor;
const demo = echoDomain();
beforeAll(async () => {
  door = await openDoor({ RESULT_LIMIT_BYTES: '20000' });
  await door.serve(demo.domain);
  await door.rpc('tools/list');
});
afterAll(async () => {
  demo.release();
  await door.close();
});

const call = async (name: string, args: Record<string, unknown> = {}, options: RpcOptions = {}) =>
  (await door.rpc('tools/call', { name, arguments: args }, options)).message;
const envelopeOf = (result: { _meta: Record<string, unknown> }) => Envelope.parse(result._meta['portico/envelope']);
const until = async (condition: () => boolean, ms = 2_000): Promise<void> => {
  for (const end = Date.now() + ms; !condition();) {
    if (Date.now() > end) throw new Error('It did not happen.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

describe('[FD-20] a success', () => {
  it('keeps its content, and carries the envelope as structured content and in _meta', async () => {
    const { result } = await call('demo.echo', { b: [1, { c: null }] }, { headers: { 'X-Correlation-ID': 'abc-1' } });
    expect(result.content).toEqual([{ type: 'text', text: '{"b":[1,{"c":null}]}' }]);
    expect(result.structuredContent).toEqual(result._meta['portico/envelope']);
    expect(envelopeOf(result)).toMatchObject({
      contract_version: '1',
      ok: true,
      error: null,
      meta: {
        domain: 'demo',
        tool: 'echo',
        correlation_id: 'abc-1',
        served_from: 'backend',
        duration_ms: expect.any(Number),
      },
    });
  });

  it('keeps structured output and _meta exact, with the envelope beside them', async () => {
    const { result } = await call('demo.structured');
    expect(result.structuredContent).toEqual({ a: 1 });
    expect(result._meta).toMatchObject({ 'example.com/k': 1, 'portico/envelope': { ok: true } });
  });

  it('passes content of kinds that nobody knows, with all their keys', async () => {
    const { result } = await call('demo.exotic');
    expect(result.content).toEqual([
      { type: 'text', text: 'a', annotations: { priority: 1 }, extra: [1] },
      { type: 'hologram', data: 'x' },
    ]);
  });

  it('gives a 2025 client, which takes objects alone, a wrapped array', async () => {
    expect((await call('demo.array')).result.structuredContent).toEqual([1, 2]);
    expect((await call('demo.array', {}, { revision: '2025-11-25' })).result.structuredContent).toEqual({
      result: [1, 2],
    });
  });

  it('passes a request for input exact, with the envelope in _meta alone, and refuses a 2025 client that can not answer it', async () => {
    const { result } = await call('demo.asks');
    const { _meta, ...rest } = result;
    expect(rest).toEqual({
      resultType: 'input_required',
      inputRequests: { q: { method: 'elicitation/create' } },
      requestState: 's',
    });
    expect(_meta['portico/envelope'].ok).toBe(true);
    const legacy = (await call('demo.asks', {}, { revision: '2025-11-25' })).result;
    expect([legacy.isError, envelopeOf(legacy).error?.code]).toEqual([true, 'UNSUPPORTED']);
  });
});

describe('[FD-21] an error of a tool is a result', () => {
  it.each([
    ['demo.fails', 'UNKNOWN_ERROR', 'yes'],
    ['demo.throws', 'UNKNOWN_ERROR', 'unknown'],
    ['demo.conflict', 'CONFLICT', 'no'],
  ])('%s: isError, code %s, the envelope also as the last text', async (name, code, executed) => {
    const answer = await door.rpc('tools/call', { name });
    expect(answer.status).toBe(200);
    const { result } = answer.message;
    expect(result.isError).toBe(true);
    expect(envelopeOf(result)).toMatchObject({ ok: false, error: { code, executed, retryable: false } });
    expect(JSON.parse(result.content.at(-1).text)).toEqual(result._meta['portico/envelope']);
  });

  it('[FD-23] shows nothing internal, and logs the whole story', async () => {
    for (const name of ['demo.fails', 'demo.throws']) {
      const text = (await door.rpc('tools/call', { name })).text;
      for (const secret of ['10.0.0.7', '8443', 'abc', '/srv/app', 'hunter2', 'boom'])
        expect(text).not.toContain(secret);
    }
    expect(door.lines.join('')).toContain('boom');
  });

  it('a domain that has gone costs its own tools alone', async () => {
    const gone = echoDomain('gone');
    const served = await door.serve(gone.domain);
    await until(() => true);
    await door.rpc('tools/call', { name: 'gone.echo' });
    // The catalogue still names it: only its subscriptions end, as when its process is killed.
    const { result } = await call('gone.echo');
    expect(result.isError).toBeUndefined();
    await served.close();
    const after = await call('gone.echo');
    const code = after.error?.data?.code ?? envelopeOf(after.result).error?.code;
    expect(['BACKEND_UNAVAILABLE', 'UNKNOWN_TOOL']).toContain(code);
    expect((await call('demo.echo')).result.isError).toBeUndefined();
  });
});

describe('[FD-12] names', () => {
  it.each(['demo.echo', 'demo_echo', 'mcp__demo__echo'])('%s finds the tool', async (name) => {
    expect(envelopeOf((await call(name)).result).meta).toMatchObject({ domain: 'demo', tool: 'echo' });
  });

  it.each(['demo.nope', 'nope.echo', '', 'demo', '__proto__', 'constructor', 'demo.echo ', 'x'.repeat(10_000)])(
    '%j is unknown',
    async (name) => {
      const { error } = await call(
        name,
        {},
        { headers: { 'Mcp-Name': `=?base64?${Buffer.from(name).toString('base64')}?=` } },
      );
      expect(error).toMatchObject({ code: -32602, data: { code: 'UNKNOWN_TOOL' } });
      expect(error.message.length).toBeLessThan(300);
    },
  );

  it('arguments that are no object are refused before anything runs', async () => {
    const before = demo.calls.length;
    const answer = await door.rpc('tools/call', { name: 'demo.echo', arguments: [1] as never });
    expect(answer.message.error.code).toBe(-32602);
    expect(demo.calls.length).toBe(before);
  });
});

describe('[FD-25] a result beyond the limit', () => {
  it('is PAYLOAD_TOO_LARGE naming size and limit, and says that the tool ran', async () => {
    const { result } = await call('demo.large', { size: 30_000 });
    const { error } = envelopeOf(result);
    expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', executed: 'yes' });
    expect(error?.message).toMatch(/3\d\d\d\d bytes.*20000/);
    expect((await call('demo.large', { size: 10_000 })).result.isError).toBeUndefined();
  });
});

describe('[FD-26] progress and cancellation', () => {
  it('progress reaches the caller in order, under its own token, before the result', async () => {
    const answer = await door.rpc(
      'tools/call',
      { name: 'demo.progress' },
      { meta: { progressToken: 'mine' }, id: 'r' },
    );
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    expect(answer.events.slice(0, -1)).toEqual(
      [1, 2, 3].map((progress) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'mine', progress, total: 3, message: `step ${progress}` },
      })),
    );
    expect(answer.message).toMatchObject({ id: 'r', result: { resultType: 'complete' } });
  });

  it('is plain JSON to whoever asked for no progress', async () => {
    expect((await door.rpc('tools/call', { name: 'demo.progress' })).headers.get('content-type')).toBe(
      'application/json',
    );
  });

  it('a modern client that leaves aborts the backend call at once', async () => {
    const controller = new AbortController();
    const before = demo.calls.length;
    const pending = door
      .rpc('tools/call', { name: 'demo.waits' }, { signal: controller.signal })
      .catch(() => undefined);
    await until(() => demo.calls.length > before);
    const left = performance.now();
    controller.abort();
    await until(() => demo.aborted.includes('waits'));
    expect(performance.now() - left).toBeLessThan(1_000);
    demo.aborted.length = 0;
    await pending;
  });

  it('a 2025 client that leaves does not', async () => {
    const controller = new AbortController();
    const before = demo.calls.length;
    const pending = door
      .rpc('tools/call', { name: 'demo.waits' }, { signal: controller.signal, revision: '2025-11-25' })
      .catch(() => undefined);
    await until(() => demo.calls.length > before);
    controller.abort();
    await pending;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(demo.aborted).toEqual([]);
    await until(() => demo.aborted.length > 0, 5_000); // its deadline of 2 s still ends it
    demo.aborted.length = 0;
  });

  it('a 2025 cancellation counts with the session it was given, and with no other', async () => {
    const session = async () => {
      const answer = await door.post(
        '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
      );
      return answer.headers.get('mcp-session-id') as string;
    };
    const [mine, other] = [await session(), await session()];
    expect(mine).not.toBe(other);
    const before = demo.calls.length;
    const pending = call('demo.waits', {}, { revision: '2025-11-25', headers: { 'Mcp-Session-Id': mine }, id: 'c1' });
    await until(() => demo.calls.length > before);
    const cancel = (headers: Record<string, string>) =>
      door.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c1"}}', {
        'MCP-Protocol-Version': '2025-11-25',
        ...headers,
      });
    await cancel({});
    await cancel({ 'Mcp-Session-Id': other });
    await cancel({ 'Mcp-Session-Id': `${mine.slice(0, -2)}AA` });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(demo.aborted).toEqual([]);
    await cancel({ 'Mcp-Session-Id': mine });
    expect(envelopeOf((await pending).result).error?.code).toBe('CANCELLED');
    expect(demo.aborted).toEqual(['waits']);
    demo.aborted.length = 0;
  });

  it('the deadline ends a call with TIMEOUT, and says that it may have run', async () => {
    const started = performance.now();
    const { result } = await call('demo.waits');
    expect(envelopeOf(result).error).toMatchObject({ code: 'TIMEOUT', executed: 'unknown', retryable: true });
    expect(performance.now() - started).toBeGreaterThan(1_500);
    demo.aborted.length = 0;
  });
});
