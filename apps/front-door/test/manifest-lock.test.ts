import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { serveSource } from '@portico/domain-kit';
import { manifestCommand } from '../src/manifest/lock/manifest-command.js';
import { type OpenDoor, openDoor } from './open-door.js';
import { plainSource } from './plain-source.js';
import { billing, callers, ready, until } from './state-sync-world.js';

const LOCK = 'portico.manifest.lock.json';
let folder: string;
let door: OpenDoor | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-lock-'));
});
afterEach(async () => {
  await door?.close();
  door = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const run = async (args: string[], env: Record<string, string> = {}) => {
  let [out, err] = ['', ''];
  const around = { env, folder, out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const given = door === undefined || args.includes('--url') ? args : [...args, '--url', door.url];
  const status = await manifestCommand(given, around);
  return { status, out, err };
};
const open = async (env: Record<string, string> = {}, headers = {}): Promise<OpenDoor> => {
  door = await openDoor({ SEMANTIC_CACHE: 'off', ...env });
  await door.serve(billing);
  await ready(door, 'billing', headers);
  return door;
};
const policy = async (rules: Record<string, unknown>[], sign: string): Promise<void> => {
  writeFileSync(join(door!.home, 'policy.yaml'), JSON.stringify({ tools: rules }));
  await until(async () => (await run(['check'])).out.includes(sign));
};

describe('[SS-8] npm run manifest', () => {
  it('locks what is published, whole, and finds it as it was', async () => {
    await open();
    const locked = await run(['lock']);
    expect(locked).toMatchObject({ status: 0, out: '' });
    expect(readdirSync(folder)).toEqual([LOCK]);
    const lock = JSON.parse(readFileSync(join(folder, LOCK), 'utf8'));
    expect(Object.keys(lock)).toEqual(['contract_version', 'digest', 'domains']);
    expect(locked.err).toContain(`of 2 domains are locked in ${LOCK}, digest ${lock.digest}`);
    expect(await run(['check'])).toMatchObject({ status: 0, out: '' });
    expect((await run(['lock', '--file', 'other.json'])).status).toBe(0);
    expect(readFileSync(join(folder, 'other.json'), 'utf8')).toBe(readFileSync(join(folder, LOCK), 'utf8'));
  });

  it('tells each change in a sentence, and exits with 1', async () => {
    const { bus } = await open();
    const shop = await serveSource(bus, plainSource('shop', ['buy', 'sell']), { instance: 's' });
    await ready(door!, 'shop');
    await run(['lock']);
    await shop.close();
    const again = plainSource('store', [], {
      lists: {
        tools: [
          {
            definition: { name: 'odd \u001b[31m', inputSchema: { type: 'object' } },
            policy: { effect: 'read', lease: { resource: 'a b' } },
          },
        ],
      },
    });
    await serveSource(bus, again, { instance: 's2' });
    await until(async () => {
      const { out } = await run(['check']);
      return out.includes('The domain store is new.') && out.includes('The domain shop is gone.');
    });
    await policy(
      [
        { match: 'billing.pay', effect: 'destructive', invalidates: ['billing.*'] },
        { match: 'billing.list', staleness: 'stale', cache: { ttlSeconds: 5 }, lease: { resource: 'billing:{as}' } },
      ],
      'billing.pay had',
    );
    const { status, out, err } = await run(['check']);
    expect(status).toBe(1);
    expect(out.split('\n').slice(0, -1)).toEqual([
      'billing.list needed no lease and needs the lease billing:{as}.',
      'billing.list was marked nothing and is marked stale.',
      'billing.list was not cached and is cached by {"ttlSeconds":5}.',
      'billing.pay had the effect write and has destructive.',
      'billing.pay made billing.get_* stale and makes billing.* stale.',
      'The domain shop is gone.',
      'shop.buy is gone.',
      'shop.sell is gone.',
      'The domain store is new.',
      '"store.odd \\u001b[31m" is new: its effect is read, and it needs the lease "a b".',
    ]);
    expect(err).toContain('npm run manifest -- lock');
    await run(['lock']);
    expect((await run(['check'])).status).toBe(0);
  });

  it('tells of arguments that came and went', async () => {
    const { bus } = await open();
    const taking = (...names: string[]) =>
      plainSource('shop', [], {
        lists: {
          tools: [
            {
              definition: {
                name: 'buy',
                inputSchema: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) },
              },
              policy: { effect: 'write' },
            },
          ],
        },
      });
    const before = await serveSource(bus, taking('a', 'b'), { instance: 's' });
    await ready(door!, 'shop');
    await run(['lock']);
    await before.close();
    await serveSource(bus, taking('b', 'c'), { instance: 's2' });
    await until(
      async () => (await run(['check'])).out === 'shop.buy takes c, which it did not.\nshop.buy takes a no longer.\n',
    );
  });

  it('reads as the caller whose key it is given, and says when it needs one', async () => {
    const people = callers(['ann@red']);
    await open(people.env, people.as('ann@red'));
    const none = await run(['lock']);
    expect(none).toEqual({
      status: 1,
      out: '',
      err: 'The front door does not let this caller in (401). See --key-file.\n',
    });
    writeFileSync(join(folder, 'key'), `${people.key('ann@red')}\n`);
    for (const [args, env] of [
      [['--key-file', 'key'], {}],
      [[], { PORTICO_API_KEY: people.key('ann@red') }],
      [[], { PORTICO_API_KEY_FILE: join(folder, 'key') }],
    ] as const)
      expect((await run(['lock', ...args], env)).status).toBe(0);
    const { domains } = JSON.parse(readFileSync(join(folder, LOCK), 'utf8'));
    expect(domains[0].tools.map(({ name }: { name: string }) => name)).not.toContain('billing.pay');
    people.close();
  });

  it('waits for domains that have not been heard, and names those that do not answer', async () => {
    await open();
    const dead = plainSource('dead', ['x'], { catalogue: () => Promise.reject(new Error('no')) });
    await serveSource(door!.bus, dead, { instance: 'd' });
    await until(async () =>
      (await door!.rpc('tools/call', { name: 'gateway.describe', arguments: {} })).text.includes('dead'),
    );
    const { status, err } = await run(['lock']);
    expect(status).toBe(0);
    expect(err).toContain('The domain dead does not answer');
  }, 30_000);

  it.each([
    [[], 'It takes lock or check.'],
    [['unlock'], 'It takes lock or check.'],
    [['lock', 'more'], 'It takes lock or check.'],
    [['check', '--force'], "Unknown option '--force'"],
    [['lock', '--url', 'ftp://x'], '--url takes the address of a front door'],
    [['lock', '--url', 'http://u:p@x'], '--url takes the address of a front door'],
    [['check', '--url', 'http://127.0.0.1:1'], `${LOCK}, the lock, can not be read (ENOENT).`],
    [['lock', '--url', 'http://127.0.0.1:1'], 'No front door answers at http://127.0.0.1:1.'],
    [['lock', '--key-file', 'nowhere'], 'nowhere, the key, can not be read (ENOENT).'],
  ])('refuses %j with a sentence', async (args, sentence) => {
    const { status, out, err } = await run(args);
    expect([status, out]).toEqual([1, '']);
    expect(err).toContain(sentence);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('explains itself', async () => {
    const { status, out } = await run(['--help']);
    expect(status).toBe(0);
    for (const word of ['lock', 'check', '--url', '--file', '--key-file', 'PORTICO_API_KEY'])
      expect(out).toContain(word);
  });

  it('trusts no lock that was edited, and takes nothing for one that is none', async () => {
    await open();
    await run(['lock']);
    const path = join(folder, LOCK);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('"effect": "destructive"', '"effect": "read"'));
    expect((await run(['check'])).err).toContain('its digest is not that of what it says');
    writeFileSync(path, text.slice(0, 100));
    expect((await run(['check'])).err).toBe(`${LOCK} is no manifest. Lock it again: npm run manifest -- lock\n`);
  });

  it('says so when the front door has no manifest', async () => {
    await open({ MANIFEST: 'off' });
    expect((await run(['lock'])).err).toBe('The front door has no manifest: it runs with MANIFEST=off.\n');
  });

  it.each([
    ['text', 'hello'],
    ['{}', '{}'],
    ['a result of something else', '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}'],
  ])('takes %s for no front door', async (_what, answer) => {
    const other: Server = createServer((_req, res) => res.end(answer));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { status, err } = await run(['lock', '--url', `http://127.0.0.1:${(other.address() as AddressInfo).port}`]);
    expect(status).toBe(1);
    expect(err).toMatch(
      /^(What answers there is no front door of this version\. See --url\.|The front door answered 200 to tools\/list.*)\n$/,
    );
    await new Promise((resolve) => other.close(resolve));
  });
});
