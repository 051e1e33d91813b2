import { describe, expect, it } from '@jest/globals';
import { callTool, complete, getPrompt, readResource, saveServer } from '@portico/contracts';
import type { CallContext } from '@portico/contracts';
import { startLegacyHttpServer, startModernHttpServer } from '@portico/testkit';
import { entryOf, opened } from './opened.js';
import { eventually, runUpstreams } from './running.js';
import type { Running } from './running.js';

const { keep, fixture } = opened();
const run = async (servers: Record<string, unknown>): Promise<Running> => keep(await runUpstreams(servers));
const piped = () => entryOf(fixture());

const contextOf = (n: number): CallContext => ({
  correlationId: `corr-${n}`,
  taskId: `task-${n}`,
  agent: `agent-${n}`,
  leaseRef: `ref-${n}`,
  leaseFence: n,
  traceparent: `00-${(n + 1).toString(16).padStart(32, '0')}-b7ad6b7169203331-01`,
  principal: { tenant: 'some-tenant', subject: `subject-${n}` },
});
const headersOf = (n: number) => ({
  'x-correlation-id': `corr-${n}`,
  'x-task-id': `task-${n}`,
  'x-agent-id': `agent-${n}`,
  'x-lease-ref': `ref-${n}`,
  'x-lease-fence': String(n),
  traceparent: contextOf(n).traceparent,
});
const metaOf = (n: number) => ({
  'portico/correlation-id': `corr-${n}`,
  'portico/task-id': `task-${n}`,
  'portico/agent': `agent-${n}`,
  'portico/lease-ref': `ref-${n}`,
  'portico/lease-fence': n,
  traceparent: contextOf(n).traceparent,
});
const OURS = /^(?:x-(?:correlation|task|agent|lease)-|traceparent|tracestate|baggage|portico|djayzone)/i;
const oursIn = (found: object) => Object.fromEntries(Object.entries(found).filter(([key]) => OURS.test(key)));
const deadlineMs = 20_000;

describe('[FD-18] the context of a call', () => {
  it('reaches an HTTP server whose entry says so, and no other', async () => {
    const [told, legacy, untold] = await Promise.all([
      startModernHttpServer(),
      startLegacyHttpServer(),
      startModernHttpServer(),
    ]);
    for (const server of [told, legacy, untold]) keep(server);
    const { bus } = await run({
      told: { url: told.url, allowPrivate: true, forwardContext: true },
      legacy: { url: legacy.url, allowPrivate: true, forwardContext: true },
      untold: { url: untold.url, allowPrivate: true },
    });
    for (const name of ['told', 'legacy', 'untold']) {
      await bus.ask(
        callTool(`upstream.${name}`),
        { tool: 'echo', arguments: {} },
        { deadlineMs, context: contextOf(1) },
      );
    }
    for (const server of [told, legacy, untold]) {
      const { headers, message } = server.requests.find(({ message: { method } }) => method === 'tools/call')!;
      expect(oursIn(headers)).toEqual(server === untold ? {} : headersOf(1));
      expect(JSON.stringify([headers, message])).not.toMatch(/some-tenant|subject-|portico\//);
    }
    expect(JSON.stringify(untold.requests)).not.toMatch(/corr-1|task-1|agent-1|ref-1|traceparent/);
  });

  it('reaches it with reads, prompts and completions too', async () => {
    const server = keep(await startModernHttpServer());
    const { bus } = await run({ a: { url: server.url, allowPrivate: true, forwardContext: true } });
    const asked = { deadlineMs, context: contextOf(2) };
    const ref = { type: 'ref/prompt', name: 'greet' };
    await bus.ask(readResource('upstream.a'), { uri: 'fixture://text' }, asked);
    await bus.ask(getPrompt('upstream.a'), { name: 'greet' }, asked);
    await bus.ask(complete('upstream.a'), { ref, argument: { name: 'a', value: 'o' } }, asked);
    for (const method of ['resources/read', 'prompts/get', 'completion/complete']) {
      expect(oursIn(server.requests.find(({ message }) => message.method === method)!.headers)).toEqual(headersOf(2));
    }
  });

  it.each(['shared', 'per-principal'])('is never another call’s, with 64 at once on %s sessions', async (session) => {
    const server = keep(await startModernHttpServer());
    const { bus } = await run({
      http: { url: server.url, allowPrivate: true, forwardContext: true },
      stdio: { ...piped(), session, forwardContext: true },
      untold: { ...piped(), session },
    });
    // A few callers, so that sessions are few as well.
    const contexts = Array.from({ length: 64 }, (_, n) => ({
      ...contextOf(n),
      principal: { tenant: 'some-tenant', subject: `subject-${n % 3}` },
    }));
    const toldBy = (name: string, n: number) =>
      bus.ask(
        callTool(`upstream.${name}`),
        { tool: name === 'http' ? 'echo' : 'meta', arguments: { n } },
        { deadlineMs, context: contexts[n]! },
      );
    const metaOfResult = ({ structuredContent }: { structuredContent?: unknown }) =>
      oursIn((structuredContent as { meta: object | null }).meta ?? {});
    await Promise.all(
      contexts.map(async (_, n) => {
        const [, stdio, untold] = await Promise.all(['http', 'stdio', 'untold'].map((name) => toldBy(name, n)));
        expect(metaOfResult(stdio!)).toEqual(metaOf(n));
        expect(metaOfResult(untold!)).toEqual({});
      }),
    );
    const calls = server.requests.filter(({ message }) => message.method === 'tools/call');
    expect(calls).toHaveLength(64);
    for (const { headers, message } of calls) {
      expect(oursIn(headers)).toEqual(headersOf((message.params!['arguments'] as { n: number }).n));
    }
  });

  it('is told from the moment the entry says so, without another session, and no longer than it does', async () => {
    const server = keep(await startModernHttpServer());
    const { bus } = await run({});
    const save = (forwardContext: boolean) =>
      bus.ask(saveServer, { name: 'a', entry: { url: server.url, allowPrivate: true, forwardContext } });
    const told = async () => {
      const before = server.requests.length;
      await bus.ask(callTool('upstream.a'), { tool: 'echo', arguments: {} }, { deadlineMs, context: contextOf(3) });
      return oursIn(server.requests.slice(before).find(({ message }) => message.method === 'tools/call')!.headers);
    };
    await save(false);
    await eventually(async () => expect(await told()).toEqual({}));
    await save(true);
    await eventually(async () => expect(await told()).toEqual(headersOf(3)));
    await save(false);
    await eventually(async () => expect(await told()).toEqual({}));
    expect(server.requests.filter(({ message }) => message.method === 'server/discover')).toHaveLength(1);
  });
});
