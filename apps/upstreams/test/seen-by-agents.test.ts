import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MemoryHub, memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import {
  callTool,
  catalogueChanged,
  deleteServer,
  hideTool,
  listServers,
  prewarmServers,
  saveServer,
  sourceHello,
  toggleServer,
} from '@portico/contracts';
import { readConfig as readDiscoveryConfig, startDiscovery } from '@portico/discovery';
import { readConfig as readFrontDoorConfig, startFrontDoor } from '@portico/front-door';
import { startModernHttpServer } from '@portico/testkit';
import { startUpstreams } from '@portico/upstreams';
import { opened } from './opened.js';
import { configOf, eventually, silent } from './running.js';

const { keep, fixture } = opened();

async function surroundings() {
  const folder = await mkdtemp(join(tmpdir(), 'portico-seen-'));
  keep({ close: () => rm(folder, { recursive: true, force: true }) });
  const env = {
    PATH: process.env['PATH'],
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    PORTICO_HOME: join(folder, 'home'),
    WORKSPACE: join(folder, 'workspace'),
  };
  return { folder, env };
}

describe('[UP-1][UP-2][UP-8] without any restart', () => {
  it('an agent sees the tools of a saved server, can call them in both forms, and sees them go', async () => {
    const { folder, env } = await surroundings();
    const bus: Bus = memoryBus({ log: silent });
    keep(bus);
    const server = fixture();
    keep(await startDiscovery(bus, readDiscoveryConfig(env), silent));
    keep(await startUpstreams(bus, configOf(env, folder), silent));
    await bus.ask(toggleServer, { name: 'files', enabled: false });
    await bus.ask(toggleServer, { name: 'memory', enabled: false });
    const door = await startFrontDoor(bus, readFrontDoorConfig(env), silent);
    keep(door);
    const changes: string[][] = [];
    await bus.listen(catalogueChanged, ({ sources }) => void changes.push(sources));

    const rpc = async (method: string, params: object = {}) => {
      const response = await fetch(`${door.url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return (await response.json()) as { result?: Record<string, unknown> };
    };
    const tools = async () =>
      ((await rpc('tools/list')).result!['tools'] as { name: string }[])
        .map(({ name }) => name)
        .filter((name) => !name.startsWith('gateway.'));
    expect(await tools()).toEqual([]);

    await bus.ask(saveServer, {
      name: 'Own',
      entry: { command: server.command, args: server.args, env: server.env },
    });
    await eventually(async () => expect(await tools()).toEqual(expect.arrayContaining(['own.echo', 'own.odd'])));
    expect(changes.flat()).toContain('upstream.own');
    for (const name of ['own.echo', 'mcp__own__echo']) {
      const { result } = await rpc('tools/call', { name, arguments: { a: 1 } });
      expect(result).toMatchObject({ structuredContent: { a: 1 } });
    }

    await bus.ask(hideTool, { name: 'own', tool: 'echo', hidden: true });
    await eventually(async () => expect(await tools()).not.toContain('own.echo'));
    expect(await tools()).toContain('own.odd');
    const executed = server.executions();
    for (const name of ['own.echo', 'mcp__own__echo'])
      expect(JSON.stringify(await rpc('tools/call', { name, arguments: {} }))).not.toContain('"structuredContent":{}');
    expect(server.executions()).toBe(executed);

    await bus.ask(deleteServer, { name: 'own' });
    await eventually(async () => expect(await tools()).toEqual([]));
  });
});

describe('[UP-2] several instances', () => {
  it('each serve what was saved at another, from then on', async () => {
    const { folder, env } = await surroundings();
    const hub = new MemoryHub();
    const buses = [memoryBus({ log: silent, hub }), memoryBus({ log: silent, hub })] as const;
    buses.forEach(keep);
    const server = keep(await startModernHttpServer());
    const [first, second] = [
      await startUpstreams(buses[0], configOf(env, folder), silent),
      await startUpstreams(buses[1], configOf(env, folder), silent),
    ];
    const asker = memoryBus({ log: silent, hub });
    keep(asker);
    keep(second);
    const entry = { url: server.url, allowPrivate: true };
    const saidBy = new Set<string>();
    await asker.listen(sourceHello, ({ source, instance }) => void (source === 'upstream.own' && saidBy.add(instance)));
    // Whichever of them is asked, what another has just done is what it works on.
    expect(await asker.ask(saveServer, { name: 'own', entry })).toMatchObject({ ok: true });
    await eventually(() => expect(saidBy.size).toBe(2));
    for (let turn = 0; turn < 4; turn += 1) {
      expect((await asker.ask(listServers, {})).servers.map(({ name }) => name)).toContain('own');
      expect(await asker.ask(saveServer, { name: 'OWN', entry })).toMatchObject({
        ok: false,
        error: { code: 'DUPLICATE_NAME' },
      });
    }
    expect(await asker.ask(prewarmServers, {})).toEqual({ ok: true });
    await first.close();
    const call = { tool: 'echo', arguments: { a: 1 } };
    expect(await asker.ask(callTool('upstream.own'), call, { deadlineMs: 20_000 })).toMatchObject({
      structuredContent: { a: 1 },
    });
  });
});
