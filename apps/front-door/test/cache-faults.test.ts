import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { connectBus, memoryBus } from '@portico/bus';
import { Envelope, Fault, lookUpAnswer } from '@portico/contracts';
import { type Domain, defineTool } from '@portico/domain-kit';
import { type PostgresServer, describeIfAvailable, startNatsWithUsers, startPostgresServer } from '@portico/testkit';
import pg from 'pg';
import { z } from 'zod';
import { type OpenDoor, openDoor } from './open-door.js';

const BUDGET_MS = 50;
/** Ten times what a call may take: the budget, and what a busy machine adds. */
const CEILING_MS = 500;
const CACHE = join(import.meta.dirname, '../../semantic-cache/dist/main.js');
let ran = 0;
const read = (name: string, cache: Record<string, unknown>) =>
  defineTool({
    name,
    description: `The ${name} tool.`,
    input: z.looseObject({ q: z.string().optional() }),
    effect: 'read',
    cache,
    handle: async ({ q }) => ({ q, ran: (ran += 1) }) as never,
  });
const domain: Domain = {
  name: 'lab',
  description: 'For tests of a cache that fails.',
  version: '1.0.0',
  tools: [
    read('get', {}),
    read('search', { freeText: ['q'] }),
    defineTool({
      name: 'set',
      description: 'Writes.',
      input: z.looseObject({}),
      effect: 'write',
      invalidates: ['lab.get'],
      handle: async () => ({}) as never,
    }),
  ],
};
const pause = (ms = 30) => new Promise((resolve) => setTimeout(resolve, ms));
const calling =
  (door: OpenDoor) =>
  async (name: string, args: Record<string, unknown> = {}) => {
    const began = performance.now();
    const { result } = (await door.rpc('tools/call', { name: `lab.${name}`, arguments: args })).message;
    const { error, meta } = Envelope.parse(result._meta['portico/envelope']);
    return { error, from: meta.served_from, ageMs: meta.age_ms, ms: performance.now() - began };
  };
const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + 40_000; !(await isSo()); await pause())
    if (performance.now() > end) throw new Error('It did not come to be.');
};

