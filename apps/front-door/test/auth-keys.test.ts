import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keysCommand } from '../src/auth/keys/keys-command.js';
import { type AuthServer, startAuthServer } from './auth-server.js';

let home: string;
let file: string;
let server: AuthServer | undefined;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'portico-keys-'));
  file = join(home, 'keys.json');
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(home, { recursive: true, force: true });
});

const keys = async (...args: string[]): Promise<{ status: number; out: string; err: string }> => {
  let [out, err] = ['', ''];
  const status = await keysCommand(args, {
    env: { API_KEYS_FILE: file },
    folder: home,
    out: (text) => (out += text),
    err: (text) => (err += text),
  });
  return { status, out, err };
};
const create = async (subject = 'alice', ...more: string[]): Promise<string> => {
  const made = await keys('create', '--subject', subject, '--tenant', 'acme', ...more);
  expect(made).toMatchObject({ status: 0 });
  return made.out.trim();
};
const open = async (): Promise<AuthServer> =>
  (server = await startAuthServer({ AUTH_MODE: 'api-key', API_KEYS_FILE: file }));
const idOf = (key: string): string => key.split('_')[1] as string;

/** Whether a key is taken within the time that a change may take, ten times over. */
const becomes = async (key: string, status: number): Promise<void> => {
  const deadline = performance.now() + 20_000;
  while ((await server?.bearer(key))?.status !== status && performance.now() < deadline) await sleep(20);
  expect((await server?.bearer(key))?.status).toBe(status);
};

describe('[FD-8][FD-9] an API key', () => {
  it('makes the caller the principal it was made for', async () => {
    const key = await create('alice', '--scopes', 'portico:call,portico:receipts');
    await open();
    expect(await server?.bearer(key)).toMatchObject({
      status: 200,
      body: { tenant: 'acme', subject: 'alice', scopes: ['portico:call', 'portico:receipts'] },
    });
  });

  it('is in the file as a hash alone', async () => {
    const key = await create();
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text)).toEqual({
      keys: [
        {
          id: idOf(key),
          hash: createHash('sha256').update(key).digest('hex'),
          subject: 'alice',
          tenant: 'acme',
          scopes: ['portico:call'],
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        },
      ],
    });
    expect(text).not.toContain(key.split('_')[2]);
  });

  it('that is not quite one, or is of nobody, is refused; nothing of it is repeated or logged', async () => {
    const key = await create();
    const other = await create('bob');
    await open();
    const [prefix, id, secret] = [key.slice(0, 8), idOf(key), key.slice(21)];
    const wrong = [
      `${prefix}${id}_${other.slice(21)}`,
      `${prefix}${id}_${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`,
      `${prefix}${'0'.repeat(12)}_${secret}`,
      `${prefix}__proto__constr_${secret}`,
      key.slice(0, -1),
      `${key}A`,
      key.toUpperCase(),
      secret,
      createHash('sha256').update(key).digest('hex'),
    ];
    for (const credential of wrong) {
      const answer = await server?.bearer(credential);
      expect(answer).toMatchObject({
        status: 401,
        body: { error: { code: -32000, data: { code: 'UNAUTHENTICATED' } } },
      });
      expect(answer?.headers['www-authenticate']).toMatch(/^Bearer realm="portico", error="invalid_token"/);
      expect(JSON.stringify([answer?.text, answer?.headers, server?.lines])).not.toContain(credential);
    }
  });

  it('[FD-5] without portico:call is 403 insufficient_scope', async () => {
    const key = await create('alice', '--scopes', 'portico:receipts');
    await open();
    const answer = await server?.bearer(key);
    expect(answer).toMatchObject({
      status: 403,
      body: { error: { code: -32000, data: { code: 'PERMISSION_DENIED' } } },
    });
    expect(answer?.headers['www-authenticate']).toMatch(/error="insufficient_scope".*scope="portico:call"/);
  });

  it('[FD-5] is asked for with a plain challenge, must come once and well formed, and there is no metadata document', async () => {
    const key = await create();
    await open();
    const none = await server?.send([]);
    expect(none).toMatchObject({ status: 401, body: { error: { code: -32000, data: { code: 'UNAUTHENTICATED' } } } });
    expect(none?.headers['www-authenticate']).toBe('Bearer realm="portico"');
    const twice = await server?.send(['Authorization', `Bearer ${key}`, 'Authorization', `Bearer ${key}`]);
    expect(twice?.status).toBe(400);
    expect((await server?.send(['Authorization', `Bearer ${key} x`]))?.status).toBe(400);
    expect((await server?.send(['Authorization', `Basic ${key}`]))?.status).toBe(401);
    expect((await server?.send(['X-Api-Key', key]))?.status).toBe(401);
    expect((await server?.bearer('x'.repeat(8_200)))?.status).toBe(401);
    expect((await server?.send([], '/.well-known/oauth-protected-resource', 'GET'))?.status).toBe(401);
  });
});

