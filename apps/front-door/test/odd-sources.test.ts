import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Envelope, type ToolResult } from '@portico/contracts';
import { type ServedSource, serveSource } from '@portico/domain-kit';
import { type OpenDoor, openDoor } from './open-door.js';
import { plainSource } from './plain-source.js';

const CANDIDATES = 10_000;
const alike = (stem: string): string[] =>
  Array.from({ length: CANDIDATES }, (_, index) => stem + String.fromCodePoint(0x4e00 + index));

let door: OpenDoor;
const served: ServedSource[] = [];
let answer: unknown;
let calls = 0;
beforeAll(async () => {
  door = await openDoor();
  const sources = [
    plainSource('alike', [...alike(''), ...alike('long'.repeat(40))], {
      lists: { prompts: alike('').map((name) => ({ name })) },
    }),
    plainSource('odd', ['tool'], {
      callTool: async () => {
        calls += 1;
        return answer as ToolResult;
      },
    }),
  ];
  for (const source of sources) served.push(await serveSource(door.bus, source, { instance: 'odd-1' }));
  await door.rpc('tools/list');
});
afterAll(async () => {
  for (const source of served) await source.close();
  await door.close();
});

describe('[FD-12][FD-23] a name that could be ten thousand tools', () => {
  it.each([
    ['of one character each', 'alike__'],
    ['of long names', `alike_${'long'.repeat(40)}_`],
  ])('%s is AMBIGUOUS_TOOL, with some of them named and a bounded message', async (_what, name) => {
    const { text, message } = await door.rpc('tools/call', { name });
    expect(message.error).toMatchObject({ code: -32602, data: { code: 'AMBIGUOUS_TOOL' } });
    expect([...message.error.message].length).toBeLessThanOrEqual(500);
    expect(text.length).toBeLessThan(8_192);
    const { candidates } = message.error.data;
    expect(candidates.length).toBeGreaterThan(1);
    // Each of them can be called.
    for (const candidate of candidates)
      expect((await door.rpc('tools/call', { name: candidate })).message.result.content).toEqual([
        { type: 'text', text: 'ok' },
      ]);
  });

  it('a prompt too', async () => {
    const { text, message } = await door.rpc('prompts/get', { name: 'alike__' });
    expect(message.error).toMatchObject({ code: -32602, data: { code: 'INVALID_ARGUMENTS' } });
    expect(message.error.message.length).toBeLessThanOrEqual(500);
    expect(text.length).toBeLessThan(2_048);
  });

  it.each(['x'.repeat(100_000), '\u0001'.repeat(1_000), '一'.repeat(1_000), '\n'.repeat(500)])(
    'and what is said of a name that nobody has is bounded',
    async (name) => {
      const headers = { 'Mcp-Name': undefined };
      const { error } = (await door.rpc('tools/call', { name }, { revision: '2025-11-25', headers })).message;
      expect(error).toMatchObject({ code: -32602, data: { code: 'UNKNOWN_TOOL' } });
      expect(error.message.length).toBeLessThanOrEqual(500);
    },
  );
});

describe('[FD-20][FD-22] a kind of result', () => {
  const call = async (result: unknown, revision = '2026-07-28') => {
    answer = result;
    const before = calls;
    const { message } = await door.rpc('tools/call', { name: 'odd.tool' }, { revision });
    expect(calls).toBe(before + 1);
    return { result: message.result, envelope: Envelope.parse(message.result._meta['portico/envelope']) };
  };

  it.each(['task', 'Complete', 'input-required', '', '__proto__'])(
    'that nobody declared (%j) is UNKNOWN_ERROR, and ran',
    async (resultType) => {
      const { result, envelope } = await call({ resultType, task: { taskId: 'secret-id' }, content: [] });
      expect(result.isError).toBe(true);
      expect(result.resultType).toBe('complete');
      expect(envelope.error).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'yes', retryable: false });
      expect(JSON.stringify(result)).not.toContain('secret-id');
    },
  );

  it('that asks for input passes to those who know it', async () => {
    const asks = { resultType: 'input_required', inputRequests: { q: { method: 'roots/list' } }, requestState: 's' };
    const { result, envelope } = await call(asks);
    expect(result).toMatchObject(asks);
    expect(result.isError).toBeUndefined();
    expect(envelope.ok).toBe(true);
    expect((await call(asks, '2025-11-25')).envelope.error?.code).toBe('UNSUPPORTED');
  });

  it.each(['not a result', null, 7, [], {}, { content: 'x' }, { content: [{}] }, { content: [], isError: 'no' }])(
    'that is none (%j) is UNKNOWN_ERROR, and the namespace stays',
    async (wrong) => {
      const { result, envelope } = await call(wrong);
      expect(result.isError).toBe(true);
      expect(envelope.error).toMatchObject({ code: 'UNKNOWN_ERROR', retryable: false });
      expect(envelope.error?.executed).not.toBe('no');
      expect((await call({ content: [] })).envelope.ok).toBe(true);
    },
  );
});
