import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connectBus } from '@portico/bus';
import { resourceUpdated, wentStale } from '@portico/contracts';
import { serveDomain } from '@portico/domain-kit';
import { describeIfAvailable, startNatsWithUsers } from '@portico/testkit';
import { type Listening, listen } from './listen.js';
import { type OpenDoor, openDoor, requestOf } from './open-door.js';
import { billing, callers, pause, ready, told, until } from './state-sync-world.js';

const GET = 'portico://stale/billing.get_*';
const INVOICES = 'portico://stale/dashboard.invoices';
const streams: Listening[] = [];
let door: OpenDoor;
const people = callers(['ann@red'], ['bob@red'], ['cat@blue'], ['dan@red', 'pay']);
const ACCESS = [
  { subjects: ['bob'], deny: ['billing.*'] },
  { subjects: ['cat'], allow: ['*'] },
  { scopes: ['pay'], allow: ['billing.pay'], deny: ['billing.get_*', 'billing.list'] },
  { allow: ['billing.*'] },
];

const open = (policy: Record<string, unknown> = {}, env: Record<string, string> = {}): Promise<void> =>
  openDoor({ SEMANTIC_CACHE: 'off', ...env }, { policy }).then(async (opened) => {
    door = opened;
    await door.serve(billing);
  });
const hearing = async (uris: string[], headers: Record<string, string> = {}, at = door): Promise<Listening> => {
  const stream = await listen(at.url, { resourceSubscriptions: uris }, `sub-${streams.length}`, headers);
  streams.push(stream);
  return stream;
};
const call = (name: string, headers: Record<string, string> = {}, args: Record<string, unknown> = {}, at = door) =>
  at.rpc('tools/call', { name, arguments: args }, { headers });

afterEach(async () => {
  for (const stream of streams.splice(0)) stream.close();
  await door.close();
});

describe('[SS-5] whose subscription matches', () => {
  beforeEach(() => open().then(() => ready(door)));

  it('is the exact URI, a wider pattern, and a tool that the stale pattern names; each is told the stale pattern itself', async () => {
    const hear = [
      [GET],
      ['portico://stale/billing.*'],
      ['portico://stale/**'],
      ['portico://stale/billing.get_invoice'],
    ];
    const deaf = [
      ['portico://stale/billing.pay'],
      ['portico://stale/billing'],
      ['portico://stale/files.*'],
      ['portico://stale/billing.got'],
      ['portico://manifest.json'],
      ['billing.get_*'],
    ];
    const [heard, unheard] = [
      await Promise.all(hear.map((uris) => hearing(uris))),
      await Promise.all(deaf.map((uris) => hearing(uris))),
    ];
    await call('billing.pay');
    await until(() => heard.every((stream) => told(stream).length > 0));
    await pause(100);
    expect(heard.map(told)).toEqual(hear.map(() => [GET]));
    expect(unheard.map(told)).toEqual(deaf.map(() => []));
  });

  it('is told each stale pattern that it matches, once, with the id of the subscription', async () => {
    const stream = await hearing([GET, INVOICES, 'portico://stale/billing.*']);
    await call('billing.refund');
    await until(() => told(stream).length >= 2);
    await pause(100);
    expect(told(stream).sort()).toEqual([GET, INVOICES]);
    expect(stream.messages[1].params._meta).toEqual({ 'io.modelcontextprotocol/subscriptionId': 'sub-0' });
  });

  it('is the same however its URI is escaped', async () => {
    const stream = await hearing(['portico://stale/billing.get_%2A']);
    await call('billing.pay');
    await until(() => told(stream).length === 1);
    expect(told(stream)).toEqual([GET]);
  });

  it('hears nothing of a call that failed, nor of one that makes nothing stale', async () => {
    const stream = await hearing(['portico://stale/*']);
    await call('billing.refund', {}, { as: 'error' });
    await call('billing.refund', {}, { as: 'thrown' });
    await call('billing.note');
    await call('billing.get_invoice');
    await pause(150);
    expect(told(stream)).toEqual([]);
  });

  it('hears it from the gateway alone: a source can not say it of itself', async () => {
    const stream = await hearing([GET, 'PORTICO://stale/x.y']);
    for (const uri of [GET, 'PORTICO://stale/x.y']) door.bus.tell(resourceUpdated, { source: 'domain.billing', uri });
    await pause(100);
    expect(told(stream)).toEqual([]);
  });
});

