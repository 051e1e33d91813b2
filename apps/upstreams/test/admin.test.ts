import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  deleteServer,
  hideTool,
  listKnownServers,
  listServers,
  prewarmServers,
  saveServer,
  sourceBye,
  sourceChanged,
  sourceHello,
  testServer,
  toggleServer,
} from '@portico/contracts';
import type { ServerChange, ServerState } from '@portico/contracts';
import { startModernHttpServer } from '@portico/testkit';
import { readConfig, startUpstreams } from '@portico/upstreams';
import { entryOf, opened } from './opened.js';
import { eventually, isAlive, runUpstreams, silent } from './running.js';
import type { Running } from './running.js';

const { keep, fixture } = opened();

function operator({ bus }: Running) {
  const list = () => bus.ask(listServers, {});
  return {
    list,
    named: async (name: string): Promise<ServerState> =>
      (await list()).servers.find((server) => server.name === name) as ServerState,
    names: async () => (await list()).servers.map(({ name }) => name),
    catalog: async () => (await bus.ask(listKnownServers, {})).servers,
    save: (name: string, entry: unknown) => bus.ask(saveServer, { name, entry }),
    remove: (name: string) => bus.ask(deleteServer, { name }),
    toggle: (name: string, enabled: boolean) => bus.ask(toggleServer, { name, enabled }),
    hide: (name: string, tool: string, hidden = true) => bus.ask(hideTool, { name, tool, hidden }),
    test: (name: string) => bus.ask(testServer, { name }),
    prewarm: () => bus.ask(prewarmServers, {}),
  };
}

const run = async (...given: Parameters<typeof runUpstreams>) => {
  const running = await runUpstreams(...given);
  keep(running);
  return { running, ...operator(running) };
};

const stderrLine = expect.stringMatching(/^stderr \d e{200,}$/) as unknown;
const codeOf = (change: ServerChange) => (change.ok ? 'ok' : change.error.code);

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
    await expect(running.call('upstream.plain', 'echo')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(server.pids()).toEqual([]);
    expect(codeOf(await bus.ask(deleteServer, { name: 'secret' }))).toBe('ok');
    expect((await bus.ask(listServers, {})).servers).toHaveLength(1);
  });
});

