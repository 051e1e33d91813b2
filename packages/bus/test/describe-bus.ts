import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Fault, callTool, sourceChanged, sourceHealth } from '@portico/contracts';
import type { CallContext, Notice } from '@portico/contracts';
import type { Bus, BusLog, Incoming } from '@portico/bus';
import { setTimeout as delay } from 'node:timers/promises';

export interface Buses {
  /** One more bus that reaches the others, as another process would. */
  join(log: BusLog): Promise<Bus>;
  /** Ends whatever the buses ran on; they are closed by then. */
  end(): Promise<void>;
}

/** What a bus wrote to its log. */
export class Written implements BusLog {
  readonly entries: { event: string; fields: Record<string, unknown> | undefined }[] = [];
  info = (event: string, fields?: Record<string, unknown>): void => void this.entries.push({ event, fields });
  warn = this.info;
  error = this.info;
  events = (): string[] => this.entries.map(({ event }) => event);
}

export const call = callTool('domain.echo');
export const request = { tool: 'say', arguments: { words: 'hello' } };
export const said = (text: string) => ({ content: [{ type: 'text', text }] });
export const context: CallContext = {
  correlationId: 'corr-1',
  taskId: 'task:7',
  agent: 'agent.9',
  leaseRef: '0123456789abcdef',
  leaseFence: 12,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  principal: { tenant: 'acme', subject: 'Zoë\r\nX-Task-ID: forged' },
};

/** The fault an ask ends in. Fails when it is answered. */
export const faultOf = async (asked: Promise<unknown>): Promise<Fault> => {
  const outcome = await asked.then(
    (reply) => new Error(`answered ${JSON.stringify(reply)}`),
    (error: unknown) => error,
  );
  if (!(outcome instanceof Fault)) throw outcome;
  return outcome;
};

/** Resolves when a signal aborts, with the reason. */
export const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener('abort', () => resolve(signal.reason));
  });

