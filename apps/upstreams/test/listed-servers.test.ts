import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { sourceHello } from '@portico/contracts';
import { openDocuments } from '@portico/storage';
import { entryOf, opened } from './opened.js';
import { runOperated } from './operator.js';
import { eventually, silent } from './running.js';

const { keep, fixture } = opened();
const run = async (...given: Parameters<typeof runOperated>) => keep(await runOperated(...given));

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

describe('[UP-1][UP-2] the store', () => {
  it('is looked at by the list: what another process has saved is there', async () => {
    const { running, names } = await run({});
    expect(await names()).toEqual([]);
    const home = join(running.folder, 'home');
    const documents = keep(await openDocuments({ databaseUrl: 'pglite:', home, log: silent }));
    await documents.put('servers', 'other', { spelled: 'Other', given: entryOf(fixture()) });
    expect(await names()).toEqual(['other']);
  });

  it('that is out of reach refuses a change, and nothing is changed; what it may have switched off is not served', async () => {
    const server = fixture();
    const folder = await mkdtemp(join(tmpdir(), 'portico-broken-'));
    keep({ close: () => rm(folder, { recursive: true }) });
    const collection = join(folder, 'documents', 'servers');
    await mkdir(join(folder, 'documents'));
    // A link to itself can not be read by anybody.
    await symlink(collection, collection);
    const { running, save, names } = await run(undefined, { PORTICO_HOME: folder });
    expect(await names()).toEqual([]);
    await expect(save('a', entryOf(server))).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    // It is read again by itself.
    const hellos: string[] = [];
    await running.bus.listen(sourceHello, ({ source }) => void hellos.push(source));
    await rm(collection);
    await eventually(() => expect(hellos.sort()).toEqual(['upstream.files', 'upstream.memory']));
    expect(await save('a', entryOf(server))).toMatchObject({ ok: true });
    expect(await names()).toEqual(['a', 'files', 'memory']);
  });
});

describe('[UP-12] warming up', () => {
  it('connects every enabled server, 4 at a time, and nobody waits for it; the start connects none', async () => {
    const all = Array.from({ length: 6 }, () => fixture({ mute: true }));
    const good = fixture();
    const { prewarm, named } = await run({
      ...Object.fromEntries(
        all.map((server, index) => [`m${index}`, { ...entryOf(server), connectTimeoutSeconds: 5 }]),
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
    await delay(300);
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
