import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLog } from '@portico/observe';
import { type RedisScripts, openRedis } from '@portico/storage';
import { type RedisServer, type RedisServerOptions, describeIfAvailable, startRedisServer } from '@portico/testkit';
import type { Admission, Ticket } from '../src/limits/admission.js';
import type { Refusal } from '../src/http-guards.js';
import type { Limits } from '../src/limits/limit-settings.js';
import { openAdmission } from '../src/limits/open-admission.js';

const caller = (subject: string, tenant = 'default') => ({ tenant, subject, scopes: ['portico:call'] });
const [ada, bo] = [caller('ada'), caller('bo')];
const isTicket = (answer: Ticket | Refusal): answer is Ticket => 'release' in answer;

interface Given {
  readonly perSecond?: number;
  readonly burst?: number;
  readonly each?: number;
  readonly total?: number;
}
const limitsOf = ({ perSecond = 0, burst = 100, each = 0, total = 0 }: Given): Limits => ({
  rate: { perSecond, burst },
  concurrency: { each, total },
  domain: { concurrency: 64, halved: true },
  breaker: { failures: 5, resetMs: 30_000 },
});

let lines: string[];
let doors: Admission[];
beforeEach(() => {
  lines = [];
  doors = [];
});
afterEach(async () => {
  for (const door of doors) await door.close();
});
const eventsNamed = (event: string): number => lines.filter((line) => line.includes(`"${event}"`)).length;
const doorWith = (given: Given, redis?: RedisScripts): Admission => {
  const log = createLog({ name: 'test', format: 'json', write: (line) => void lines.push(line) });
  const door = openAdmission({ limits: limitsOf(given), redis, log });
  doors.push(door);
  return door;
};
const admitted = async (door: Admission, principal = ada): Promise<Ticket> => {
  const answer = await door.admit(principal);
  if (!isTicket(answer)) throw new Error(`refused: ${JSON.stringify(answer)}`);
  return answer;
};
const refused = async (door: Admission, principal = ada): Promise<Refusal> => {
  const answer = await door.admit(principal);
  if (isTicket(answer)) throw new Error('let in');
  return answer;
};
/** How many of so many, asked at once of one door after another, get in; each gives its place back unless it is kept. */
const letIn = async (some: readonly Admission[], tries: number, principal = ada, keep?: Ticket[]): Promise<number> => {
  const asked = Array.from({ length: tries }, (_, n) => some[n % some.length]!.admit(principal));
  const tickets = (await Promise.all(asked.map(async (answer) => answer))).filter(isTicket);
  if (keep === undefined) for (const ticket of tickets) ticket.release();
  else keep.push(...tickets);
  return tickets.length;
};

