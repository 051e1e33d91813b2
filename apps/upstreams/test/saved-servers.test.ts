import { mkdir, readdir, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { deleteServer, listServers, sourceHello, testServer } from '@portico/contracts';
import { startModernHttpServer } from '@portico/testkit';
import { readConfig, startUpstreams } from '@portico/upstreams';
import { entryOf, opened } from './opened.js';
import { codeOf, runOperated } from './operator.js';
import { eventually, isAlive, silent } from './running.js';

const { keep, fixture } = opened();
const run = async (...given: Parameters<typeof runOperated>) => keep(await runOperated(...given));

describe('[UP-1][UP-2] saving a server', () => {
  it('serves it at once, keeps it over a restart, and leaves the sessions of others alone', async () => {
    const [first, second] = [fixture(), fixture()];
    const { running, save, named } = await run({});
    const hellos: string[] = [];
    await running.bus.listen(sourceHello, ({ source }) => void hellos.push(source));
    expect(await save('first', entryOf(first))).toMatchObject({
      ok: true,
      server: { name: 'first', source: 'api', transport: 'stdio', enabled: true, state: 'idle', tools: 0 },
    });
    expect(hellos).toEqual(['upstream.first']);
    expect(await running.call('upstream.first', 'echo', { a: 1 })).toMatchObject({ structuredContent: { a: 1 } });
    await save('Second One', entryOf(second));
    expect(await running.call('upstream.second-one', 'echo', { a: 2 })).toMatchObject({ structuredContent: { a: 2 } });
    await running.call('upstream.first', 'echo');
    expect(first.pids()).toHaveLength(1);
    expect(await named('second-one')).toMatchObject({ state: 'connected', era: 'legacy', error: null });

    await running.stop();
    const again = await startUpstreams(running.bus, readConfig(running.env), silent);
    keep(again);
    expect(hellos.slice(2).sort()).toEqual(['upstream.first', 'upstream.second-one']);
    expect(await running.call('upstream.second-one', 'echo', { a: 3 })).toMatchObject({ structuredContent: { a: 3 } });
  });

  it('under the same spelling replaces it; under another spelling of its name it is refused', async () => {
    const [old, young] = [fixture(), fixture()];
    const { running, save, names } = await run({});
    await save('My Files', entryOf(old));
    await running.call('upstream.my-files', 'echo');
    expect(codeOf(await save('my-files', entryOf(young)))).toBe('DUPLICATE_NAME');
    expect(await save('My Files', entryOf(young))).toMatchObject({ ok: true, server: { name: 'my-files' } });
    await running.call('upstream.my-files', 'echo');
    expect([old.executions(), young.executions()]).toEqual([1, 1]);
    await eventually(() => expect(old.pids().filter(isAlive)).toEqual([]));
    expect(await names()).toEqual(['my-files']);
  });

  it('at the same moment under two spellings of one name takes one of them', async () => {
    const { save, names } = await run({});
    const [one, other] = [fixture(), fixture()];
    const codes = (await Promise.all([save('A b', entryOf(one)), save('a-b', entryOf(other))])).map(codeOf);
    expect(codes.sort()).toEqual(['DUPLICATE_NAME', 'ok']);
    expect(await names()).toEqual(['a-b']);
  });

  it('runs it in the folder that it names, from the workspace on', async () => {
    const { running, save } = await run({});
    const workspace = await realpath(
      await mkdir(join(running.folder, 'workspace', 'sub'), { recursive: true }).then(() =>
        join(running.folder, 'workspace'),
      ),
    );
    for (const [name, cwd, folder] of [
      ['a', undefined, workspace],
      ['b', 'sub', join(workspace, 'sub')],
      ['c', '{workspace}/sub', join(workspace, 'sub')],
    ] as const) {
      await save(name, { ...entryOf(fixture()), ...(cwd && { cwd }) });
      const { structuredContent } = await running.call(`upstream.${name}`, 'process');
      expect(await readlink(`/proc/${(structuredContent as { pid: number }).pid}/cwd`)).toBe(folder);
    }
  });

  it('that is refused changes nothing, and says code, field and a sentence', async () => {
    const server = fixture();
    const { running, save, list } = await run(
      { filed: { ...entryOf(server), enabled: false } },
      { STDIO_BY_API: 'off', SERVER_SECRETS: 'ALLOWED', SECRET_KEY: 'k' },
    );
    const before = await list();
    const url = 'https://a.example/mcp';
    for (const [name, entry, code, field] of [
      ['-', { url }, 'INVALID_NAME', 'name'],
      ['GitHub', { url }, 'RESERVED_NAME', 'name'],
      ['filed', { url }, 'READ_ONLY_ENTRY', 'name'],
      ['Filed', { url }, 'DUPLICATE_NAME', 'name'],
      ['a', {}, 'TRANSPORT_REQUIRED', 'command'],
      ['a', { url, command: 'x' }, 'TRANSPORT_CONFLICT', 'url'],
      ['a', { url, args: [] }, 'TRANSPORT_CONFLICT', 'args'],
      ['a', { url, type: 'sse' }, 'TRANSPORT_UNSUPPORTED', 'type'],
      ['a', { url, timeout: 5 }, 'UNKNOWN_FIELD', 'timeout'],
      ['a', { url, enabled: 'yes' }, 'INVALID_FIELD', 'enabled'],
      ['a', { url, mount: 'root' }, 'INVALID_FIELD', 'mount'],
      ['a', { url: 'http://[::1]/' }, 'PRIVATE_ADDRESS', 'url'],
      ['a', { url, headers: { A: '${env:SECRET_KEY}' } }, 'SECRET_NOT_ALLOWED', 'headers.A'],
      ['a', { url, headers: { A: '${file:SECRET_KEY}' } }, 'SECRET_NOT_ALLOWED', 'headers.A'],
      ['a', { command: 'x' }, 'STDIO_NOT_ALLOWED', 'command'],
    ] as const) {
      const change = await save(name, entry);
      expect(change).toMatchObject({
        ok: false,
        error: { code, field, message: expect.stringMatching(/^["A-Z].+\.$/) },
      });
    }
    expect(await list()).toEqual(before);
    expect(await readdir(running.folder)).not.toContain('home');
  });

  it('never gives back a value of its env or headers, nor what they refer to', async () => {
    const secret = 's3cret-value';
    const server = fixture({ stderrLines: 3 });
    const http = keep(await startModernHttpServer());
    const { running, save, list, named, test } = await run(
      {},
      { SERVER_SECRETS: 'KEY', KEY: secret, PATH: String(process.env['PATH']) },
    );
    const said = [
      await save('a', { ...entryOf(server), env: { ...server.env, TOKEN: '${env:KEY}', PLAIN: secret } }),
      await save('b', {
        url: http.url,
        allowPrivate: true,
        headers: { Authorization: 'Bearer ${env:KEY}', X: secret },
      }),
      await save('c', {
        command: process.execPath,
        args: ['-e', 'process.stderr.write(`started with ${process.env.TOKEN}\\n`, () => process.exit(1))'],
        env: { TOKEN: '${env:KEY}' },
      }),
      await test('a'),
      await test('b'),
      await test('c'),
      await list(),
    ];
    expect(JSON.stringify(said)).not.toContain(secret);
    expect((await named('c')).stderr).toContain('started with [redacted]');
    expect((await running.call('upstream.a', 'environment')).structuredContent).toMatchObject({ TOKEN: secret });
    expect(http.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${secret}`);
  });
});

describe('[UP-1] what an operator allows', () => {
  it('is asked again of entries that were saved before: those that are no longer allowed are not served, and say why', async () => {
    const server = fixture();
    const { running, save } = await run({}, { SERVER_SECRETS: 'KEY', KEY: 'x' });
    await save('plain', entryOf(server));
    await save('secret', { url: 'https://a.example/mcp', headers: { A: '${env:KEY}' } });
    const { bus, env } = running;
    await running.stop();
    const stricter = await startUpstreams(bus, readConfig({ ...env, STDIO_BY_API: 'off', SERVER_SECRETS: '' }), silent);
    keep(stricter);
    const { servers } = await bus.ask(listServers, {});
    expect(servers).toMatchObject([
      {
        name: 'plain',
        transport: 'stdio',
        source: 'api',
        state: 'failed',
        error: expect.stringContaining('STDIO_BY_API'),
      },
      { name: 'secret', transport: 'http', state: 'failed', error: expect.stringContaining('SERVER_SECRETS') },
    ]);
    expect(await bus.ask(testServer, { name: 'Secret' })).toMatchObject({
      ok: true,
      server: { name: 'secret', state: 'failed', error: expect.stringContaining('SERVER_SECRETS') },
    });
    await expect(running.call('upstream.plain', 'echo')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(server.pids()).toEqual([]);
    expect(codeOf(await bus.ask(deleteServer, { name: 'secret' }))).toBe('ok');
    expect((await bus.ask(listServers, {})).servers).toHaveLength(1);
  });
});