describe('[SS-5] who hears', () => {
  beforeEach(() => open({ access: ACCESS }, people.env).then(() => ready(door, 'billing', people.as('ann@red'))));

  it('are those of the tenant who may see the domain, by the policy in force', async () => {
    const uris = ['portico://stale/**'];
    const [ann, bob, cat, dan] = [
      await hearing(uris, people.as('ann@red')),
      await hearing(uris, people.as('bob@red')),
      await hearing(uris, people.as('cat@blue')),
      // May use a tool of the domain, if none that the pattern names.
      await hearing(uris, people.as('dan@red')),
    ];
    await call('billing.pay', people.as('ann@red'));
    await until(() => told(ann).length === 1 && told(dan).length === 1);
    await pause(100);
    expect([told(bob), told(cat)]).toEqual([[], []]);
    await call('billing.pay', people.as('cat@blue'));
    await until(() => told(cat).length === 1);
    await pause(100);
    expect([ann, bob, cat, dan].map((stream) => told(stream).length)).toEqual([1, 0, 1, 1]);

    writeFileSync(
      join(door.home, 'policy.yaml'),
      JSON.stringify({ access: [{ subjects: ['ann'], deny: ['billing.*'] }] }),
    );
    await until(async () => (await call('billing.list', people.as('ann@red'))).text.includes('PERMISSION_DENIED'));
    door.bus.tell(wentStale, { tenant: 'red', patterns: ['billing.get_*'] });
    await until(() => told(bob).length === 1);
    expect(told(ann)).toHaveLength(1);
  });

  it('hears of a domain that this front door has never listed', async () => {
    const fresh = await openDoor(
      { SEMANTIC_CACHE: 'off', ...people.env },
      { bus: door.bus, discovery: false, policy: { access: ACCESS } },
    );
    const stream = await hearing(['portico://stale/**'], people.as('ann@red'), fresh);
    await call('billing.pay', people.as('ann@red'));
    await until(() => told(stream).length === 1);
    stream.close();
    await fresh.close();
  });
});

describe('[SS-5] a resource of a source', () => {
  it('is told of to those who may read it', async () => {
    const { defineResource } = await import('@portico/domain-kit');
    await open({ access: [{ subjects: ['bob'], deny: ['notes.*'] }] }, people.env);
    const notes = await door.serve({
      name: 'notes',
      description: 'Notes.',
      version: '1',
      tools: [],
      resources: [
        defineResource({
          template: 'note://1',
          name: 'note',
          description: 'A note.',
          subscribable: true,
          read: async () => ({ text: 'x' }),
        }),
      ],
    });
    await until(async () =>
      (await door.rpc('resources/list', {}, { headers: people.as('ann@red') })).text.includes('note://1'),
    );
    const [ann, bob] = [
      await hearing(['note://1'], people.as('ann@red')),
      await hearing(['note://1'], people.as('bob@red')),
    ];
    notes.resourceUpdated('note://1');
    await until(() => told(ann).length === 1);
    await pause(50);
    expect(told(bob)).toEqual([]);
  });
});