describe('[FD-8] the file of keys is read again when it changes', () => {
  it('a key that was made is taken, one that was revoked is refused', async () => {
    const first = await create();
    await open();
    expect((await server?.bearer(first))?.status).toBe(200);
    const second = await create('bob');
    await becomes(second, 200);
    expect((await keys('revoke', idOf(first))).status).toBe(0);
    await becomes(first, 401);
    expect((await server?.bearer(second))?.status).toBe(200);
  });

  it.each<[string, (text: string) => void]>([
    ['written in place', (text) => writeFileSync(file, text)],
    [
      'replaced by a rename',
      (text) => {
        writeFileSync(`${file}.new`, text);
        renameSync(`${file}.new`, file);
      },
    ],
    [
      'replaced by one of the same size and time',
      (text) => {
        const { atime, mtime } = statSync(file);
        writeFileSync(`${file}.new`, text);
        utimesSync(`${file}.new`, atime, mtime);
        renameSync(`${file}.new`, file);
      },
    ],
  ])('however it is: %s', async (_how, replace) => {
    const first = await create();
    const before = readFileSync(file, 'utf8');
    await keys('revoke', idOf(first));
    const second = await create();
    await open();
    expect((await server?.bearer(second))?.status).toBe(200);
    replace(before);
    await becomes(first, 200);
    expect((await server?.bearer(second))?.status).toBe(401);
  });

  it('where it is a link into a folder that is swapped, as orchestrators do', async () => {
    const key = await create();
    const text = readFileSync(file, 'utf8');
    for (const [version, content] of [
      ['v1', '{"keys":[]}'],
      ['v2', text],
    ] as const) {
      mkdirSync(join(home, version));
      writeFileSync(join(home, version, 'keys.json'), content);
    }
    symlinkSync('v1', join(home, 'data'));
    unlinkSync(file);
    symlinkSync(join('data', 'keys.json'), file);
    await open();
    expect((await server?.bearer(key))?.status).toBe(401);
    symlinkSync('v2', join(home, 'data.new'));
    renameSync(join(home, 'data.new'), join(home, 'data'));
    await becomes(key, 200);
  });

  it('one that is broken then changes nothing and is told of once; mended, it counts', async () => {
    const first = await create();
    const good = readFileSync(file, 'utf8');
    await open();
    const complaints = (): string[] => server?.lines.filter((line) => line.includes('keys.not-used')) ?? [];
    for (const broken of ['{"keys":', '', '{"keys":"none"}', good.replace('"scopes"', '"scope"')]) {
      const before = complaints().length;
      writeFileSync(file, broken);
      const deadline = performance.now() + 20_000;
      while (complaints().length === before && performance.now() < deadline) await sleep(20);
      utimesSync(file, new Date(), new Date());
      await sleep(300);
      expect((await server?.bearer(first))?.status).toBe(200);
      expect(complaints().length - before).toBeLessThanOrEqual(1);
    }
    writeFileSync(file, '{"keys":[]}');
    await becomes(first, 401);
  });

  it.each<[string, () => void]>([
    ['a folder', () => mkdirSync(file)],
    ['a pipe that nobody writes into', () => void execFileSync('mkfifo', [file])],
    ['ever so large', () => writeFileSync(file, Buffer.alloc(100_000_000, ' '))],
    ['a link to itself', () => symlinkSync('keys.json', file)],
    ['a device', () => symlinkSync('/dev/zero', file)],
  ])('one that is then %s changes nothing, and no log line says where it is', async (_what, put) => {
    const key = await create();
    await open();
    writeFileSync(`${file}.good`, readFileSync(file));
    rmSync(file);
    put();
    const told = (): boolean => server?.lines.some((line) => line.includes('keys.not-used')) ?? false;
    for (const end = performance.now() + 20_000; !told() && performance.now() < end;) await sleep(20);
    expect(told()).toBe(true);
    const next = await create('bob', '--file', `${file}.good`);
    rmSync(file, { recursive: true });
    renameSync(`${file}.good`, file);
    await becomes(next, 200);
    expect((await server?.bearer(key))?.status).toBe(200);
    expect(server?.lines.join('')).not.toContain(home);
  });

  it('is not news when something is written beside it, or the same into it', async () => {
    const key = await create();
    await open();
    const before = statSync(file).mtimeMs;
    writeFileSync(join(home, 'beside'), 'x');
    writeFileSync(file, readFileSync(file));
    expect(statSync(file).mtimeMs).toBeGreaterThan(before);
    const next = await create('bob');
    await becomes(next, 200);
    expect((await server?.bearer(key))?.status).toBe(200);
    writeFileSync(join(home, 'beside'), 'y');
    await sleep(1_500);
    expect(server?.lines.filter((line) => line.includes('keys.read'))).toHaveLength(2);
  });

  it('one that is gone leaves no keys', async () => {
    const key = await create();
    await open();
    rmSync(file);
    await becomes(key, 401);
  });

  it('none at the start: nobody can call, which is logged with what to do, until there is one', async () => {
    await open();
    expect(server?.lines.join('')).toContain('npm run keys -- create');
    expect(server?.lines.join('')).not.toContain(home);
    const key = await create();
    await becomes(key, 200);
  });

  it.each([
    ['no JSON', '{"keys": portico_secret'],
    ['another shape', '{"keys":[{"id":"portico_secret"}]}'],
    ['an unknown field', '{"keys":[],"portico_secret":1}'],
    ['one id twice', undefined],
  ])('one that is broken at the start (%s) is one sentence that repeats nothing of it', async (_what, text) => {
    await create();
    const [entry] = (JSON.parse(readFileSync(file, 'utf8')) as { keys: object[] }).keys;
    writeFileSync(file, text ?? JSON.stringify({ keys: [entry, entry] }));
    const failure = await open().then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(failure).toMatch(/^API_KEYS_FILE keys\.json can not be used \([^\n]+\)\. Write it with: npm run keys$/);
    if (text?.includes('unknown') !== true) expect(failure.replace('"portico_secret"', '')).not.toContain('secret');
  });
});

