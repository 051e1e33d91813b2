import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { callTool, listServers, saveServer, sourceBye, sourceHello } from '@portico/contracts';
import type { SourceAddress } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { readConfig, startUpstreams } from '@portico/upstreams';
import { entryOf, opened } from './opened.js';
import { eventually, isAlive } from './running.js';

const { keep, fixture } = opened();
let folder: string;
let bus: Bus;
let logged: string[];
let told: string[];
const log = () => createLog({ name: 'upstreams', write: (line) => void logged.push(line) });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-watched-'));
  [logged, told] = [[], []];
  bus = memoryBus({ log: log() });
  await bus.listen(sourceHello, ({ source }) => void told.push(`hello ${source.slice(9)}`));
  await bus.listen(sourceBye, ({ source }) => void told.push(`bye ${source.slice(9)}`));
});
afterEach(async () => {
  await bus.close();
  await rm(folder, { recursive: true, force: true });
});

const text = (servers: Record<string, unknown>): string => JSON.stringify({ mcpServers: servers });
const start = async (file: string): Promise<{ close(): Promise<void> }> => {
  const env = {
    PATH: process.env['PATH'],
    PORTICO_HOME: join(folder, 'home'),
    WORKSPACE: join(folder, 'workspace'),
    MCP_SERVERS_FILE: file,
  };
  return keep(await startUpstreams(bus, readConfig(env), log()));
};
const call = (source: SourceAddress) =>
  bus.ask(callTool(source), { tool: 'echo', arguments: {} }, { deadlineMs: 20_000 });
const list = () => bus.ask(listServers, {});
const names = async () => (await list()).servers.map(({ name }) => name);
/** Long enough for a change to have been seen, if there was one to see. */
const aWhile = () => delay(1_500);