describe('[SS-5][SS-6] however much there is of it', () => {
  it('no call waits: patterns that go stale again and again are told together, in slices between calls', async () => {
    await open();
    await ready(door);
    const many = await Promise.all(Array.from({ length: 500 }, () => hearing(['portico://stale/billing.*'])));
    const worst = async (): Promise<number> => {
      let most = 0;
      for (let turn = 0; turn < 100; turn += 1) {
        const startedAt = performance.now();
        await call('billing.list');
        most = Math.max(most, performance.now() - startedAt);
      }
      return most;
    };
    await worst();
    const alone = await worst();
    let flooding = true;
    const flood = (async () => {
      for (let n = 0; flooding; n += 1) {
        door.bus.tell(wentStale, { tenant: 'default', patterns: [`billing.a${n % 4}`, 'billing.get_*'] });
        await pause(1);
      }
    })();
    const among = await worst();
    flooding = false;
    await flood;
    expect(among).toBeLessThan(Math.max(alone, 20) * 10);
    await until(() => many.every((stream) => told(stream).length > 0));
  }, 60_000);

  it('a subscriber that does not read costs those who do nothing', async () => {
    await open();
    await ready(door);
    const { port } = new URL(door.url);
    const { body, headers } = requestOf('subscriptions/listen', {
      notifications: { resourceSubscriptions: ['portico://stale/**'] },
    });
    const text = JSON.stringify(body);
    const lines = Object.entries({
      Host: `127.0.0.1:${port}`,
      'Content-Type': 'application/json',
      'Content-Length': text.length,
      ...headers,
    });
    const stuck = connect(Number(port), '127.0.0.1');
    stuck.on('error', () => undefined);
    stuck.pause();
    stuck.write(`POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`);
    const reader = await hearing(['portico://stale/**']);
    const long = 'x'.repeat(240);
    // Some 25 MB for each of the two.
    for (let round = 0; round < 60; round += 1) {
      for (let n = 0; n < 20; n += 1)
        door.bus.tell(wentStale, {
          tenant: 'default',
          patterns: Array.from({ length: 50 }, (_, index) => `d${round}.${n}-${index}${long}`.slice(0, 256)),
        });
      await pause(40);
    }
    await until(() => told(reader).length > 1_000, 20_000);
    const heard = told(reader).length;
    await call('billing.pay');
    await until(() => told(reader).length > heard && told(reader).includes(GET));
    stuck.destroy();
  }, 60_000);

  it('what nobody could hold is refused or not honoured: open streams of one principal, URIs of one stream', async () => {
    await open({}, { ...people.env });
    const [ann, bob] = [people.as('ann@red'), people.as('bob@red')];
    for (let n = 0; n < 1_000; n += 100)
      await Promise.all(Array.from({ length: 100 }, () => hearing([`portico://stale/a.b`], ann)));
    const refused = await door.rpc(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      { headers: ann },
    );
    expect([refused.status, refused.message.error.data.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers.get('retry-after')).toBe('5');
    const other = await hearing(
      Array.from({ length: 5_000 }, (_, n) => `portico://stale/billing.t${n}`),
      bob,
    );
    expect(other.messages[0].params.notifications.resourceSubscriptions).toHaveLength(256);
    const wide = await hearing(
      Array.from({ length: 100 }, (_, n) => `test://${n}/${'x'.repeat(1_000)}`),
      bob,
    );
    expect(wide.messages[0].params.notifications.resourceSubscriptions).toHaveLength(32);
    // A place is free again as soon as its stream has ended.
    streams[0]?.close();
    await until(async () => {
      const again = await listen(door.url, { toolsListChanged: true }, 'again', ann);
      streams.push(again);
      return again.messages[0]?.method === 'notifications/subscriptions/acknowledged';
    });
  }, 60_000);
});

describeIfAvailable('nats-server', '[SS-5] two front doors on one NATS', () => {
  it('tell their own subscribers what a call at the other made stale, soon after its answer', async () => {
    const nats = await startNatsWithUsers();
    const [one, two, back] = await Promise.all(
      ['front-door', 'front-door', 'adapter'].map((name) => connectBus({ url: nats.urlOfAnybody, name })),
    );
    const served = await serveDomain(back!, billing, { instance: 'b' });
    door = await openDoor({ SEMANTIC_CACHE: 'off', ...people.env }, { bus: one!, policy: { access: ACCESS } });
    const other = await openDoor(
      { SEMANTIC_CACHE: 'off', ...people.env },
      { bus: two!, discovery: false, policy: { access: ACCESS } },
    );
    await ready(door, 'billing', people.as('ann@red'));
    await ready(other, 'billing', people.as('ann@red'));
    const there = await hearing(['portico://stale/billing.*'], people.as('ann@red'), other);
    const stranger = await hearing(['portico://stale/billing.*'], people.as('cat@blue'), other);
    const here = await hearing(['portico://stale/billing.*'], people.as('ann@red'));
    const times: number[] = [];
    for (let turn = 1; turn <= 10; turn += 1) {
      await call('billing.pay', people.as('ann@red'));
      const answeredAt = performance.now();
      await until(() => told(there).length === turn && told(here).length === turn);
      times.push(performance.now() - answeredAt);
    }
    expect(Math.max(...times)).toBeLessThan(1_000);
    expect(told(stranger)).toEqual([]);
    expect([told(here), told(there)]).toEqual([Array(10).fill(GET), Array(10).fill(GET)]);
    for (const stream of streams.splice(0)) stream.close();
    await other.close();
    await served.close();
    await Promise.all([two!.close(), back!.close()]);
    await door.close();
    await one!.close();
    await nats.stop();
    door = await openDoor();
  }, 60_000);
});
