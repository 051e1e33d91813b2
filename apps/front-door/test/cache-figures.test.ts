import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { type Bus, memoryBus } from '@portico/bus';
import { Envelope } from '@portico/contracts';
import { type Domain, defineTool } from '@portico/domain-kit';
import { readConfig } from '@portico/front-door';
import { type PostgresServer, describeIfAvailable, startPostgresServer } from '@portico/testkit';
import pg from 'pg';
import { z } from 'zod';
import { hashOfApiKey, newApiKey } from '../src/auth/api-key.js';
import { keyFileText } from '../src/auth/key-file.js';
import { type OpenDoor, openDoor } from './open-door.js';

const ran: { tool: string; q: string | undefined }[] = [];
const read = (name: string, cache: Record<string, unknown>, answer: (q?: string) => unknown) =>
  defineTool({
    name,
    description: `The ${name} tool.`,
    input: z.looseObject({ q: z.string().optional() }),
    effect: 'read',
    cache,
    handle: async ({ q }) => {
      ran.push({ tool: name, q });
      return answer(q) as never;
    },
  });
/** Whatever is asked answers whatever else is asked: what must not be, and is checked. */
const ANYTHING = { freeText: ['q'], verify: 'cosine', guards: 'off', threshold: 0, candidates: 0 };
let clock = 0;
const domain: Domain = {
  name: 'lab',
  description: 'For tests of what the cache counts.',
  version: '1.0.0',
  tools: [
    read('get', {}, () => ({ said: 'x' })),
    read('brief', { ttlSeconds: 7 }, () => ({ said: 'x' })),
    read('never', { ttlSeconds: 0 }, () => ({ said: 'x' })),
    read('secret', { store: false, freeText: ['q'] }, (q) => ({ q })),
    read('search', { freeText: ['q'] }, (q) => ({ q })),
    read('loose', ANYTHING, (q) => ({ q })),
    read('alike', { ...ANYTHING, volatile: ['$.at'] }, () => ({ said: 'x', at: (clock += 1) })),
  ],
};
const people = ['red', 'blue'].map((tenant) => {
  const { id, key } = newApiKey();
  const hash = hashOfApiKey(key).toString('hex');
  const entry = { id, hash, tenant, subject: 'ann', scopes: ['portico:call'], createdAt: new Date().toISOString() };
  return { entry, headers: { Authorization: `Bearer ${key}` } };
});
const [red, blue] = people as [(typeof people)[number], (typeof people)[number]];
const pause = (ms = 30) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + 15_000; !(await isSo()); await pause())
    if (performance.now() > end) throw new Error('It did not come to be.');
};

it('[SC-8][SC-12][SC-17] has its numbers from the settings: 300 s, 0.95, 50 ms and one in a hundred unless they say else', () => {
  expect(readConfig({}).cache).toEqual({ on: true, ttlSeconds: 300, threshold: 0.95, budgetMs: 50, shadowShare: 0.01 });
  const none = { SEMANTIC_CACHE_TTL_SECS: '0', SEMANTIC_THRESHOLD: '0', CACHE_SHADOW_SHARE: '0' };
  expect(readConfig(none).cache).toMatchObject({ ttlSeconds: 0, threshold: 0, shadowShare: 0 });
});