describe('npm run keys', () => {
  it('is what the root package calls, built from this source', () => {
    const root = join(import.meta.dirname, '../../..');
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const built = /^node (\S+)$/.exec(manifest.scripts['keys'] ?? '')?.[1] ?? '';
    expect(existsSync(join(root, built.replace('/dist/', '/src/').replace(/\.js$/, '.ts')))).toBe(true);
  });

  it('makes keys that differ, with a prefix that scanners know, shown once and nowhere else', async () => {
    const made = await keys('create', '--subject', 'alice', '--tenant', 'acme');
    expect(made.out).toMatch(/^portico_[0-9a-f]{12}_[A-Za-z0-9_-]{43}\n$/);
    expect(made.err).not.toContain(made.out.trim());
    expect(await create()).not.toBe(made.out.trim());
    expect((await keys('list')).out).not.toContain(made.out.trim().slice(21));
  });

  it('writes a file for its owner alone, in a folder that it makes if need be, and leaves nothing beside it', async () => {
    file = join(home, 'new', 'keys.json');
    await create();
    chmodSync(file, 0o644);
    await create('bob');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, 'new'))).toEqual(['keys.json']);
  });

  it('keeps every key when several are made at once', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, (_, i) => create(`agent-${i}`)));
    const { keys: kept } = JSON.parse(readFileSync(file, 'utf8')) as { keys: { id: string }[] };
    expect(kept.map(({ id }) => id).sort()).toEqual(made.map(idOf).sort());
  });

  it('lists what was made', async () => {
    expect((await keys('list')).out).toMatch(/^There are no keys/);
    const key = await create('alice', '--scopes', 'portico:call,b');
    const { out, status } = await keys('list');
    expect(status).toBe(0);
    expect(out).toMatch(/^id +created +tenant +subject +scopes\n/);
    expect(out).toMatch(new RegExp(`${idOf(key)}  \\S+  acme +alice +portico:call,b\n$`));
  });

  it('takes another file than the one that is set', async () => {
    const other = join(home, 'other.json');
    await create('alice', '--file', other);
    expect(existsSync(file)).toBe(false);
    expect((await keys('list', '--file', other)).out).toContain('alice');
  });

  it('helps', async () => {
    const { status, out } = await keys('--help');
    expect(status).toBe(0);
    for (const word of ['create', 'list', 'revoke ID', '--subject', '--tenant', '--scopes', '--file'])
      expect(out).toContain(word);
  });

  it.each([
    [[], 'takes create, list or revoke'],
    [['make'], 'takes create, list or revoke'],
    [['create'], '--subject takes'],
    [['create', '--subject', 'a'], '--tenant takes'],
    [['create', '--subject', '', '--tenant', 't'], '--subject takes'],
    [['create', '--subject', 'a\nb', '--tenant', 't'], '--subject takes'],
    [['create', '--subject', 'a', '--tenant', 'x'.repeat(257)], '--tenant takes'],
    [['create', '--subject', 'a', '--tenant', 't', '--scopes', '*'], '--scopes takes'],
    [['create', '--subject', 'a', '--tenant', 't', '--scopes', 'a b'], '--scopes takes'],
    [['create', '--subject', 'a', '--tenant', 't', '--scopes', ''], '--scopes takes'],
    [['create', '--subject', 'a', '--tenant', 't', '--scope', 'a'], "Unknown option '--scope'"],
    [['create', 'x', '--subject', 'a', '--tenant', 't'], ''],
    [['list', '--tenant', 't'], 'belong to create'],
    [['list', 'x'], 'takes create, list or revoke'],
    [['revoke'], 'takes create, list or revoke'],
    [['revoke', 'a', 'b'], 'takes create, list or revoke'],
    [['revoke', '0123456789ab'], 'no key of this id'],
  ])('refuses %j', async (args, sentence) => {
    const { status, out, err } = await keys(...args);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain(sentence);
    expect(existsSync(file)).toBe(false);
  });

  it('changes nothing of a file that is broken', async () => {
    writeFileSync(file, '{"keys":');
    expect((await keys('create', '--subject', 'a', '--tenant', 't')).status).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe('{"keys":');
    expect(readdirSync(home)).toEqual(['keys.json']);
  });
});
