import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { sourceChanged } from '@portico/contracts';
import type { Fault } from '@portico/contracts';
import type { Bus } from '@portico/bus';
import { connectBus } from '@portico/bus';
import { describeIfAvailable, startNatsServer } from '@portico/testkit';
import type { NatsServer } from '@portico/testkit';
import { Written, call, faultOf, request, said } from './describe-bus.js';

const asking = (n: number) => ({ tool: 'say', arguments: { n } });

describeIfAvailable('nats-server', 'a NATS server that goes and comes back', () => {
  let nats: NatsServer;
  let asker: Bus;
  let server: Bus;
  let log: Written;

  beforeEach(async () => {
    nats = await startNatsServer();
    log = new Written();
    asker = await connectBus({ url: nats.url, name: 'asker', log });
    server = await connectBus({ url: nats.url, name: 'server' });
  });
  afterEach(async () => {
    await Promise.all([asker.close(), server.close()]);
    await nats.stop();
  });

  /** Asks until one is answered; fails when none is within 20 s. */
  const untilAnswered = async (): Promise<void> => {
    const until = performance.now() + 20_000;
    for (;;) {
      const fault = await asker.ask(call, { tool: 'probe', arguments: {} }, { deadlineMs: 2_000 }).then(
        () => undefined,
        (error: Fault) => error,
      );
      if (!fault) return;
      if (performance.now() > until) throw fault;
      await delay(50);
    }
  };

  it('ends what was in flight at once as unknown, and never sends it again', async () => {
    const handled: unknown[] = [];
    await server.serve(call, async ({ tool, arguments: { n } }) => {
      if (tool === 'probe') return said('');
      handled.push(n);
      await delay(400);
      return said('answered');
    });
    const asked = Array.from({ length: 20 }, (_, n) => faultOf(asker.ask(call, asking(n), { deadlineMs: 25_000 })));
    await delay(100);
    expect(handled.length).toBe(20);
    const began = performance.now();
    await nats.kill();
    for (const fault of await Promise.all(asked))
      expect(fault).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    expect(performance.now() - began).toBeLessThan(5_000);
    await nats.restart();
    await untilAnswered();
    await delay(300);
    expect(handled.length).toBe(20);
  });

  it('refuses at once what is asked meanwhile as not executed, and does not send it later', async () => {
    const handled: unknown[] = [];
    await server.serve(call, async ({ tool, arguments: { n } }) => {
      if (tool !== 'probe') handled.push(n);
      return said('');
    });
    await nats.kill();
    const refused = new Set<number>();
    // Asked without a pause through the whole outage: while it is noticed, while it lasts, while it is dialled again.
    let asked = 0;
    const restarted = delay(300).then(() => nats.restart());
    let back = false;
    void restarted.then(() => delay(50)).then(() => (back = true));
    while (!back) {
      const n = asked++;
      await asker.ask(call, asking(n), { deadlineMs: 9_000 }).then(
        () => undefined,
        (fault: Fault) => {
          expect(fault.code).toBe('BACKEND_UNAVAILABLE');
          if (fault.executed === 'no') refused.add(n);
        },
      );
      await delay(1);
    }
    await untilAnswered();
    await delay(300);
    expect(refused.size).toBeGreaterThan(50);
    expect(handled.filter((n) => refused.has(n as number))).toEqual([]);
  });

  it('is found again for ever: services, listeners and asks go on, each request handled once', async () => {
    const handled = new Map<unknown, number>();
    await server.serve(call, async ({ tool, arguments: { n } }) => {
      if (tool !== 'probe') handled.set(n, (handled.get(n) ?? 0) + 1);
      return said(String(n));
    });
    const heard: string[] = [];
    await server.listen(sourceChanged, ({ source }) => void heard.push(source));
    let n = 0;
    for (let outage = 0; outage < 2; outage++) {
      await nats.kill();
      await delay(outage * 900);
      await nats.restart();
      await untilAnswered();
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => asker.ask(call, asking(n++), { deadlineMs: 9_000 })),
      );
      expect(replies).toHaveLength(50);
      asker.tell(sourceChanged, { source: 'domain.echo' });
      await delay(100);
      expect(heard.length).toBe(outage + 1);
    }
    for (let i = 0; i < n; i++) expect(handled.get(i)).toBe(1);
    expect(
      log
        .events()
        .filter((event) => event.startsWith('bus.'))
        .slice(0, 2),
    ).toEqual(['bus.disconnected', 'bus.reconnected']);
  });

  it('under load: each ask is answered at most once, none is handled twice, none hangs', async () => {
    const handled = new Map<unknown, number>();
    await server.serve(call, async ({ tool, arguments: { n } }) => {
      if (tool !== 'probe') handled.set(n, (handled.get(n) ?? 0) + 1);
      await delay(5);
      return said(String(n));
    });
    let n = 0;
    let running = true;
    const outcomes = new Map<number, string[]>();
    const worker = async (): Promise<void> => {
      while (running) {
        const mine = n++;
        const settled: string[] = [];
        outcomes.set(mine, settled);
        await asker.ask(call, asking(mine), { deadlineMs: 8_000 }).then(
          (reply) => settled.push(reply.content?.[0]?.['text'] === String(mine) ? 'answered' : 'wrong answer'),
          (fault: Fault) => settled.push(`${fault.code} ${fault.executed}`),
        );
        await delay(1);
      }
    };
    const workers = Array.from({ length: 16 }, worker);
    for (let outage = 0; outage < 2; outage++) {
      await delay(300);
      await nats.restart();
      await untilAnswered();
    }
    running = false;
    await Promise.all(workers);
    const kinds = new Set([...outcomes.values()].map((settled) => settled.join()));
    expect([...kinds].sort().filter((kind) => kind !== 'BACKEND_UNAVAILABLE unknown')).toEqual([
      'BACKEND_UNAVAILABLE no',
      'answered',
    ]);
    expect(Math.max(...handled.values())).toBe(1);
    for (const [mine, [kind]] of outcomes) {
      if (kind === 'BACKEND_UNAVAILABLE no') expect(handled.has(mine)).toBe(false);
      if (kind === 'answered') expect(handled.get(mine)).toBe(1);
    }
  });

  it('does not keep a bus from being closed while it is away', async () => {
    await server.serve(call, async () => said(''));
    await nats.kill();
    await delay(50);
    expect(await faultOf(asker.ask(call, request, { deadlineMs: 9_000 }))).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
    const began = performance.now();
    await Promise.all([asker.close(), server.close()]);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

describe('a NATS server that is not there', () => {
  it('is one sentence that names the setting and shows no password', async () => {
    const began = performance.now();
    const failed = await connectBus({ url: 'nats://alice:s3cret@127.0.0.1:1', name: 'x', connectTimeoutMs: 600 }).catch(
      (e: Error) => e.message,
    );
    expect(failed).toBe('BUS_URL: no NATS server answered at 127.0.0.1:1 within 0.6 s.');
    expect(performance.now() - began).toBeLessThan(6_000);
  });
});

describeIfAvailable('nats-server', 'connecting to NATS', () => {
  it('waits for a server that is still coming up, and says once what for, without its address', async () => {
    const nats = await startNatsServer();
    await nats.kill();
    const log = new Written();
    const connecting = connectBus({ url: nats.url, name: 'x', log });
    // Refused at once on the loopback; three attempts and more fit into this.
    await delay(1_200);
    expect(log.entries).toEqual([{ event: 'bus.waiting', fields: { setting: 'BUS_URL', atMostSecs: 10 } }]);
    await nats.restart();
    await (await connecting).close();
    await nats.stop();
  });

  it('takes the server of a list that answers', async () => {
    const nats = await startNatsServer();
    const bus = await connectBus({ url: `nats://127.0.0.1:1,${nats.url}`, name: 'x' });
    await bus.close();
    await nats.stop();
  });

  it('signs in with what the address holds, and says in one sentence when that is refused', async () => {
    const nats = await startNatsServer({ config: 'authorization { user: alice, password: "p@ss" }' });
    const place = nats.url.replace('nats://', '');
    const bus = await connectBus({ url: `nats://alice:p%40ss@${place}`, name: 'x' });
    await bus.close();
    const refused = await connectBus({ url: `nats://alice:wrong-one@${place}`, name: 'x' }).catch(
      (error: Error) => error.message,
    );
    expect(refused).toBe(`BUS_URL: the NATS server at ${place} does not let us in: Authorization Violation.`);
    await nats.stop();
  });

  it('does not speak in the clear to a server that was named by tls://', async () => {
    const nats = await startNatsServer();
    const refused = await connectBus({ url: nats.url.replace('nats:', 'tls:'), name: 'x' }).catch(
      (error: Error) => error.message,
    );
    expect(refused).toMatch(/^BUS_URL: .*does not support 'tls'/);
    await nats.stop();
  });
});
