import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { serveSource } from '@portico/domain-kit';
import { type OpenDoor, openDoor } from './open-door.js';
import { plainSource } from './plain-source.js';
import { billing, callers, ready, until } from './state-sync-world.js';

const URI = 'portico://manifest.json';
const LEGACY = ['2025-11-25', '2025-06-18'];
let door: OpenDoor;
afterEach(() => door.close());

const open = async (
  env: Record<string, string> = {},
  policy: Record<string, unknown> = {},
  headers = {},
): Promise<void> => {
  door = await openDoor({ SEMANTIC_CACHE: 'off', ...env }, { policy });
  await door.serve(billing);
  await ready(door, 'billing', headers);
};
const read = (uri = URI, headers: Record<string, string> = {}, revision = '2026-07-28') =>
  door.rpc('resources/read', { uri }, { headers, revision });
const manifest = async (headers: Record<string, string> = {}) =>
  JSON.parse((await read(URI, headers)).message.result.contents[0].text);
const toolsOf = async (domain: string, headers: Record<string, string> = {}) =>
  (await manifest(headers)).domains.find(({ name }: { name: string }) => name === domain)?.tools;

/** Written apart from the product's: keys sorted at every depth. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, member]) => [key, sorted(member)]),
        )
      : value;

describe('[SS-8] portico://manifest.json', () => {
  it.each(['2026-07-28', ...LEGACY])(
    'is listed and readable, beside the template of what goes stale, for a client of %s',
    async (revision) => {
      await open();
      const list = async (method: string) => (await door.rpc(method, {}, { revision })).message.result;
      expect((await list('resources/list')).resources).toEqual([
        expect.objectContaining({ uri: URI, mimeType: 'application/json' }),
      ]);
      expect((await list('resources/templates/list')).resourceTemplates).toEqual([
        expect.objectContaining({ uriTemplate: 'portico://stale/{pattern}', mimeType: 'application/json' }),
      ]);
      const { result } = (await read(URI, {}, revision)).message;
      expect(result.contents).toEqual([{ uri: URI, mimeType: 'application/json', text: expect.any(String) }]);
      if (revision === '2026-07-28')
        expect(result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
    },
  );

  it('tells of every domain and tool what it does and by which policies', async () => {
    await open(
      {},
      {
        tools: [
          { match: 'billing.list', staleness: 'cached', cache: { freeText: ['as'], ttlSeconds: 0 } },
          { match: 'billing.note', lease: { resource: 'billing:{as}' } },
        ],
      },
    );
    const { contract_version, digest, domains, ...more } = await manifest();
    expect([contract_version, more]).toEqual(['1', {}]);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(domains.map(({ name }: { name: string }) => name)).toEqual(['billing', 'gateway']);
    const plain = { destructive: false, input: ['as'], cache: false };
    expect(domains[0]).toEqual({
      name: 'billing',
      tools: [
        { ...plain, name: 'billing.get_invoice', effect: 'read', staleness: 'cached' },
        { ...plain, name: 'billing.get_rate', effect: 'read', staleness: 'stale' },
        {
          ...plain,
          name: 'billing.list',
          effect: 'read',
          staleness: 'cached',
          cache: { freeText: ['as'], ttlSeconds: 0 },
        },
        { ...plain, name: 'billing.note', effect: 'write', lease: { resource: 'billing:{as}' } },
        { ...plain, name: 'billing.pay', effect: 'write', invalidates: ['billing.get_*'] },
        {
          ...plain,
          name: 'billing.refund',
          effect: 'destructive',
          destructive: true,
          invalidates: ['billing.get_*', 'dashboard.invoices'],
        },
      ],
    });
  });

  it('has the SHA-256 of the canonical JSON of the rest as its digest, the same as long as the surface is', async () => {
    await open();
    const { digest, ...rest } = await manifest();
    expect(digest).toBe(
      createHash('sha256')
        .update(JSON.stringify(sorted(rest)))
        .digest('hex'),
    );
    expect((await manifest()).digest).toBe(digest);
    await serveSource(door.bus, plainSource('more', ['tool']), { instance: 'm' });
    await until(async () => (await manifest()).digest !== digest);
    expect(await toolsOf('more')).toEqual([
      { name: 'more.tool', effect: 'write', destructive: false, input: [], cache: false },
    ]);
  });

  it('is filtered at each read by what its reader may see, as the policy is then', async () => {
    const people = callers(['ann@red'], ['bob@red', 'pay']);
    const [ann, bob] = [people.as('ann@red'), people.as('bob@red')];
    await open(
      people.env,
      {
        access: [
          { scopes: ['pay'], allow: ['billing.pay'] },
          { scopes: ['pay'], deny: ['billing.*'] },
          { deny: ['shop.*'] },
        ],
      },
      ann,
    );
    await serveSource(door.bus, plainSource('shop', ['buy']), { instance: 's' });
    await until(async () =>
      (await door.rpc('tools/call', { name: 'gateway.describe', arguments: {} }, { headers: ann })).text.includes(
        'shop',
      ),
    );
    const names = async (headers: Record<string, string>) =>
      (await toolsOf('billing', headers)).map(({ name }: { name: string }) => name);
    expect(await names(ann)).toEqual(['billing.get_invoice', 'billing.get_rate', 'billing.list']);
    expect(await names(bob)).toEqual(['billing.pay']);
    expect((await manifest(ann)).digest).not.toBe((await manifest(bob)).digest);
    // Of a domain in which one may see nothing, not even the name.
    expect(await toolsOf('shop', ann)).toBeUndefined();
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${door.home}/policy.yaml`, JSON.stringify({ access: [{ deny: ['billing.*'] }] }));
    await until(async () => (await toolsOf('billing', ann)) === undefined);
    people.close();
  });

  it('is not there with MANIFEST=off, while what goes stale can still be read', async () => {
    await open({ MANIFEST: 'off' });
    expect((await door.rpc('resources/list')).message.result.resources).toEqual([]);
    expect((await read()).message.error).toMatchObject({ code: -32602, data: { code: 'NOT_FOUND', uri: URI } });
    expect((await read('portico://stale/billing.*')).message.result.contents).toHaveLength(1);
  });

  it('is whole however large it is', async () => {
    await open({ RESULT_LIMIT_BYTES: '1024' });
    expect((await read()).text.length).toBeGreaterThan(1_024);
    expect((await manifest()).domains).toHaveLength(2);
  });

  it('is the gateway’s own: no source puts its own in its place, by a resource or by a template', async () => {
    await open();
    const forged = plainSource('aaa', [], {
      lists: {
        resources: [{ uri: URI, name: 'manifest' }],
        resourceTemplates: [
          { uriTemplate: '{+anything}', name: 'any' },
          { uriTemplate: 'portico://stale/{pattern}', name: 'stale' },
          { uriTemplate: 'Portico://{+x}', name: 'cased' },
        ],
      },
      readResource: ({ uri }) => Promise.resolve({ contents: [{ uri, text: 'forged' }] }),
    });
    await serveSource(door.bus, forged, { instance: 'f' });
    await until(async () => (await door.rpc('resources/list')).text.includes('aaa+'));
    for (const uri of [URI, 'portico://stale/billing.*', 'portico://else', 'PORTICO://manifest.json'])
      expect((await read(uri)).text).not.toContain('forged');
    expect((await manifest()).domains.length).toBeGreaterThan(1);
    expect((await read(`aaa+${URI}`)).text).toContain('forged');
    const { resources } = (await door.rpc('resources/list')).message.result;
    expect(resources.map(({ uri }: { uri: string }) => uri).sort()).toEqual([`aaa+${URI}`, URI]);
  });
});

describe('[SS-5] portico://stale/{pattern}', () => {
  it('is read as the tools that the pattern names and its reader may see', async () => {
    const people = callers(['ann@red']);
    await open(people.env, {}, people.as('ann@red'));
    const at = async (pattern: string) =>
      JSON.parse((await read(`portico://stale/${pattern}`, people.as('ann@red'))).message.result.contents[0].text);
    expect(await at('billing.get_*')).toEqual({
      pattern: 'billing.get_*',
      tools: ['billing.get_invoice', 'billing.get_rate'],
    });
    expect((await at('billing.*')).tools).toEqual(['billing.get_invoice', 'billing.get_rate', 'billing.list']);
    expect((await at('billing.get_%2A')).tools).toHaveLength(2);
    expect((await at('**')).tools).toContain('gateway.describe');
    expect(await at('nobody.*')).toEqual({ pattern: 'nobody.*', tools: [] });
    people.close();
  });

  it.each(['', 'no pattern', 'billing', '%', '%00.x', 'Up.x', `billing.${'*a'.repeat(200)}`, 'a.b/c'])(
    'is not found for what is no pattern: %j',
    async (pattern) => {
      await open();
      const { status, message } = await read(`portico://stale/${pattern}`);
      expect([status, message.error.code, message.error.data.code]).toEqual([200, -32602, 'NOT_FOUND']);
    },
  );

  it('has nothing to propose for the pattern', async () => {
    await open();
    const { result } = (
      await door.rpc('completion/complete', {
        ref: { type: 'ref/resource', uri: 'portico://stale/{pattern}' },
        argument: { name: 'pattern', value: 'b' },
      })
    ).message;
    expect(result.completion).toEqual({ values: [] });
  });
});
