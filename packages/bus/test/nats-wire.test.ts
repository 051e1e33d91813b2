import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { connect, createInbox, headers } from '@nats-io/transport-node';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { sourceChanged } from '@portico/contracts';
import type { CallContext } from '@portico/contracts';
import { connectBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { describeIfAvailable, startNatsServer } from '@portico/testkit';
import type { NatsServer } from '@portico/testkit';
import { setTimeout as delay } from 'node:timers/promises';
import { Written, call, context, faultOf, request, said } from './describe-bus.js';

const GARBAGE = [
  '',
  'null',
  '[]',
  '7',
  '"text"',
  '{',
  '{"id":7}',
  '{"id":{}}',
  '{"__proto__":{"id":"x"}}',
  '\u0000\uffff',
  '['.repeat(50_000),
];

/** What a stranger may put on the wire, played by a bare NATS client. */
describeIfAvailable('nats-server', 'the wire', () => {
  let nats: NatsServer;
  let bus: Bus;
  let bare: NatsConnection;
  let log: Written;

  beforeEach(async () => {
    nats = await startNatsServer();
    log = new Written();
    bus = await connectBus({ url: nats.url, name: 'test.wire name', log });
    bare = await connect({ servers: nats.url });
  });
  afterEach(async () => {
    await bus.close();
    await bare.close();
    await nats.stop();
  });

  const stillWorks = async (): Promise<void> => {
    await expect(bus.ask(call, request, { deadlineMs: 5_000 })).resolves.toEqual(said('say'));
  };
  const packet = (data: unknown, id: unknown = 'stranger-1'): string =>
    JSON.stringify({ pattern: call.subject, data, id });

  it('carries an ask as a Nest packet with its deadline and context in headers', async () => {
    const arrived = new Promise<Msg>((resolve) =>
      bare.subscribe(call.subject, { callback: (_, message) => resolve(message) }),
    );
    await bare.flush();
    void bus.ask(call, request, { deadlineMs: 1_234, context, onNotice: () => {} }).catch(() => {});
    const message = await arrived;
    expect(message.json()).toEqual({ pattern: call.subject, data: request, id: expect.any(String) });
    const lines = Object.fromEntries([...(message.headers ?? [])].map(([name, values]) => [name, values[0]]));
    expect(lines).toEqual({
      'Portico-Deadline-Ms': '1234',
      'Portico-Notices': '1',
      'X-Correlation-ID': 'corr-1',
      'X-Task-ID': 'task:7',
      'X-Agent-ID': 'agent.9',
      'X-Lease-Ref': '0123456789abcdef',
      'X-Lease-Fence': '12',
      traceparent: context.traceparent,
      'Portico-Tenant': 'acme',
      'Portico-Subject': encodeURIComponent(context.principal.subject),
    });
  });

  it('answers malformed requests with INVALID_ARGUMENTS and lives on', async () => {
    let calls = 0;
    await bus.serve(call, async ({ tool }) => {
      calls++;
      return said(tool);
    });
    for (const text of GARBAGE) {
      const answer = await bare.request(call.subject, text, { timeout: 5_000 });
      expect(answer.json()).toMatchObject({ err: { code: 'INVALID_ARGUMENTS', executed: 'no' }, isDisposed: true });
      bare.publish(call.subject, text);
      bare.publish(`cancel.${call.subject}`, text);
    }
    const answer = await bare.request(call.subject, packet({ tool: 7 }), { timeout: 5_000 });
    expect(answer.json()).toMatchObject({ err: { code: 'INVALID_ARGUMENTS' }, id: 'stranger-1' });
    expect(calls).toBe(0);
    await stillWorks();
  });

  it('does not run a request that nobody waits for the answer of', async () => {
    let calls = 0;
    await bus.serve(call, async ({ tool }) => said(`${tool}`.repeat(++calls)));
    bare.publish(call.subject, packet(request));
    await bare.flush();
    await delay(50);
    expect(calls).toBe(0);
    expect(log.events()).toEqual(['bus.request-without-inbox']);
  });

  it('ignores header values that are none: the request is served without them', async () => {
    const seen: { context: CallContext | undefined; remainingMs: number }[] = [];
    await bus.serve(call, async (_, incoming) => {
      seen.push({ context: incoming.context, remainingMs: incoming.remainingMs() });
      return said('');
    });
    const send = async (lines: Record<string, string>): Promise<void> => {
      const sent = headers();
      for (const [name, value] of Object.entries(lines)) sent.append(name, value);
      await bare.request(call.subject, packet(request), { timeout: 5_000, headers: sent });
    };
    const principal = { 'Portico-Tenant': 'acme', 'Portico-Subject': 'zoe' };
    await send({ ...principal, 'X-Correlation-ID': 'a b', 'Portico-Deadline-Ms': '-5' });
    await send({ ...principal, 'X-Correlation-ID': 'x'.repeat(129), 'Portico-Deadline-Ms': '1e9' });
    await send({ 'X-Correlation-ID': 'ok', 'Portico-Tenant': '%E0%A4%A', 'Portico-Subject': 'zoe' });
    await send({ 'X-Correlation-ID': 'ok', 'Portico-Tenant': 'x'.repeat(2_000), 'Portico-Subject': 'zoe' });
    await send({
      ...principal,
      'X-Correlation-ID': 'ok',
      'X-Task-ID': '<script>',
      'X-Agent-ID': '../..',
      'X-Lease-Fence': '9e99',
      traceparent: '00-zz-zz-00',
      'Portico-Deadline-Ms': '99999999999999999999',
      'Portico-Notices': 'yes please',
    });
    expect(seen.slice(0, 4).map((entry) => entry.context)).toEqual([undefined, undefined, undefined, undefined]);
    expect(seen[4]?.context).toEqual({ correlationId: 'ok', principal: { tenant: 'acme', subject: 'zoe' } });
    for (const { remainingMs } of seen) expect(remainingMs).toBeGreaterThan(60_000);
  });

  it('counts malformed answers as a failure of the service, at once', async () => {
    for (const text of [
      ...GARBAGE.filter((each) => !each.startsWith('{"')),
      '{"err":"boom"}',
      '{"err":{"code":"NEW"},"isDisposed":true}',
    ]) {
      const stranger = bare.subscribe(call.subject, { max: 1, callback: (_, message) => void message.respond(text) });
      await bare.flush();
      const fault = await faultOf(bus.ask(call, request, { deadlineMs: 9_000 }));
      expect(fault).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'unknown' });
      stranger.unsubscribe();
    }
  });

  it('takes one answer to an ask: a second is dropped', async () => {
    bare.subscribe(call.subject, {
      callback: (_, message) => {
        message.respond(JSON.stringify({ response: said('one'), isDisposed: true }));
        message.respond(JSON.stringify({ response: said('two'), isDisposed: true }));
        message.respond('garbage');
      },
    });
    await bare.flush();
    await expect(bus.ask(call, request, { deadlineMs: 5_000 })).resolves.toEqual(said('one'));
    await expect(bus.ask(call, request, { deadlineMs: 5_000 })).resolves.toEqual(said('one'));
  });

  it("aborts the handler at the deadline of a request whose asker has gone, on this end's own clock", async () => {
    const stopped = new Promise<unknown>((resolve) => {
      void bus.serve(call, (_, { signal }) => {
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            resolve(signal.reason);
            reject(signal.reason as Error);
          });
        });
      });
    });
    await delay(50);
    const sent = headers();
    sent.append('Portico-Deadline-Ms', '100');
    bare.publish(call.subject, packet(request), { reply: createInbox(), headers: sent });
    await expect(stopped).resolves.toMatchObject({ code: 'TIMEOUT' });
  });

  it('cannot be made to answer what is not JSON, nor to send it', async () => {
    await bus.serve(call, async () => ({ content: [], structuredContent: 7n }));
    const fault = await faultOf(bus.ask(call, request, { deadlineMs: 5_000 }));
    expect(fault).toMatchObject({ code: 'UNKNOWN_ERROR' });
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const refused = await faultOf(bus.ask(call, { tool: 'say', arguments: circular }, { deadlineMs: 5_000 }));
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
  });

  it('leaves out of the headers what could break out of its line', async () => {
    let seen: CallContext | undefined;
    await bus.serve(call, async ({ tool }, incoming) => {
      seen = incoming.context;
      return said(tool);
    });
    const forged = {
      ...context,
      traceparent: `${context.traceparent ?? ''}\r\nX-Task-ID: forged`,
      agent: 'a\r\nX-Task-ID: forged',
    };
    await bus.ask(call, request, { deadlineMs: 5_000, context: forged });
    expect(seen).toEqual({ ...context, traceparent: undefined, agent: undefined });
    await bus.ask(call, request, {
      deadlineMs: 5_000,
      context: { ...context, principal: { tenant: '\ud800', subject: 'x' } },
    });
    expect(seen).toBeUndefined();
    await stillWorks();
  });

  it('gives listeners no malformed announcement', async () => {
    const heard: unknown[] = [];
    await bus.listen(sourceChanged, (payload) => void heard.push(payload));
    for (const text of GARBAGE) bare.publish(sourceChanged.subject, text);
    bare.publish(sourceChanged.subject, JSON.stringify({ pattern: 'x', data: { source: 'domain.echo' } }));
    await bare.flush();
    await delay(50);
    expect(heard).toEqual([{ source: 'domain.echo' }]);
    expect(log.entries).toHaveLength(GARBAGE.length);
  });
});