describe('[UP-2] the other changes', () => {
  it('delete says bye, ends the processes, and forgets', async () => {
    const server = fixture({ grandchild: true });
    const { running, save, remove, names } = await run({ filed: { command: 'x', enabled: false } });
    const byes: string[] = [];
    await running.bus.listen(sourceBye, ({ source }) => void byes.push(source));
    await save('A b', entryOf(server));
    await running.call('upstream.a-b', 'echo');
    expect(codeOf(await remove('A b'))).toBe('ok');
    expect(byes).toEqual(['upstream.a-b']);
    await eventually(() => expect(server.pids().filter(isAlive)).toEqual([]));
    await expect(running.call('upstream.a-b', 'echo')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(codeOf(await remove('A b'))).toBe('UNKNOWN_SERVER');
    expect(codeOf(await remove('filed'))).toBe('READ_ONLY_ENTRY');
    expect(await names()).toEqual(['filed']);
  });

  it('toggle switches a server off and on', async () => {
    const server = fixture();
    const { running, save, toggle, named, test } = await run({ filed: { command: 'x', enabled: false } });
    await save('a', entryOf(server));
    await running.call('upstream.a', 'echo');
    expect(await toggle('a', false)).toMatchObject({ ok: true, server: { enabled: false, state: 'disabled' } });
    await eventually(() => expect(server.pids().filter(isAlive)).toEqual([]));
    await expect(running.call('upstream.a', 'echo')).rejects.toMatchObject({ executed: 'no' });
    expect(await test('a')).toMatchObject({ ok: true, server: { state: 'disabled' } });
    expect(await toggle('a', true)).toMatchObject({ ok: true, server: { enabled: true } });
    await running.call('upstream.a', 'echo');
    expect(await named('a')).toMatchObject({ state: 'connected' });
    expect(codeOf(await toggle('none', true))).toBe('UNKNOWN_SERVER');
    expect(codeOf(await toggle('filed', true))).toBe('READ_ONLY_ENTRY');
  });

  it('[UP-8] a hidden tool is neither listed nor callable, from now on and without a new session', async () => {
    const server = fixture();
    const { running, save, hide, named } = await run({ filed: { command: 'x', enabled: false } });
    const changes: string[] = [];
    await running.bus.listen(sourceChanged, ({ source }) => void changes.push(source));
    await save('a', entryOf(server));
    const namesOf = async () => (await running.describe('upstream.a')).tools.map(({ definition }) => definition.name);
    const all = await namesOf();
    expect(await hide('a', 'echo')).toMatchObject({
      ok: true,
      server: { hiddenTools: ['echo'], tools: all.length - 1 },
    });
    expect(changes).toEqual(['upstream.a']);
    expect(await namesOf()).toEqual(all.filter((name) => name !== 'echo'));
    await expect(running.call('upstream.a', 'echo')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL', executed: 'no' });
    expect(codeOf(await hide('a', 'nonesuch'))).toBe('UNKNOWN_TOOL');
    expect(codeOf(await hide('a', 'nonesuch', false))).toBe('UNKNOWN_TOOL');
    expect(codeOf(await hide('none', 'echo'))).toBe('UNKNOWN_SERVER');
    expect(codeOf(await hide('filed', 'echo'))).toBe('READ_ONLY_ENTRY');
    expect(await named('a')).toMatchObject({ hiddenTools: ['echo'], tools: all.length - 1 });
    await hide('a', 'echo', false);
    expect(await namesOf()).toEqual(all);
    await running.call('upstream.a', 'echo');
    expect(server.pids()).toHaveLength(1);
  });

  it('a built-in server can be switched off and its tools hidden, but neither replaced nor deleted', async () => {
    const { save, remove, toggle, hide, names, named } = await run();
    expect(await names()).toEqual(['files', 'memory']);
    expect(codeOf(await save('files', { url: 'https://a.example/' }))).toBe('READ_ONLY_ENTRY');
    expect(codeOf(await remove('files'))).toBe('READ_ONLY_ENTRY');
    expect(codeOf(await hide('memory', 'read_graph'))).toBe('ok');
    expect(await toggle('files', false)).toMatchObject({ ok: true, server: { source: 'builtin', state: 'disabled' } });
    expect(await named('memory')).toMatchObject({ tools: 8, hiddenTools: ['read_graph'] });
  });

  it('test connects anew, whatever the state, and tells what came of it', async () => {
    const server = fixture({ stderrLines: 2 });
    const { running, save, test } = await run({});
    await save('good', entryOf(server));
    await save('dead', entryOf(fixture({ exits: true })));
    await running.call('upstream.good', 'echo');
    const [pid] = server.pids();
    expect(await test('good')).toMatchObject({
      ok: true,
      server: {
        state: 'connected',
        era: 'legacy',
        protocolVersion: '2025-11-25',
        // Of both its processes.
        stderr: [stderrLine, stderrLine, stderrLine, stderrLine],
      },
    });
    expect(server.pids()).toHaveLength(2);
    expect(isAlive(pid!)).toBe(false);
    const { server: dead } = (await test('dead')) as { server: ServerState };
    expect(dead).toMatchObject({ state: 'failed', error: expect.stringContaining('dead'), tools: 0 });
    expect(Date.parse(dead.since!)).toBeGreaterThan(Date.now() - 60_000);
    expect(codeOf(await test('none'))).toBe('UNKNOWN_SERVER');
  });
});

describe('[UP-2] the list', () => {
  it('tries the enabled servers, 8 at a time, and is answered within its time: those still at it say so', async () => {
    const mute = fixture({ mute: true });
    const good = fixture();
    const servers = {
      ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`mute-${index}`, entryOf(mute)])),
      good: entryOf(good),
      off: { command: 'x', enabled: false },
      'not-there': { command: 'no-such-program-at-all' },
    };
    const { list } = await run(servers);
    const begun = performance.now();
    const first = await list();
    expect(performance.now() - begun).toBeLessThan(9_000);
    const statesOf = ({ servers: told }: typeof first) => told.map(({ name, state }) => `${name} ${state}`);
    expect(statesOf(first).filter((told) => told.endsWith('connecting')).length).toBeGreaterThan(0);
    expect(mute.pids().length).toBeLessThanOrEqual(8);
    expect(statesOf(first)).toEqual(expect.arrayContaining(['good connected', 'off disabled']));
    // Who is still at it keeps no other from its turn for ever.
    expect(statesOf(await list())).toContain('not-there failed');
  });
});

describe('[UP-12] warming up', () => {
  it('connects every enabled server, 4 at a time, and nobody waits for it; the start connects none', async () => {
    const all = Array.from({ length: 6 }, () => fixture({ mute: true }));
    const good = fixture();
    const { prewarm, named } = await run({
      ...Object.fromEntries(
        all.map((server, index) => [`m${index}`, { ...entryOf(server), connectTimeoutSeconds: 2 }]),
      ),
      z: entryOf(good),
    });
    await delay(200);
    expect([...all, good].flatMap((server) => server.pids())).toEqual([]);
    const begun = performance.now();
    expect(await prewarm()).toEqual({ ok: true });
    expect(performance.now() - begun).toBeLessThan(1_000);
    const started = () => all.filter((server) => server.pids().length > 0).length;
    await eventually(() => expect(started()).toBe(4));
    await prewarm();
    expect(started()).toBe(4);
    await eventually(() => expect(good.pids()).toHaveLength(1));
    await eventually(async () => expect(await named('z')).toMatchObject({ state: 'connected' }));
  });
});

describe('[UP-2] the known servers', () => {
  it('are shown with the workspace, what starts them, and whether they are configured', async () => {
    const { running, catalog } = await run(
      { Time: { command: 'uvx', args: ['mcp-server-time'] } },
      { PATH: '/nowhere' },
    );
    const known = await catalog();
    expect(known.length).toBeGreaterThanOrEqual(25);
    const named = (name: string) => known.find((server) => server.name === name);
    expect(named('time')).toMatchObject({ configured: true, launcher: 'missing', needs: [] });
    expect(named('deepwiki')).toMatchObject({ configured: false, launcher: 'none' });
    expect(named('filesystem')!.entry).toEqual({
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', join(running.folder, 'workspace')],
    });
    expect(JSON.stringify(known)).not.toContain('{workspace}');
    const other = await run({});
    const present = (await other.catalog()).find((server) => server.name === 'notion');
    expect(present).toMatchObject({ launcher: 'present', needs: [{ name: 'NOTION_TOKEN' }] });
  });
});
