import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Fault } from '@portico/contracts';
import { serveSource } from '@portico/domain-kit';
import { Metrics, closeTelemetry, createLog, openTelemetry } from '@portico/observe';
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from '@portico/testkit';
import { type OpenDoor, openDoor } from './open-door.js';
import { plainSource } from './plain-source.js';

let door: OpenDoor;
let collector: OtlpCollector;
let traces = 0;
/** What a source was told, in order. */
const told: (string | undefined)[] = [];

beforeAll(async () => {
  collector = await startOtlpCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' };
  await openTelemetry('all', env, createLog({ name: 'test', level: 'silent' }), new Metrics());
  door = await openDoor();
  const heard = <Answer>(incoming: { context?: { traceparent?: string | undefined } | undefined }, answer: Answer) => {
    told.push(incoming.context?.traceparent);
    return Promise.resolve(answer);
  };
  const source = plainSource('aaa', ['tool', 'fails', 'says-no'], {
    lists: { prompts: [{ name: 'prompt' }], resources: [{ name: 'one', uri: 'aaa://one' }] },
    callTool: ({ tool }, incoming) => {
      if (tool === 'fails') throw new Fault('CONFLICT', 'It is taken.');
      return heard(incoming, { content: [], ...(tool === 'says-no' && { isError: true }) });
    },
    getPrompt: (_, incoming) => heard(incoming, { messages: [] }),
    readResource: (_, incoming) => heard(incoming, { contents: [] }),
    complete: (_, incoming) => heard(incoming, { completion: { values: [] } }),
  });
  await serveSource(door.bus, source, { instance: 'one' });
  await door.rpc('tools/list');
});
afterAll(async () => {
  await door.close();
  await closeTelemetry();
  await collector.close();
});

/** Asks with a trace of its own, and gives what was traced of it, from its root down. */
async function traced(method: string, params: Record<string, unknown>, count: number, header = false) {
  const traceId = (++traces).toString(16).padStart(32, 'f');
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const { message } = await door.rpc(method, params, header ? { headers: { traceparent } } : { meta: { traceparent } });
  const mine = (): CollectedSpan[] => collector.spans.filter((span) => span.traceId === traceId);
  for (const end = Date.now() + 10_000; mine().length < count && Date.now() < end;)
    await new Promise((next) => setTimeout(next, 10));
  const path: CollectedSpan[] = [];
  for (let above = 'b7ad6b7169203331'; ; above = path.at(-1)!.spanId) {
    const below = mine().find(({ parentSpanId }) => parentSpanId === above);
    if (below === undefined) break;
    path.push(below);
  }
  expect(mine()).toHaveLength(count);
  expect(path).toHaveLength(count);
  return { path, message: message as unknown, last: `00-${traceId}-${path.at(-1)!.spanId}-01` };
}
const names = (path: CollectedSpan[]) => path.map(({ kind, name }) => `${kind} ${name}`);

describe('[OP-11] what an agent asks for is traced', () => {
  it.each([
    ['tools/call', { name: 'aaa.tool', arguments: {} }, 'tools/call aaa.tool', 'tools/call tool'],
    ['prompts/get', { name: 'aaa.prompt' }, 'prompts/get aaa.prompt', 'prompts/get prompt'],
    ['resources/read', { uri: 'aaa://one' }, 'resources/read', 'resources/read'],
  ])('as a %s', async (method, params, asked, answered) => {
    for (const header of [false, true]) {
      const { path, last } = await traced(method, params, 3, header);
      expect(names(path)).toEqual([`server ${asked}`, 'client ask domain.aaa', `server ${answered}`]);
      expect(told.at(-1)).toBe(last);
      expect(path[0]!.attributes).toMatchObject({ 'mcp.method.name': method });
      const ids = path.map(({ attributes }) => attributes['portico.correlation_id']);
      expect([ids[0], ids[2]]).toEqual([expect.any(String), ids[0]]);
      expect(JSON.stringify(path)).not.toContain('aaa://');
    }
  });

  it('as a completion, by its ask alone', async () => {
    const ref = { type: 'ref/prompt', name: 'aaa.prompt' };
    const { path, last } = await traced('completion/complete', { ref, argument: { name: 'a', value: 'b' } }, 1);
    expect(names(path)).toEqual(['client ask domain.aaa']);
    expect(told.at(-1)).toBe(last);
  });

  it('with how it failed, at each step that failed', async () => {
    const { path } = await traced('tools/call', { name: 'aaa.fails', arguments: {} }, 3);
    expect(path.map(({ attributes, failed }) => [attributes['error.type'], failed])).toEqual(
      path.map(() => ['CONFLICT', true]),
    );
    const refused = await traced('tools/call', { name: 'aaa.says-no', arguments: {} }, 3);
    expect(refused.path.map(({ failed }) => failed)).toEqual([true, false, false]);
  });

  it('and of a call that the front door itself answers nothing but that', async () => {
    const { path } = await traced('tools/call', { name: 'gateway.health', arguments: {} }, 1);
    expect(names(path)).toEqual(['server tools/call gateway.health']);
  });

  it('and nothing of one for a tool that there is not: its name is the caller’s', async () => {
    const traceparent = `00-${'e'.repeat(32)}-b7ad6b7169203331-01`;
    await door.rpc('tools/call', { name: 'aaa.invented-by-a-caller', arguments: {} }, { meta: { traceparent } });
    await traced('tools/call', { name: 'aaa.tool', arguments: {} }, 3);
    expect(JSON.stringify(collector.spans)).not.toContain('invented');
  });
});