describe('[FD-5] admission to one front door', () => {
  it('lets a burst through, then refuses with 429, RATE_LIMITED and a time, and lets others be', async () => {
    const door = doorWith({ perSecond: 1, burst: 10 });
    expect(await letIn([door], 25)).toBe(10);
    const refusal = await refused(door);
    expect(refusal).toMatchObject({ status: 429, code: -32000, faultCode: 'RATE_LIMITED' });
    expect(refusal.retryAfterMs).toBeGreaterThan(0);
    expect(refusal.retryAfterMs).toBeLessThanOrEqual(1_000);
    expect(await letIn([door], 25, bo)).toBe(10);
  });

  it('lets one through again when it said so', async () => {
    const door = doorWith({ perSecond: 5, burst: 1 });
    await admitted(door);
    const { retryAfterMs } = await refused(door);
    await delay(retryAfterMs! + 20);
    await admitted(door);
  });

  it('tells principals apart by tenant and subject, whatever is in them', async () => {
    const door = doorWith({ perSecond: 1, burst: 1 });
    for (const one of [caller('b:c', 'a'), caller('c', 'a:b'), caller('', 'a:b:c'), caller('ada'), caller('ada', 'x')])
      await admitted(door, one);
    await refused(door, { ...caller('ada'), scopes: ['other'] });
  });

  it('lets so many of one principal run at once: beyond 429, and none of the others pays', async () => {
    const door = doorWith({ each: 128, perSecond: 1, burst: 200 });
    const held: Ticket[] = [];
    expect(await letIn([door], 150, ada, held)).toBe(128);
    expect(await refused(door)).toMatchObject({ status: 429, faultCode: 'RATE_LIMITED', retryAfterMs: 1_000 });
    await admitted(door, bo);
    held[0]!.release();
    held[0]!.release();
    await admitted(door);
    await refused(door);
    // What was refused for its number took nothing of the rate: 129 of 200 are used.
    for (const ticket of held) ticket.release();
    expect(await letIn([door], 100)).toBe(71);
  });

  it('lets so many of all run at once: beyond 503 and BACKEND_UNAVAILABLE', async () => {
    const door = doorWith({ each: 3, total: 4 });
    const held = [await admitted(door), await admitted(door), await admitted(door), await admitted(door, bo)];
    expect(await refused(door, bo)).toMatchObject({
      status: 503,
      code: -32000,
      faultCode: 'BACKEND_UNAVAILABLE',
      retryAfterMs: 1_000,
    });
    expect(await refused(door)).toMatchObject({ status: 429 });
    held[0]!.release();
    await admitted(door, bo);
  });

  it('answers at once with nothing but the cap of all, and costs next to nothing', () => {
    const door = doorWith({ total: 1_024 });
    const held = Array.from({ length: 1_024 }, () => door.admit(ada) as Ticket);
    expect(held.every(isTicket)).toBe(true);
    expect(door.admit(ada)).toMatchObject({ status: 503 });
    for (const ticket of held) ticket.release();
    const began = performance.now();
    for (let n = 0; n < 100_000; n += 1) (door.admit(ada) as Ticket).release();
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describeIfAvailable('redis-server', 'admission to front doors on one Redis', () => {
  let server: RedisServer;
  const links: RedisScripts[] = [];
  const link = async (): Promise<RedisScripts> => {
    const redis = await openRedis(server.url, { log: { info: () => {}, warn: () => {}, error: () => {} } });
    links.push(redis);
    return redis;
  };
  const start = async (given: Given, options: RedisServerOptions = {}): Promise<readonly [Admission, Admission]> => {
    server = await startRedisServer(options);
    return [doorWith(given, await link()), doorWith(given, await link())];
  };
  const until = async (holds: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<number> => {
    const began = performance.now();
    while (!(await holds())) {
      if (performance.now() - began > limitMs) throw new Error('It does not come.');
      await delay(20);
    }
    return performance.now() - began;
  };
  afterEach(async () => {
    for (const door of doors.splice(0)) await door.close();
    for (const one of links.splice(0)) await one.close();
    await server.stop();
  });

  it('[FD-5] holds the rate over both within 10 %', async () => {
    const pair = await start({ perSecond: 100, burst: 50 });
    const began = performance.now();
    let [count, tries] = [0, 0];
    const offer = async (): Promise<void> => {
      while (performance.now() - began < 3_000) {
        const due = Math.floor(((performance.now() - began) * 300) / 1_000) - tries;
        tries += due;
        count += await letIn(pair, due);
        await delay(5);
      }
    };
    await offer();
    const may = 50 + (performance.now() - began) / 10;
    expect(tries).toBeGreaterThan(800);
    expect(count).toBeGreaterThan(may * 0.9);
    expect(count).toBeLessThan(may * 1.1);
  });

  it('[FD-5] lets a burst through once, not once at each', async () => {
    const pair = await start({ perSecond: 1, burst: 20 });
    expect(await letIn(pair, 100)).toBeLessThanOrEqual(21);
    expect(await refused(pair[0])).toMatchObject({ status: 429, faultCode: 'RATE_LIMITED' });
    expect(await letIn(pair, 100, bo)).toBeGreaterThanOrEqual(20);
  });

  it('[FD-5] counts what one principal and what all run over both, and places come back', async () => {
    const [a, b] = await start({ each: 10, total: 16 });
    const held: Ticket[] = [];
    expect(await letIn([a, b], 40, ada, held)).toBe(10);
    expect(await refused(a)).toMatchObject({ status: 429 });
    expect(await refused(b)).toMatchObject({ status: 429 });
    expect(await letIn([a, b], 40, bo, held)).toBe(6);
    expect(await refused(a, bo)).toMatchObject({ status: 503, faultCode: 'BACKEND_UNAVAILABLE' });
    expect(await refused(b, bo)).toMatchObject({ status: 503 });
    for (const ticket of held) ticket.release();
    await until(async () => (await letIn([b], 10)) === 10);
    await until(async () => (await letIn([a], 10)) === 10);
  });

  it('[FD-5] counts right after thousands that came and went, some of them refused', async () => {
    const [a, b] = await start({ each: 8, total: 12 });
    const busy = async (door: Admission, principal: typeof ada): Promise<void> => {
      for (let n = 0; n < 500; n += 1) {
        const answer = await door.admit(principal);
        if (!isTicket(answer)) continue;
        if (n % 3 === 0) await delay(1);
        answer.release();
      }
    };
    await Promise.all([a, b].flatMap((door) => [ada, ada, ada, ada, ada, bo, bo].map((one) => busy(door, one))));
    await delay(100);
    const held: Ticket[] = [];
    expect(await letIn([a, b], 30, ada, held)).toBe(8);
    expect(await letIn([b, a], 30, bo, held)).toBe(4);
  });

  it('[FD-5] holds the cap of all, as of a second ago, where nothing else is limited, and waits for nobody', async () => {
    const [a, b] = await start({ total: 4 });
    const held = Array.from({ length: 4 }, () => a.admit(ada));
    expect(held.every((answer) => !(answer instanceof Promise) && isTicket(answer))).toBe(true);
    await until(() => {
      const answer = b.admit(ada);
      if (answer instanceof Promise) throw new Error('It waits.');
      if (!isTicket(answer)) return answer.status === 503;
      answer.release();
      return false;
    });
  });

  it('[FD-5] believes a front door that lives for as long as it lives, and one that was killed for 15 s', async () => {
    server = await startRedisServer();
    const [living, killed, link3] = [await link(), await link(), await link()];
    const [a, b, c] = [doorWith({ each: 4 }, living), doorWith({ each: 4 }, killed), doorWith({ each: 4 }, link3)];
    const held: Ticket[] = [];
    expect(await letIn([a], 2, ada, held)).toBe(2);
    expect(await letIn([b], 2, ada, held)).toBe(2);
    await refused(c);
    // It says nothing more, and nothing of its end.
    await killed.close();
    const ms = await until(async () => (await letIn([c], 4)) > 0, 20_000);
    expect(ms).toBeGreaterThan(2_000);
    expect(ms).toBeLessThan(15_000);
    await delay(6_000);
    expect(await letIn([c], 4)).toBe(2);
  }, 60_000);

  it('[FD-5] has the places of a front door that closes at once', async () => {
    const [a, b] = await start({ each: 2 });
    const held: Ticket[] = [];
    await letIn([a], 2, ada, held);
    await refused(b);
    for (const ticket of held) ticket.release();
    await a.close();
    expect(await letIn([b], 2)).toBe(2);
  });

  it('[FD-5] goes on alone when Redis is killed, refuses nobody for it, says so once, and is together again after', async () => {
    const pair = await start({ perSecond: 1_000, burst: 1_000, each: 128, total: 1_024 });
    let [longest, count, stopped] = [0, 0, false];
    const asking = (async () => {
      while (!stopped) {
        const began = performance.now();
        for (const door of pair) (await admitted(door)).release();
        longest = Math.max(longest, performance.now() - began);
        count += 2;
        await delay(5);
      }
    })();
    await delay(300);
    await server.kill();
    await until(() => eventsNamed('limits.alone') === 2);
    const before = count;
    await until(() => count > before + 50);
    await server.restart();
    await until(() => eventsNamed('limits.shared') === 2);
    stopped = true;
    await asking;
    expect(longest).toBeLessThan(1_000);
    expect(eventsNamed('limits.alone')).toBe(2);
    // Together again: what one of them runs counts at the other.
    await delay(200);
    const held: Ticket[] = [];
    expect(await letIn([pair[0]], 128, ada, held)).toBe(128);
    await refused(pair[1]);
  });

  it('[FD-5] limits what it sees while it is alone, with no new burst', async () => {
    const pair = await start({ perSecond: 1, burst: 10, each: 2 });
    expect(await letIn([pair[0]], 2)).toBe(2);
    for (let n = 0; n < 8; n += 1) (await admitted(pair[0])).release();
    await server.kill();
    await until(() => eventsNamed('limits.alone') === 2);
    await delay(100);
    // A second or three of tokens have come meanwhile, no bucketful.
    let more = 0;
    while (isTicket(await pair[0].admit(ada))) more += 1;
    expect(more).toBeLessThan(6);
  });

  it('[FD-5] waits at most a moment for a Redis that is silent, and then for none of the next', async () => {
    const [a] = await start({ perSecond: 100, burst: 100 });
    (await admitted(a)).release();
    server.freeze();
    const began = performance.now();
    const first = a.admit(ada);
    expect(isTicket(await first)).toBe(true);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(first).toBeInstanceOf(Promise);
    for (let n = 0; n < 50; n += 1) expect(a.admit(ada)).not.toBeInstanceOf(Promise);
    server.thaw();
    await until(() => a.admit(ada) instanceof Promise);
  });

  it('[FD-5] decides alone for a Redis that is full', async () => {
    const [a] = await start({ perSecond: 1, burst: 5 }, { settings: [['maxmemory', '1mb']] });
    expect(await letIn([a], 10)).toBe(5);
    expect(eventsNamed('limits.alone')).toBeGreaterThan(0);
  });

  it('[FD-5] leaves in Redis no name of anybody, and nothing for good', async () => {
    const [a] = await start({ perSecond: 50, burst: 100, each: 5, total: 5 });
    const held: Ticket[] = [];
    await letIn([a], 2, caller('ada.lovelace', 'acme'), held);
    const keys = (await links[0]!.run(
      {
        name: 'keys',
        lua: `local all = {} for _, key in ipairs(redis.call('keys', '*')) do all[#all + 1] = { key, redis.call('pttl', key) } end return all`,
      },
      [],
      [],
      'read',
    )) as [string, number][];
    expect(keys.map(([key]) => key).filter((key) => !key.startsWith('portico:limits:'))).toEqual([]);
    expect(keys.length).toBe(3);
    expect(JSON.stringify(keys)).not.toMatch(/ada|acme/);
    for (const [, ttl] of keys) expect(ttl).toBeGreaterThan(0);
  });

  it('[FD-5] gives each of 50 principals at three times its rate over both its share within 10 %, others all they ask', async () => {
    const [perSecond, burst, seconds] = [5, 10, 10];
    const pair = await start({ perSecond, burst, each: 128, total: 1_024 });
    const greedy = Array.from({ length: 50 }, (_, n) => ({ one: caller(`greedy-${n}`), rate: 15, tries: 0, got: 0 }));
    const modest = Array.from({ length: 10 }, (_, n) => ({ one: caller(`modest-${n}`), rate: 3, tries: 0, got: 0 }));
    const began = performance.now();
    const step = async (each: (typeof greedy)[number]): Promise<void> => {
      const due = Math.floor(((performance.now() - began) * each.rate) / 1_000) - each.tries;
      for (let n = 0; n < due; n += 1) {
        const answer = await pair[each.tries++ % 2]!.admit(each.one);
        if (!isTicket(answer)) continue;
        each.got += 1;
        answer.release();
      }
    };
    while (performance.now() - began < seconds * 1_000) {
      await Promise.all([...greedy, ...modest].map(step));
      await delay(10);
    }
    const share = burst + (perSecond * (performance.now() - began)) / 1_000;
    for (const { got } of greedy) {
      expect(got).toBeGreaterThan(share * 0.9);
      expect(got).toBeLessThan(share * 1.1);
    }
    for (const { got, tries } of modest) expect(got).toBe(tries);
  });
});
