import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connectBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { callTool, describeSource } from '@portico/contracts';
import type { CallContext, SourceAddress, ToolResult } from '@portico/contracts';
import { describeIfAvailable, startLegacyHttpServer, startNatsWithUsers, stdioServer } from '@portico/testkit';
import type { LegacyHttpServer, NatsWithUsers, StdioFixture } from '@portico/testkit';
import { build, parentOf, startInstance } from './instances.js';
import type { Instance } from './instances.js';
import { entryOf } from './opened.js';
import { eventually, isAlive, silent } from './running.js';

const NAMES = ['s1', 's2', 's3', 's4', 's5', 's6'];

/** Calls a server again and again, until it answers; gives up after 20 s, ten times what is usual. */
async function answers(bus: Bus, name: string): Promise<void> {
  for (const end = performance.now() + 20_000; ;) {
    const asked = bus.ask(callTool(`upstream.${name}`), { tool: 'echo', arguments: {} }, { deadlineMs: 2_000 });
    if (await asked.then(Boolean, () => false)) return;
    if (performance.now() > end) throw new Error(`${name} does not answer`);
    await delay(50);
  }
}

// To start is what takes longest: each test goes on with the instances that the one before has left.
describeIfAvailable('nats-server', '[UP-13] two instances over NATS', () => {
  const servers: Record<string, StdioFixture> = {};
  const instances = new Set<Instance>();
  let web: LegacyHttpServer;
  let nats: NatsWithUsers;
  let bus: Bus;
  let discovery: Bus;

  beforeAll(async () => {
    build();
    // One of them ignores SIGTERM.
    for (const name of NAMES) servers[name] = stdioServer({ stubborn: name === 's1' });
    web = await startLegacyHttpServer();
    nats = await startNatsWithUsers();
    bus = await connectBus({ url: nats.urlOf('front-door'), name: 'front-door', log: silent });
    discovery = await connectBus({ url: nats.urlOf('discovery'), name: 'discovery', log: silent });
    await pair();
  }, 240_000);
  afterAll(async () => {
    for (const instance of instances) instance.signal('SIGCONT');
    await Promise.all([...instances].map((instance) => end(instance)));
    for (const server of Object.values(servers)) server.close();
    await web.close();
    await Promise.all([bus.close(), discovery.close()]);
    const refused = nats.refused();
    await nats.stop();
    // Each came with its own credential, and did nothing that it may not.
    expect(refused).toEqual([]);
  });

  const start = async (): Promise<Instance> => {
    const entries = NAMES.map((name) => [name, entryOf(servers[name]!)]);
    const shared = { url: web.url, allowPrivate: true };
    const own = { ...shared, session: 'per-principal' };
    const instance = await startInstance(
      { ...Object.fromEntries(entries), shared, web: own },
      {
        BUS_URL: nats.urlOf('upstreams'),
      },
    );
    instances.add(instance);
    return instance;
  };
  const end = (instance: Instance, signal?: NodeJS.Signals): Promise<void> => {
    instances.delete(instance);
    return instance.stop(signal);
  };
  /** Two that live, each with a share of the servers: with six of them, one time in 32 all would be at one. */
  const pair = async (): Promise<[Instance, Instance]> => {
    for (;;) {
      while (instances.size < 2) await start();
      const both = [...instances] as [Instance, Instance];
      await allAnswer();
      const isShared = () => expect(new Set(places())).toEqual(new Set(both.map(({ pid }) => pid)));
      if (
        await eventually(isShared).then(
          () => true,
          () => false,
        )
      )
        return both;
      await end(both[1]);
    }
  };
  const allAnswer = (): Promise<unknown> => Promise.all(NAMES.map((name) => answers(bus, name)));
  const livingOf = (name: string): number[] => servers[name]!.pids().filter(isAlive);
  /** The process that each server which runs is a child of. */
  const places = (): (number | undefined)[] => NAMES.flatMap((name) => livingOf(name).map(parentOf));
  const started = (): number => NAMES.reduce((sum, name) => sum + servers[name]!.pids().length, 0);
  const expectNoneTwice = (): void => {
    const events = NAMES.flatMap((name) => servers[name]!.events());
    expect(events.filter((event) => event.startsWith('twice'))).toEqual([]);
  };
  const call = (name: string, args: Record<string, unknown> = {}, deadlineMs = 10_000): Promise<ToolResult> =>
    bus.ask(callTool(`upstream.${name}`), { tool: 'echo', arguments: args }, { deadlineMs });

  it('each stdio server runs at one of them, never at both, and what it publishes and reports comes whole through either', async () => {
    const before = started();
    for (const name of NAMES) {
      const at: SourceAddress = `upstream.${name}`;
      const pages = await Promise.all([1, 2, 3, 4].map(() => discovery.ask(describeSource(at), {})));
      for (const page of pages) expect(page).toEqual(pages[0]);
      const seen: unknown[] = [];
      const progress = { tool: 'progress', arguments: {} };
      const onNotice = ({ params }: { params: Record<string, unknown> }): void => void seen.push(params['progress']);
      await bus.ask(callTool(at), progress, { deadlineMs: 10_000, onNotice });
      expect(seen).toEqual([1, 2, 3]);
    }
    for (let turn = 0; turn < 5; turn++) await Promise.all(NAMES.map((name) => call(name, { turn })));
    expect(started()).toBe(before);
    for (const name of NAMES) expect(livingOf(name)).toHaveLength(1);
    expectNoneTwice();
  }, 60_000);

  it('[UP-10] a caller has one session at a server that gives each its own, whichever instance he reaches', async () => {
    const contextOf = (subject: string): CallContext => ({ correlationId: 'c1', principal: { tenant: 't', subject } });
    const callers = ['ann', 'ben', 'cid', 'dan', 'eve', 'fay'];
    const echo = (subject: string) =>
      bus.ask(
        callTool('upstream.web'),
        { tool: 'echo', arguments: { subject } },
        { deadlineMs: 15_000, context: contextOf(subject) },
      );
    for (let turn = 0; turn < 4; turn++) await Promise.all(callers.map(echo));
    const sessionsOf = new Map<string, Set<unknown>>();
    for (const { message, headers } of web.requests) {
      const subject = (message.params?.['arguments'] as { subject?: string } | undefined)?.subject;
      if (subject === undefined) continue;
      sessionsOf.set(subject, (sessionsOf.get(subject) ?? new Set()).add(headers['mcp-session-id']));
    }
    expect([...sessionsOf.keys()].sort()).toEqual(callers);
    for (const sessions of sessionsOf.values()) expect(sessions.size).toBe(1);
    expect(new Set([...sessionsOf.values()].flatMap((sessions) => [...sessions])).size).toBe(callers.length);
  }, 60_000);

  it('one over HTTP that all callers share is called by either', async () => {
    const echo = { tool: 'echo', arguments: { shared: true } };
    for (let turn = 0; turn < 30; turn++) await bus.ask(callTool('upstream.shared'), echo, { deadlineMs: 10_000 });
    const sessions = web.requests
      .filter(({ message }) => (message.params?.['arguments'] as { shared?: boolean } | undefined)?.shared)
      .map(({ headers }) => headers['mcp-session-id']);
    expect(sessions).toHaveLength(30);
    expect(new Set(sessions).size).toBe(2);
  }, 60_000);

  it('the servers of one that is killed by kill -9 run at the other soon after, under load', async () => {
    const [victim, heir] = await pair();
    let loading = true;
    const load = NAMES.map(async (name) => {
      // What reached the one that was killed is not answered.
      while (loading) await call(name, {}, 4_000).catch(() => delay(20));
    });
    const killed = performance.now();
    await end(victim, 'SIGKILL');
    await allAnswer();
    const backAfter = performance.now() - killed;
    loading = false;
    await Promise.all(load);
    // 5 s are promised on an idle machine.
    expect(backAfter).toBeLessThan(20_000);
    expectNoneTwice();
    expect(places()).toEqual(NAMES.map(() => heir.pid));
  }, 90_000);

  it('one that joins, and one that leaves in peace, hand servers over without one running twice', async () => {
    const [first, second] = await pair();
    const asking = allAnswer();
    await end(first, 'SIGTERM');
    await asking;
    await allAnswer();
    expectNoneTwice();
    expect(places()).toEqual(NAMES.map(() => second.pid));
  }, 90_000);

  it('one that is suspended loses its servers before the other starts them, and gets its share back', async () => {
    const [a, b] = await pair();
    a.signal('SIGSTOP');
    await eventually(() => expect(places()).not.toContain(a.pid));
    // Requests that reach the suspended one are not answered: those that reach the other must be.
    await eventually(async () => {
      await allAnswer();
      expect(places()).toEqual(NAMES.map(() => b.pid));
    });
    a.signal('SIGCONT');
    await eventually(async () => {
      await allAnswer();
      expect(places()).toContain(a.pid);
    });
    expectNoneTwice();
  }, 120_000);

  it('when both lose the bus, their servers end, and each runs once when it is back', async () => {
    await pair();
    await nats.kill();
    await eventually(() => expect(places()).toEqual([]));
    await nats.restart();
    await allAnswer();
    expectNoneTwice();
    for (const name of NAMES) expect(livingOf(name)).toHaveLength(1);
  }, 90_000);
});