describeIfAvailable('pgvector', '[SC-12] a cache whose parts fail', () => {
  let postgres: PostgresServer;
  let door: OpenDoor;
  let call: ReturnType<typeof calling>;
  let id = 0;
  beforeAll(async () => {
    postgres = await startPostgresServer({ vectors: true });
  }, 60_000);
  beforeEach(async () => {
    await open();
  }, 60_000);
  let clock: { mockRestore(): void } | undefined;
  afterEach(async () => {
    clock?.mockRestore();
    await door.close();
  });
  afterAll(() => postgres.stop());
  const open = async (env: Record<string, string> = {}): Promise<void> => {
    door = await openDoor({ DATABASE_URL: postgres.url, CACHE_BUDGET_MS: `${BUDGET_MS}`, ...env }, { cache: true });
    call = calling(door);
    await door.serve(domain);
    await door.rpc('tools/list');
    id += 1;
    await until(async () => (await call('get', { id })).from === 'exact');
  };
  /** None of them fails, waits beyond the budget, or is answered by the cache. */
  const goesOn = async (calls: number): Promise<number[]> => {
    const times: number[] = [];
    for (let n = 0; n < calls; n += 1) {
      for (const name of ['get', 'search', 'set']) {
        const { error, from, ms } = await call(name, { id, q: `question ${n}` });
        expect([name, error, from]).toEqual([name, null, 'backend']);
        times.push(ms);
      }
    }
    expect(Math.max(...times)).toBeLessThan(CEILING_MS);
    return times;
  };

  it('its store slow by 5 s: no call fails or waits for it, and it is asked again afterwards', async () => {
    postgres.freeze();
    const thawed = pause(5_000).then(() => postgres.thaw());
    try {
      await goesOn(8);
    } finally {
      await thawed;
    }
    await until(async () => (await call('get', { id })).from === 'exact');
  }, 60_000);

  it('its store down', async () => {
    await postgres.kill();
    try {
      await goesOn(8);
    } finally {
      await postgres.restart();
    }
    await until(async () => (await call('get', { id })).from === 'exact');
  }, 60_000);

  it('its store full: what is kept still answers, the rest runs', async () => {
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    await admin.query(
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'could not extend file'; END $$;
       CREATE TRIGGER full_disk BEFORE INSERT ON semantic_cache EXECUTE FUNCTION full_disk()`,
    );
    try {
      for (let n = 0; n < 10; n += 1) {
        const { error, from, ms } = await call('get', { id: `full ${id} ${n % 2}` });
        expect([error, from]).toEqual([null, 'backend']);
        expect(ms).toBeLessThan(CEILING_MS);
      }
      expect((await call('get', { id })).from).toBe('exact');
    } finally {
      await admin.query('DROP TRIGGER full_disk ON semantic_cache; DROP FUNCTION full_disk');
      await admin.end();
    }
    await until(async () => (await call('get', { id: `full ${id} 0` })).from === 'exact');
  }, 60_000);

  it('its embedder broken: equal questions are answered, the others run', async () => {
    await door.close();
    await open({ EMBEDDING_MODEL_DIR: import.meta.dirname });
    await until(async () => (await call('search', { id, q: 'one' })).from === 'exact');
    for (let n = 0; n < 10; n += 1) {
      const { error, from, ms } = await call('search', { id, q: `number ${n}` });
      expect([error, from]).toEqual([null, 'backend']);
      expect(ms).toBeLessThan(CEILING_MS);
    }
    expect((await call('search', { id, q: 'one' })).from).toBe('exact');
    expect(door.lines.filter((line) => line.includes('cache.no-embedder'))).toHaveLength(1);
    expect(door.lines.join()).not.toContain(import.meta.dirname);
  }, 60_000);

  it.each([24, -24])(
    '[SC-8] the clock stepped by %s hours: the store’s own decides what lives',
    async (hours) => {
      const real = Date.now.bind(Date);
      clock = jest.spyOn(Date, 'now').mockImplementation(() => real() + hours * 3_600_000);
      const before = await call('get', { id });
      expect(before).toMatchObject({ error: null, from: 'exact' });
      expect(before.ageMs).toBeGreaterThanOrEqual(0);
      expect(before.ageMs).toBeLessThan(3_600_000);
      await until(async () => (await call('get', { id: `stepped ${id}` })).from === 'exact');
      expect(await call('set')).toMatchObject({ error: null });
      expect((await call('get', { id })).from).toBe('backend');
    },
    60_000,
  );

  it('killed in the middle of calls', async () => {
    const nats = await startNatsWithUsers();
    const bus = await connectBus({ url: nats.urlOfAnybody, name: 'front-door' });
    const behind = await openDoor({ CACHE_BUDGET_MS: `${BUDGET_MS}` }, { bus });
    const env = {
      ...{ PATH: process.env['PATH'], DATABASE_URL: postgres.url, LOG_LEVEL: 'error' },
      BUS_URL: nats.urlOf('semantic-cache'),
    };
    let service: ChildProcess | undefined;
    try {
      await behind.serve(domain);
      await behind.rpc('tools/list');
      const ask = calling(behind);
      const start = () => (service = spawn(process.execPath, [CACHE], { env, stdio: 'ignore' }));
      start();
      await until(async () => (await ask('get', { id: 'killed' })).from === 'exact');
      // It holds their questions when it dies: its store does not answer it.
      postgres.freeze();
      const asked = Array.from({ length: 20 }, (_, n) => ask('get', { id: `mid ${n}` }));
      await pause(10);
      service!.kill('SIGKILL');
      const answers = await Promise.all(asked);
      postgres.thaw();
      for (const { error, from, ms } of answers) {
        expect([error, from]).toEqual([null, 'backend']);
        expect(ms).toBeLessThan(CEILING_MS * 2);
      }
      for (let n = 0; n < 20; n += 1) expect(await ask('get', { id: 'killed' })).toMatchObject({ error: null });
      start();
      await until(async () => (await ask('get', { id: 'killed' })).from === 'exact');
      expect(nats.refused()).toEqual([]);
    } finally {
      postgres.thaw();
      service?.kill('SIGKILL');
      await behind.close();
      await bus.close();
      await nats.stop();
    }
  }, 90_000);
});

it('[SC-12] a dead cache is soon asked no more, now and then once, and again when it lives', async () => {
  const bus = memoryBus();
  let [asked, dead] = [0, true];
  await bus.serve(lookUpAnswer, async () => {
    asked += 1;
    if (dead) throw new Fault('BACKEND_UNAVAILABLE', 'It is dead.', { executed: 'no' });
    return { kind: 'miss' as const, epoch: 0 };
  });
  const door = await openDoor({}, { bus });
  const call = calling(door);
  try {
    await door.serve(domain);
    await door.rpc('tools/list');
    for (let n = 0; n < 100; n += 1) expect(await call('get', { id: n })).toMatchObject({ error: null });
    expect(asked).toBeGreaterThanOrEqual(5);
    expect(asked).toBeLessThanOrEqual(10);
    dead = false;
    const before = asked;
    await until(async () => {
      await call('get', { id: 'again' });
      return asked >= before + 10;
    });
  } finally {
    await door.close();
    await bus.close();
  }
}, 60_000);
