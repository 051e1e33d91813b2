import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Fault, sourceChanged } from '@portico/contracts';
import type { Bus } from '@portico/bus';
import { connectBus } from '@portico/bus';
import { describeIfAvailable, startNatsServer } from '@portico/testkit';
import type { NatsServer } from '@portico/testkit';
import { Written, call, context, faultOf, said } from './describe-bus.js';

const MAX = 256 * 1024;
const asking = (bytes: number) => ({ tool: 'say', arguments: { text: 'x'.repeat(bytes) } });

describeIfAvailable('nats-server', 'payloads over NATS', () => {
  let nats: NatsServer;
  let asker: Bus;
  let server: Bus;
  let log: Written;
  let handled: number;

  beforeEach(async () => {
    nats = await startNatsServer({ config: `max_payload: ${String(MAX)}` });
    log = new Written();
    handled = 0;
    asker = await connectBus({ url: nats.url, name: 'asker', log });
    server = await connectBus({ url: nats.url, name: 'server', log });
  });
  afterEach(async () => {
    await Promise.all([asker.close(), server.close()]);
    await nats.stop();
  });

  const echo = () =>
    server.serve(call, async ({ arguments: { text, grow } }) => {
      handled++;
      return said('y'.repeat(typeof grow === 'number' ? grow : String(text).length));
    });

  describe('[OP-7] what fits the server', () => {
    it('is known from the server, and known again when the server comes back with another limit', async () => {
      expect(asker.maxPayload).toBe(MAX);
      await nats.stop();
      nats = await startNatsServer({ port: nats.port, config: 'max_payload: 9MB' });
      for (let i = 0; i < 200 && asker.maxPayload === MAX; i++) await delay(50);
      expect(asker.maxPayload).toBe(9 * 1024 * 1024);
    });

    it('passes up to the last byte, and not one byte more, headers counted', async () => {
      await echo();
      const fits = async (bytes: number): Promise<boolean> =>
        asker
          .ask(call, { tool: 'say', arguments: { text: 'x'.repeat(bytes), grow: 1 } }, { deadlineMs: 9_000, context })
          .then(
            () => true,
            (fault: Fault) => {
              expect(fault).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', executed: 'no' });
              return false;
            },
          );
      let [low, high] = [MAX - 4_096, MAX];
      expect(await fits(low)).toBe(true);
      expect(await fits(high)).toBe(false);
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (await fits(middle)) low = middle;
        else high = middle;
      }
      const message = (
        await faultOf(
          asker.ask(
            call,
            { tool: 'say', arguments: { text: 'x'.repeat(high), grow: 1 } },
            { deadlineMs: 9_000, context },
          ),
        )
      ).message;
      expect(message).toContain(String(MAX + 1));
      expect(log.events()).not.toContain('bus.disconnected');
    });
  });

  describe('[OP-7] what does not fit', () => {
    it('as a request is PAYLOAD_TOO_LARGE, not executed, and costs nobody the connection', async () => {
      await echo();
      const fault = await faultOf(asker.ask(call, asking(MAX), { deadlineMs: 9_000 }));
      expect(fault).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', executed: 'no' });
      expect(handled).toBe(0);
      await expect(asker.ask(call, asking(3), { deadlineMs: 9_000 })).resolves.toEqual(said('yyy'));
      expect(log.events()).not.toContain('bus.disconnected');
    });

    it('is counted in bytes, not characters', async () => {
      await echo();
      const request = { tool: 'say', arguments: { text: '€'.repeat(MAX / 2) } };
      expect(await faultOf(asker.ask(call, request, { deadlineMs: 9_000 }))).toMatchObject({
        code: 'PAYLOAD_TOO_LARGE',
        executed: 'no',
      });
    });

    it('as a reply is PAYLOAD_TOO_LARGE, executed, and the service answers on', async () => {
      await echo();
      const fault = await faultOf(asker.ask(call, { tool: 'say', arguments: { grow: MAX } }, { deadlineMs: 9_000 }));
      expect(fault).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', executed: 'yes' });
      expect(handled).toBe(1);
      await expect(asker.ask(call, asking(3), { deadlineMs: 9_000 })).resolves.toEqual(said('yyy'));
      expect(log.events()).not.toContain('bus.disconnected');
    });

    it('as a fault keeps its code and what is honest of it', async () => {
      await server.serve(call, async () => {
        throw new Fault('CONFLICT', 'm'.repeat(MAX), {
          executed: 'yes',
          rpc: { code: 1, message: 'x', data: 'd'.repeat(MAX) },
        });
      });
      const fault = await faultOf(asker.ask(call, asking(3), { deadlineMs: 9_000 }));
      expect(fault).toMatchObject({ code: 'CONFLICT', executed: 'yes', rpc: undefined });
      expect(fault.message.length).toBeLessThan(1_000);
    });

    it('as a notice or an announcement is dropped, logged, and stops nothing', async () => {
      await server.serve(call, async (_, { notify }) => {
        notify({ method: 'notifications/message', params: { data: 'x'.repeat(MAX) } });
        notify({ method: 'notifications/message', params: { data: 'small' } });
        return said('done');
      });
      const seen: unknown[] = [];
      const heard = new Promise((resolve) => void server.listen(sourceChanged, resolve));
      const onNotice = (notice: { params: Record<string, unknown> }) => seen.push(notice.params['data']);
      await expect(asker.ask(call, asking(3), { deadlineMs: 9_000, onNotice })).resolves.toEqual(said('done'));
      expect(seen).toEqual(['small']);
      const large = { ...sourceChanged, payload: sourceChanged.payload.loose() };
      asker.tell(large, { source: 'domain.echo', padding: 'x'.repeat(MAX) });
      asker.tell(sourceChanged, { source: 'domain.echo' });
      await expect(heard).resolves.toEqual({ source: 'domain.echo' });
      expect(log.events()).toEqual(['bus.answer-not-sent', 'bus.not-told']);
    });
  });
});