/** What any bus must do, whatever carries it. `makeBuses` is called for each test. */
export const describeBus = (name: string, makeBuses: () => Promise<Buses>): void => {
  describe(`bus: ${name}`, () => {
    let buses: Buses;
    let open: Bus[];
    let asker: Bus;
    let server: Bus;
    const log = { asker: new Written(), server: new Written() };

    const joined = async (written = new Written()): Promise<Bus> => {
      const bus = await buses.join(written);
      open.push(bus);
      return bus;
    };
    beforeEach(async () => {
      open = [];
      buses = await makeBuses();
      log.asker = new Written();
      log.server = new Written();
      asker = await joined(log.asker);
      server = await joined(log.server);
    });
    afterEach(async () => {
      await Promise.all(open.map((bus) => bus.close()));
      await buses.end();
    });

    describe('asking', () => {
      it('brings the request to the handler and its reply back', async () => {
        await server.serve(call, async ({ tool, arguments: given }) => said(`${tool} ${String(given['words'])}`));
        await expect(asker.ask(call, request, { deadlineMs: 5_000 })).resolves.toEqual(said('say hello'));
      });

      it('keeps many asks in flight apart', async () => {
        await server.serve(call, async ({ arguments: { n } }) => {
          await delay(Number(n) % 7);
          return said(String(n));
        });
        const asked = Array.from({ length: 200 }, (_, n) =>
          asker.ask(call, { tool: 'say', arguments: { n } }, { deadlineMs: 9_000 }),
        );
        const replies = await Promise.all(asked);
        expect(replies.map(({ content }) => content?.[0]?.['text'])).toEqual(asked.map((_, n) => String(n)));
      });

      it('refuses a request outside its contract without asking anyone', async () => {
        let calls = 0;
        await server.serve(call, async () => said(String(++calls)));
        const fault = await faultOf(asker.ask(call, { tool: 7 } as never, { deadlineMs: 5_000 }));
        expect(fault).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
        expect(fault.message).toContain('tool');
        expect(calls).toBe(0);
      });

      it('checks the request again where it is answered, by the contract held there', async () => {
        const stricter = { ...call, request: call.request.refine(({ tool }) => tool !== 'say', 'not that one') };
        let calls = 0;
        await server.serve(stricter, async () => said(String(++calls)));
        expect(await faultOf(asker.ask(call, request, { deadlineMs: 5_000 }))).toMatchObject({
          code: 'INVALID_ARGUMENTS',
          executed: 'no',
        });
        expect(calls).toBe(0);
      });

      it('refuses a reply outside its contract, and logs where it breaks it', async () => {
        await server.serve(call, async () => ({ content: 'no list' }) as never);
        const fault = await faultOf(asker.ask(call, request, { deadlineMs: 5_000 }));
        expect(fault).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'unknown' });
        expect(log.asker.entries).toMatchObject([
          { event: 'bus.reply-outside-contract', fields: { subject: call.subject } },
        ]);
      });

      it('rejects an ask that has no deadline at all', async () => {
        await expect(asker.ask(call, request)).rejects.toThrow(/deadline/);
      });

      it("takes the call's own deadline when the asker names none", async () => {
        let left = 0;
        const health = sourceHealth('domain.echo');
        await server.serve(health, async (_, incoming) => {
          left = incoming.remainingMs();
          return { state: 'up' as const };
        });
        await asker.ask(health, {});
        expect(left).toBeGreaterThan(health.deadlineMs / 2);
        expect(left).toBeLessThanOrEqual(health.deadlineMs);
      });

      it('fails at once when nobody serves the subject', async () => {
        const began = performance.now();
        const fault = await faultOf(asker.ask(call, request, { deadlineMs: 20_000 }));
        expect(fault).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
        expect(performance.now() - began).toBeLessThan(2_000);
      });

      it('fails at once when the only service has stopped', async () => {
        const serving = await server.serve(call, async () => said('here'));
        await asker.ask(call, request, { deadlineMs: 5_000 });
        await serving.close();
        expect(await faultOf(asker.ask(call, request, { deadlineMs: 20_000 }))).toMatchObject({
          code: 'BACKEND_UNAVAILABLE',
          executed: 'no',
        });
      });
    });

    describe('deadlines', () => {
      it("ends the ask with TIMEOUT and aborts the handler's signal", async () => {
        const stopped = new Promise<unknown>((resolve) => {
          void server.serve(call, async (_, { signal }) => {
            resolve(await aborted(signal));
            throw signal.reason;
          });
        });
        await delay(50);
        const fault = await faultOf(asker.ask(call, request, { deadlineMs: 200 }));
        expect(fault).toMatchObject({ code: 'TIMEOUT', executed: 'unknown' });
        await expect(stopped).resolves.toMatchObject({ code: 'TIMEOUT' });
      });

      it('gives a handler that asks late a signal that has already aborted', async () => {
        const late = new Promise<Incoming>((resolve) => {
          void server.serve(call, async (_, incoming) => {
            await delay(300);
            resolve(incoming);
            return said('too late');
          });
        });
        await delay(50);
        await faultOf(asker.ask(call, request, { deadlineMs: 100 }));
        const incoming = await late;
        expect(incoming.remainingMs()).toBe(0);
        await expect(aborted(incoming.signal)).resolves.toMatchObject({ code: 'TIMEOUT' });
      });

      it('counts an answer that comes after the deadline as none', async () => {
        await server.serve(call, async () => {
          await delay(250);
          return said('late');
        });
        const settled: string[] = [];
        await asker.ask(call, request, { deadlineMs: 60 }).then(
          () => settled.push('reply'),
          (fault: Fault) => settled.push(fault.code),
        );
        await delay(400);
        expect(settled).toEqual(['TIMEOUT']);
      });
    });

    describe('cancellation', () => {
      it('ends the ask with CANCELLED and stops the handler', async () => {
        const stopping = new AbortController();
        const stopped = new Promise<unknown>((resolve) => {
          void server.serve(call, async (_, { signal }) => {
            setTimeout(() => stopping.abort(), 20);
            resolve(await aborted(signal));
            throw new Error('the backend call was aborted');
          });
        });
        await delay(50);
        const fault = await faultOf(asker.ask(call, request, { deadlineMs: 20_000, signal: stopping.signal }));
        expect(fault).toMatchObject({ code: 'CANCELLED', executed: 'unknown' });
        await expect(stopped).resolves.toMatchObject({ code: 'CANCELLED' });
        // Being told to stop is no failure of the handler's.
        await delay(50);
        expect(log.server.events()).not.toContain('bus.handler-failed');
      });

      it('asks nobody when the signal has aborted before', async () => {
        let calls = 0;
        await server.serve(call, async () => said(String(++calls)));
        const fault = await faultOf(asker.ask(call, request, { deadlineMs: 5_000, signal: AbortSignal.abort() }));
        expect(fault).toMatchObject({ code: 'CANCELLED', executed: 'no' });
        await delay(50);
        expect(calls).toBe(0);
      });

      it('touches no other request, and nothing once answered', async () => {
        const reasons: unknown[] = [];
        await server.serve(call, async ({ tool }, { signal }) => {
          signal.addEventListener('abort', () => reasons.push(tool));
          if (tool !== 'quick') await delay(150);
          return said(tool);
        });
        const stopping = new AbortController();
        const others = ['a', 'b'].map((tool) => asker.ask(call, { tool, arguments: {} }, { deadlineMs: 9_000 }));
        const mine = asker.ask(call, { tool: 'mine', arguments: {} }, { deadlineMs: 9_000, signal: stopping.signal });
        await asker.ask(call, { tool: 'quick', arguments: {} }, { deadlineMs: 9_000, signal: stopping.signal });
        stopping.abort();
        expect(await faultOf(mine)).toMatchObject({ code: 'CANCELLED' });
        await expect(Promise.all(others)).resolves.toEqual([said('a'), said('b')]);
        expect(reasons).toEqual(['mine']);
      });
    });

    describe('notices', () => {
      const progress = (n: number): Notice => ({ method: 'notifications/progress', params: { progress: n } });

      it('arrive in order, all before the reply', async () => {
        await server.serve(call, async (_, { notify, wantsNotices }) => {
          expect(wantsNotices).toBe(true);
          for (let n = 0; n < 50; n++) {
            notify(progress(n));
            if (n % 10 === 0) await delay(1);
          }
          return said('done');
        });
        const seen: unknown[] = [];
        const reply = asker.ask(call, request, {
          deadlineMs: 9_000,
          onNotice: (notice) => seen.push(notice.params['progress']),
        });
        await reply.then(() => seen.push('reply'));
        expect(seen).toEqual([...Array(50).keys(), 'reply']);
      });

      it('are not sent to an asker that does not listen, nor after the reply', async () => {
        let kept: Incoming | undefined;
        await server.serve(call, async (_, incoming) => {
          kept ??= incoming;
          incoming.notify(progress(1));
          return said(String(incoming.wantsNotices));
        });
        const seen: unknown[] = [];
        await asker.ask(call, request, { deadlineMs: 9_000, onNotice: (notice) => seen.push(notice) });
        kept?.notify(progress(2));
        await expect(asker.ask(call, request, { deadlineMs: 9_000 })).resolves.toEqual(said('false'));
        await delay(50);
        expect(seen).toEqual([progress(1)]);
      });

      it('harm nobody when the listener throws or a notice breaks its contract', async () => {
        await server.serve(call, async (_, { notify }) => {
          notify({ method: 'notifications/else' } as never);
          notify(progress(1));
          return said('done');
        });
        let calls = 0;
        const onNotice = (): never => {
          calls++;
          throw new Error('the listener broke');
        };
        await expect(asker.ask(call, request, { deadlineMs: 9_000, onNotice })).resolves.toEqual(said('done'));
        expect(calls).toBe(1);
        expect(log.asker.events()).toEqual(['bus.notice-outside-contract', 'bus.notice-listener-failed']);
      });
    });

    describe('faults', () => {
      it('cross intact, and nothing else of an error does', async () => {
        const thrown = Object.assign(
          new Fault('RATE_LIMITED', 'Slow down.', {
            executed: 'unknown',
            retryAfterMs: 1_500,
            rpc: { code: -32_000, message: 'busy', data: { queue: [1, 2] } },
            cause: new Error('connect 10.0.0.7:443 with token s3cret'),
          }),
          { address: '10.0.0.7' },
        );
        await server.serve(call, async () => {
          throw thrown;
        });
        const fault = await faultOf(asker.ask(call, request, { deadlineMs: 5_000 }));
        expect(fault.toRecord()).toEqual(thrown.toRecord());
        expect(fault).not.toBe(thrown);
        expect(fault.cause).toBeUndefined();
        expect(fault).not.toHaveProperty('address');
        expect(fault.stack).not.toBe(thrown.stack);
      });

      it('become UNKNOWN_ERROR with a generic sentence for any other error; its story is in the log of the service', async () => {
        const thrown = new TypeError('cannot read /etc/secret of undefined');
        await server.serve(call, async () => {
          throw thrown;
        });
        const fault = await faultOf(asker.ask(call, request, { deadlineMs: 5_000, context }));
        expect(fault).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'unknown' });
        expect(`${fault.message}${String(fault.cause)}${String(fault.rpc)}`).not.toContain('secret');
        expect(log.server.entries).toEqual([
          { event: 'bus.handler-failed', fields: { subject: call.subject, correlationId: 'corr-1', error: thrown } },
        ]);
      });

      it('come of a handler that throws before it returns a promise, too', async () => {
        await server.serve(call, (() => {
          throw new Fault('CONFLICT', 'Twice.');
        }) as never);
        expect(await faultOf(asker.ask(call, request, { deadlineMs: 5_000 }))).toMatchObject({
          code: 'CONFLICT',
          executed: 'no',
        });
      });
    });

    describe('context', () => {
      it('reaches the handler whole: correlation, trace, lease and principal', async () => {
        let seen: CallContext | undefined;
        await server.serve(call, async (_, incoming) => {
          seen = incoming.context;
          return said('');
        });
        await asker.ask(call, request, { deadlineMs: 5_000, context });
        expect(seen).toEqual(context);
        await asker.ask(call, request, { deadlineMs: 5_000 });
        expect(seen).toBeUndefined();
      });
    });

    describe('several instances', () => {
      it('share the requests of a subject: each reaches one of them, and both get some', async () => {
        const handled: string[] = [];
        const second = await joined();
        for (const [instance, bus] of Object.entries({ first: server, second })) {
          await bus.serve(call, async ({ arguments: { n } }) => {
            handled.push(String(n));
            return said(instance);
          });
        }
        const replies = await Promise.all(
          Array.from({ length: 100 }, (_, n) =>
            asker.ask(call, { tool: 'say', arguments: { n } }, { deadlineMs: 9_000 }),
          ),
        );
        expect(new Set(replies.map(({ content }) => content?.[0]?.['text']))).toEqual(new Set(['first', 'second']));
        expect(handled.length).toBe(100);
        expect(new Set(handled).size).toBe(100);
      });

      it('never two in one bus: the second is refused, the first goes on', async () => {
        const first = await server.serve(call, async () => said('first'));
        await expect(server.serve(call, async () => said('second'))).rejects.toThrow(/already served/);
        await expect(asker.ask(call, request, { deadlineMs: 5_000 })).resolves.toEqual(said('first'));
        await first.close();
        await server.serve(call, async () => said('second'));
        await expect(asker.ask(call, request, { deadlineMs: 5_000 })).resolves.toEqual(said('second'));
      });
    });

    describe('stopping', () => {
      it('lets what runs finish, and takes nothing new', async () => {
        const order: string[] = [];
        const serving = await server.serve(call, async () => {
          await delay(200);
          order.push('handled');
          return said('finished');
        });
        const asked = asker.ask(call, request, { deadlineMs: 9_000 });
        await delay(60);
        const closed = serving.close().then(() => order.push('closed'));
        await expect(asked).resolves.toEqual(said('finished'));
        await closed;
        expect(order).toEqual(['handled', 'closed']);
      });

      it('aborts what outlives the drain, and answers for a handler that ignores even that', async () => {
        const reasons: unknown[] = [];
        const serving = await server.serve(
          call,
          async (_, { signal }) => {
            reasons.push(await aborted(signal));
            return new Promise<never>(() => {});
          },
          { drainMs: 50 },
        );
        const asked = faultOf(asker.ask(call, request, { deadlineMs: 20_000 }));
        await delay(60);
        await serving.close();
        expect(await asked).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
        expect(reasons).toMatchObject([{ code: 'BACKEND_UNAVAILABLE' }]);
      });

      it('[OP-8] says that the service stopped, and not that the caller cancelled, where a handler passes on what its own ask told it', async () => {
        const serving = await server.serve(
          call,
          async (_, { signal }) => {
            await aborted(signal);
            throw new Fault('CANCELLED', 'The caller cancelled the request.', { executed: 'no' });
          },
          { drainMs: 50 },
        );
        const asked = faultOf(asker.ask(call, request, { deadlineMs: 20_000 }));
        await delay(60);
        await serving.close();
        expect(await asked).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
      });

      it('can still cancel what drains', async () => {
        const stopping = new AbortController();
        const serving = await server.serve(call, async (_, { signal }) => {
          await aborted(signal);
          throw signal.reason;
        });
        const asked = faultOf(asker.ask(call, request, { deadlineMs: 20_000, signal: stopping.signal }));
        await delay(60);
        const closed = serving.close();
        await delay(20);
        const began = performance.now();
        stopping.abort();
        expect(await asked).toMatchObject({ code: 'CANCELLED' });
        await closed;
        expect(performance.now() - began).toBeLessThan(3_000);
      });

      it('ends the asks of a bus that closes, and refuses those that come later', async () => {
        await server.serve(
          call,
          async (_, { signal }) => {
            await aborted(signal);
            throw signal.reason;
          },
          { drainMs: 10 },
        );
        const leaving = await joined();
        const asked = faultOf(leaving.ask(call, request, { deadlineMs: 20_000 }));
        await delay(30);
        await leaving.close();
        await leaving.close();
        expect(await asked).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
        expect(await faultOf(leaving.ask(call, request, { deadlineMs: 20_000 }))).toMatchObject({
          code: 'BACKEND_UNAVAILABLE',
          executed: 'no',
        });
        await expect(leaving.serve(call, async () => said(''))).rejects.toThrow(/closed/);
        leaving.tell(sourceChanged, { source: 'domain.echo' });
      });
    });

    describe('announcements', () => {
      it('are heard by every listener, in order, by the teller itself too', async () => {
        const heard: string[] = [];
        const all = new Promise<void>((resolve) => {
          for (const [name, bus] of Object.entries({ asker, server, again: server })) {
            void bus.listen(sourceChanged, ({ source }) => {
              heard.push(`${name} ${source}`);
              if (heard.length === 9) resolve();
            });
          }
        });
        await delay(50);
        for (const name of ['a', 'b', 'c'] as const) asker.tell(sourceChanged, { source: `domain.${name}` });
        await all;
        for (const name of ['asker', 'server', 'again']) {
          expect(heard.filter((line) => line.startsWith(name))).toEqual(
            ['a', 'b', 'c'].map((source) => `${name} domain.${source}`),
          );
        }
      });

      it('harm nobody when a listener throws, rejects or never ends', async () => {
        await server.listen(sourceChanged, () => {
          throw new Error('threw');
        });
        await server.listen(sourceChanged, () => Promise.reject(new Error('rejected')));
        await server.listen(sourceChanged, () => new Promise<void>(() => {}));
        const heard = new Promise((resolve) => void server.listen(sourceChanged, resolve));
        await delay(50);
        asker.tell(sourceChanged, { source: 'domain.echo' });
        await expect(heard).resolves.toEqual({ source: 'domain.echo' });
        await delay(20);
        expect(log.server.events()).toEqual(['bus.listener-failed', 'bus.listener-failed']);
      });

      it('outside their contract are logged and told to nobody', async () => {
        const heard: unknown[] = [];
        await server.listen(sourceChanged, (payload) => void heard.push(payload));
        asker.tell(sourceChanged, { source: 'nowhere' } as never);
        asker.tell(sourceChanged, { source: 'domain.echo' });
        await delay(100);
        expect(heard).toEqual([{ source: 'domain.echo' }]);
        expect(log.asker.events()).toEqual(['bus.tell-outside-contract']);
      });

      it('reach no listener that has been closed', async () => {
        const heard: unknown[] = [];
        const listening = await server.listen(sourceChanged, (payload) => void heard.push(payload));
        asker.tell(sourceChanged, { source: 'domain.a' });
        await delay(50);
        await listening.close();
        asker.tell(sourceChanged, { source: 'domain.b' });
        await delay(50);
        expect(heard).toEqual([{ source: 'domain.a' }]);
      });
    });
  });
};