describeIfAvailable('pgvector', 'what the cache keeps, counts and checks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-figures-'));
  let postgres: PostgresServer;
  let bus: Bus;
  let door: OpenDoor;
  /** Another one, with other settings. */
  let other: OpenDoor;
  let openOther: (more: Record<string, string>) => Promise<OpenDoor>;
  let store: pg.Client;
  beforeAll(async () => {
    const file = join(folder, 'keys.json');
    writeFileSync(file, keyFileText(people.map(({ entry }) => entry)));
    postgres = await startPostgresServer({ vectors: true });
    bus = memoryBus();
    const env = {
      DATABASE_URL: postgres.url,
      CACHE_BUDGET_MS: '5000',
      CACHE_SHADOW_SHARE: '1',
      AUTH_MODE: 'api-key',
      API_KEYS_FILE: file,
    };
    const policy = { access: [{ allow: ['lab.*', 'gateway.*'] }] };
    door = await openDoor(env, { bus, cache: true, policy });
    openOther = (more) => openDoor({ ...env, ...more }, { bus, discovery: false, policy });
    other = await openOther({ SEMANTIC_CACHE_TTL_SECS: '11', CACHE_SHADOW_SHARE: '0.5' });
    await door.serve(domain);
    for (const one of [door, other]) await one.rpc('tools/list', {}, { headers: red.headers });
    store = new pg.Client({ connectionString: postgres.url });
    await store.connect();
    // The store and the model open when they are first needed.
    await until(async () => (await call('get', { id: 'open' })).served_from === 'exact');
    await until(async () => {
      await call('alike', { q: `words ${clock}`, id: 'open' });
      return (await call('alike', { q: `other words ${clock}`, id: 'open' })).served_from === 'semantic';
    });
  }, 120_000);
  let random: jest.Spied<typeof Math.random> | undefined;
  afterEach(() => random?.mockRestore());
  afterAll(async () => {
    await store?.end();
    await other?.close();
    await door?.close();
    await bus?.close();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(name: string, args: Record<string, unknown>, { at = door, as = red, meta = {} } = {}) {
    const params = { name: `lab.${name}`, arguments: args };
    const { result } = (await at.rpc('tools/call', params, { headers: as.headers, meta })).message;
    return Envelope.parse(result._meta['portico/envelope']).meta;
  }
  const kept = (name: string, args: Record<string, unknown>, options = {}) =>
    until(async () => (await call(name, args, options)).served_from === 'exact');
  const statsOf = async (as: typeof red) => {
    const params = { name: 'gateway.cache_stats', arguments: {} };
    const { message } = await door.rpc('tools/call', params, { headers: as.headers });
    return JSON.parse(message.result.content[0].text);
  };
  const toolOf = async (name: string) =>
    (await statsOf(red)).tools.find(({ tool }: { tool: string }) => tool === `lab.${name}`);
  const admin = async (path: string, body: unknown) => {
    const headers = { Authorization: `Bearer ${door.adminToken}`, 'Content-Type': 'application/json' };
    return (await fetch(`${door.adminUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const livesOf = async (tool: string): Promise<number[]> => {
    const sql = `SELECT extract(epoch FROM expires_at - created_at)::float8 AS s FROM semantic_cache WHERE tool_name = $1`;
    return (await store.query<{ s: number }>(sql, [`lab.${tool}`])).rows.map(({ s }) => s);
  };

  it('[SC-8] an answer lives 300 s, or what its tool’s policy says, or what the settings say; 0 is not at all', async () => {
    await kept('get', { id: 'life' });
    await kept('brief', { id: 'life' });
    expect(new Set(await livesOf('get'))).toEqual(new Set([300]));
    expect(await livesOf('brief')).toEqual([7]);
    await admin('/api/cache/erase', { tenant: 'red', tool: 'lab.get' });
    await kept('get', { id: 'eleven' }, { at: other });
    expect(await livesOf('get')).toEqual([11]);
    for (const id of ['life', 'life']) expect((await call('never', { id })).served_from).toBe('backend');
    await pause(300);
    expect(await livesOf('never')).toEqual([]);
  });

  it('[SC-8] no answer is given that is older than the time in force says, whatever it was kept for', async () => {
    const shorter = await openOther({ SEMANTIC_CACHE_TTL_SECS: '1' });
    try {
      await shorter.rpc('tools/list', {}, { headers: red.headers });
      await kept('get', { id: 'outlived' });
      await kept('alike', { q: 'how old may this get', id: 'outlived' });
      await pause(1_100);
      expect((await call('get', { id: 'outlived' })).served_from).toBe('exact');
      expect((await call('get', { id: 'outlived' }, { at: shorter })).served_from).toBe('backend');
      const similar = { q: 'how old can this get', id: 'outlived' };
      expect((await call('alike', similar, { at: shorter })).served_from).toBe('backend');
      // What took its place is young.
      await kept('get', { id: 'outlived' }, { at: shorter });
    } finally {
      await shorter.close();
    }
  });

  it('[SC-9] a tool that must not be kept is in neither lane, and nothing of it is in the store', async () => {
    const q = 'The number of my account is private.';
    for (let n = 0; n < 3; n += 1) expect((await call('secret', { q })).served_from).toBe('backend');
    await kept('get', { id: 'after' });
    expect(await livesOf('secret')).toEqual([]);
    const { rows } = await store.query('SELECT count(*)::int AS n FROM semantic_cache WHERE free_text LIKE $1', [
      '%private%',
    ]);
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('[SC-15] each result says where it was served from, how old it is, and how similar the question was', async () => {
    const first = await call('alike', { id: 'says', q: 'one' });
    expect(first.served_from).toBe('backend');
    expect(Object.keys(first)).not.toEqual(expect.arrayContaining(['age_ms']));
    expect(Object.keys(first)).not.toEqual(expect.arrayContaining(['similarity']));
    await kept('alike', { id: 'says', q: 'one' });
    const exact = await call('alike', { id: 'says', q: 'one' });
    expect(exact).toMatchObject({ served_from: 'exact', age_ms: expect.any(Number) });
    expect(exact.similarity).toBeUndefined();
    const near = await call('alike', { id: 'says', q: 'two' });
    expect(near).toMatchObject({ served_from: 'semantic', age_ms: expect.any(Number) });
    expect(near.similarity).toBeGreaterThanOrEqual(0);
    expect(near.similarity).toBeLessThanOrEqual(1);
  });

  it('[SC-15] gateway.cache_stats has the numbers of the caller’s tenant, all of them and no others', async () => {
    const empty = { tool: 'lab.search', exact: 0, semantic: 0, coalesced: 0, miss: 0, bypass: 0 };
    const refused = { numbers: 0, negation: 0, order: 0, score: 0, length: 0 };
    expect(await statsOf(blue)).toEqual({ entries: 0, bytes: 0, tools: [] });
    const asked = { id: 'stats', q: 'How do I reset my password?' };
    const options = { as: blue };
    expect((await call('search', asked, options)).served_from).toBe('backend');
    await until(async () => (await statsOf(blue)).entries === 1);
    expect((await call('search', asked, options)).served_from).toBe('exact');
    await call('search', asked, { ...options, meta: { 'portico/cache': 'bypass' } });
    await call('search', { ...asked, q: 'How do I not reset my password?' }, options);
    await call('search', { ...asked, q: 'How do I reset my password 2 times?' }, options);
    const { bytes, ...stats } = await statsOf(blue);
    expect(stats).toEqual({
      entries: expect.any(Number),
      tools: [{ ...empty, exact: 1, miss: 3, bypass: 1, refused: { ...refused, negation: 1, numbers: 1 } }],
    });
    expect(bytes).toBeGreaterThan(1_000);
    expect(JSON.stringify(await statsOf(red))).not.toContain('lab.search');
    const metrics = await (await fetch(`${door.adminUrl}/metrics`)).text();
    for (const outcome of ['exact', 'semantic', 'miss', 'bypass'])
      expect(metrics).toMatch(new RegExp(`^portico_cache_lookups_total\\{outcome="${outcome}"\\} [1-9]`, 'm'));
    expect(metrics).toMatch(/^portico_cache_refusals_total\{reason="negation"\} 1$/m);
    // Tenants would be values without number.
    expect(metrics.split('\n').filter((line) => /"(red|blue)"/.test(line))).toEqual([]);
  });

  it('[SC-17] a check runs the tool once with each text; what the policy calls volatile makes no difference', async () => {
    const asked = { id: 'volatile' };
    await kept('alike', { ...asked, q: 'stored' });
    const before = ran.length;
    expect((await call('alike', { ...asked, q: 'asked' })).served_from).toBe('semantic');
    await until(() => ran.length >= before + 2);
    await pause(200);
    const checks = ran.slice(before).map(({ q }) => q);
    expect(checks.toSorted()).toEqual(['asked', 'stored']);
    await until(async () => (await toolOf('alike')).precision === 1);
  });

  it('[SC-17] a tool whose checks go wrong loses its semantic lane, keeps the exact one, and is given it back', async () => {
    const asked = { id: 'wrong' };
    await kept('loose', { ...asked, q: 'stored' });
    let tries = 0;
    await until(async () => (await call('loose', { ...asked, q: `try ${(tries += 1)}` })).served_from === 'backend');
    expect(tries).toBeGreaterThan(3);
    expect((await toolOf('loose')).precision).toBeLessThan(0.99);
    expect((await call('loose', { ...asked, q: 'stored' })).served_from).toBe('exact');
    expect((await call('loose', { ...asked, q: 'not yet asked' })).served_from).toBe('backend');
    // Of the other tools none has lost it.
    await kept('alike', { ...asked, q: 'stored' });
    expect((await call('alike', { ...asked, q: 'asked' })).served_from).toBe('semantic');
    expect(await admin('/api/cache/restore', { tool: 'lab.loose' })).toMatchObject({ ok: true, restored: true });
    expect((await call('loose', { ...asked, q: 'asked again' })).served_from).toBe('semantic');
  });

  it('[SC-17] only the share that is set is checked', async () => {
    const asked = { id: 'share' };
    await kept('alike', { ...asked, q: 'stored' }, { at: other });
    random = jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const before = ran.length;
    for (const q of ['a', 'b', 'c'])
      expect((await call('alike', { ...asked, q }, { at: other })).served_from).toBe('semantic');
    await pause(300);
    expect(ran).toHaveLength(before);
    random.mockReturnValue(0.49);
    await call('alike', { ...asked, q: 'd' }, { at: other });
    await until(() => ran.length === before + 2);
  });
});