describe('[UP-14] the servers file', () => {
  it('that changes adds, replaces and removes its servers, and touches no other', async () => {
    const file = join(folder, 'mcp.json');
    const [kept, replaced, replacing, removed, added] = [fixture(), fixture(), fixture(), fixture(), fixture()];
    await writeFile(file, text({ kept: entryOf(kept), changed: entryOf(replaced), removed: entryOf(removed) }));
    await start(file);
    for (const name of ['kept', 'changed', 'removed'] as const) await call(`upstream.${name}`);
    told.length = 0;
    await writeFile(file, text({ kept: entryOf(kept), changed: entryOf(replacing), added: entryOf(added) }));
    await eventually(() =>
      expect([...told].sort()).toEqual(['bye changed', 'bye removed', 'hello added', 'hello changed']),
    );
    expect(told.indexOf('bye changed')).toBeLessThan(told.indexOf('hello changed'));
    for (const name of ['kept', 'changed', 'added'] as const) await call(`upstream.${name}`);
    expect([kept, replaced, replacing, removed, added].map((server) => server.pids().length)).toEqual([1, 1, 1, 1, 1]);
    expect([kept.executions(), replacing.executions(), added.executions()]).toEqual([2, 1, 1]);
    await eventually(() => expect([...replaced.pids(), ...removed.pids()].filter(isAlive)).toEqual([]));
    expect(await names()).toEqual(['added', 'changed', 'kept']);
    expect((await list()).servers.every(({ source }) => source === 'file')).toBe(true);
  });

  it.each([
    ['is no JSON', '{ "mcpServers": { "a": { "headers": "s3cret"', 'it is not JSON'],
    ['has a wrong entry', text({ a: { command: 'x', env: { A: 's3cret ${HOME}' } } }), 'entry "a": "env.A"'],
    ['is empty', '', 'it is not JSON'],
    ['is too large', `${text({})}${' '.repeat(1_100_000)}`, 'it takes at most 1048576'],
  ])(
    'that %s changes nothing, and says why in the log and in the list, without a secret',
    async (_what, broken, why) => {
      const file = join(folder, 'mcp.json');
      const server = fixture();
      await writeFile(file, text({ a: entryOf(server) }));
      await start(file);
      await call('upstream.a');
      told.length = 0;
      await writeFile(file, broken);
      await eventually(async () => expect((await list()).fileError).toContain(why));
      expect((await list()).fileError).toMatch(/^(MCP_SERVERS_FILE )?mcp\.json.*\.$/);
      expect(logged.filter((line) => line.includes('servers-file.not-used'))).toHaveLength(1);
      expect(logged.join() + JSON.stringify(await list())).not.toContain('s3cret');
      await call('upstream.a');
      expect(told).toEqual([]);
      expect(server.pids()).toHaveLength(1);
      await writeFile(file, text({ a: entryOf(server), b: entryOf(server) }));
      await eventually(async () => expect(await names()).toEqual(['a', 'b']));
      expect((await list()).fileError).toBeUndefined();
    },
  );

  it('may be replaced by a rename, again and again, as editors do', async () => {
    const file = join(folder, 'mcp.json');
    const server = fixture();
    await writeFile(file, text({}));
    await start(file);
    for (const name of ['one', 'two', 'three']) {
      await writeFile(`${file}.tmp`, text({ [name]: entryOf(server) }));
      await rename(`${file}.tmp`, file);
      await eventually(async () => expect(await names()).toEqual([name]));
    }
  });

  it('may be a link that is switched to another folder, as a mounted ConfigMap does', async () => {
    const server = fixture();
    const publish = async (version: string, servers: Record<string, unknown>): Promise<void> => {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, 'mcp.json'), text(servers));
      await symlink(version, join(folder, '..data_tmp'));
      await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    };
    await publish('..v1', { one: entryOf(server) });
    const file = join(folder, 'mcp.json');
    await symlink(join('..data', 'mcp.json'), file);
    await start(file);
    for (const [version, name] of [
      ['..v2', 'two'],
      ['..v3', 'three'],
    ] as const) {
      await publish(version, { [name]: entryOf(server) });
      await eventually(async () => expect(await names()).toEqual([name]));
    }
  });

  it('may be a link into a folder that nobody watches', async () => {
    const server = fixture();
    await mkdir(join(folder, 'elsewhere'));
    const target = join(folder, 'elsewhere', 'servers.json');
    await writeFile(target, text({ one: entryOf(server) }));
    await mkdir(join(folder, 'here'));
    const file = join(folder, 'here', 'mcp.json');
    await symlink(target, file);
    await start(file);
    await writeFile(target, text({ two: entryOf(server) }));
    await eventually(async () => expect(await names()).toEqual(['two']));
  });

  it('that is deleted changes nothing and says so; it counts again when it is there again', async () => {
    const file = join(folder, 'sub', 'mcp.json');
    await mkdir(join(folder, 'sub'));
    const server = fixture();
    await writeFile(file, text({ one: entryOf(server) }));
    await start(file);
    await call('upstream.one');
    await rm(join(folder, 'sub'), { recursive: true });
    await eventually(async () =>
      expect((await list()).fileError).toBe('MCP_SERVERS_FILE mcp.json can not be read (ENOENT).'),
    );
    await call('upstream.one');
    expect(server.pids()).toHaveLength(1);
    await mkdir(join(folder, 'sub'));
    await writeFile(file, text({ one: entryOf(server), two: entryOf(fixture()) }));
    await eventually(async () => expect(await names()).toEqual(['one', 'two']));
    expect((await list()).fileError).toBeUndefined();
    await call('upstream.one');
    expect(server.pids()).toHaveLength(1);
  });

  it('that was not there, and had not to be, takes the place of the built-in servers when it appears', async () => {
    const file = join(folder, 'mcp.json');
    const env = { PATH: process.env['PATH'], PORTICO_HOME: join(folder, 'home'), WORKSPACE: join(folder, 'workspace') };
    keep(await startUpstreams(bus, { ...readConfig(env), serversFile: { path: file, optional: true } }, log()));
    expect([...told].sort()).toEqual(['hello files', 'hello memory']);
    await writeFile(file, text({ own: entryOf(fixture()) }));
    await eventually(() => expect(told.slice(2).sort()).toEqual(['bye files', 'bye memory', 'hello own']));
    expect((await list()).servers).toMatchObject([{ name: 'own', source: 'file' }]);
  });

  it('that is touched, or comes back to what it was, changes nothing', async () => {
    const file = join(folder, 'mcp.json');
    const server = fixture();
    const content = text({ a: entryOf(server) });
    await writeFile(file, content);
    await start(file);
    told.length = 0;
    await writeFile(file, content);
    await writeFile(file, 'broken');
    await eventually(async () => expect((await list()).fileError).toBeDefined());
    await writeFile(file, 'broken');
    await aWhile();
    expect(logged.filter((line) => line.includes('servers-file.not-used'))).toHaveLength(1);
    await writeFile(file, content);
    await eventually(async () => expect((await list()).fileError).toBeUndefined());
    expect(told).toEqual([]);
  });

  it('comes before an entry of the same name that was saved by API, which is there again when the name is free', async () => {
    const file = join(folder, 'mcp.json');
    const [filed, saved] = [fixture(), fixture()];
    await writeFile(file, text({}));
    await start(file);
    await bus.ask(saveServer, { name: 'a', entry: entryOf(saved) });
    await call('upstream.a');
    await writeFile(file, text({ a: entryOf(filed) }));
    await eventually(async () => expect((await list()).servers).toMatchObject([{ name: 'a', source: 'file' }]));
    await call('upstream.a');
    await writeFile(file, text({}));
    await eventually(async () => expect((await list()).servers).toMatchObject([{ name: 'a', source: 'api' }]));
    await call('upstream.a');
    expect([filed.executions(), saved.executions()]).toEqual([1, 2]);
  });

  it('is watched by nobody once the service has ended', async () => {
    const file = join(folder, 'mcp.json');
    await writeFile(file, text({}));
    const upstreams = await start(file);
    await upstreams.close();
    told.length = 0;
    await writeFile(file, text({ a: { command: 'x' } }));
    await aWhile();
    expect(told).toEqual([]);
  });
});
