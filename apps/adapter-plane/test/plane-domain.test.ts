import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DotGlob, describeSource } from '@portico/contracts';
import { describeDomain } from '@portico/testkit';
import type { AskedDomain } from '@portico/testkit';
import { readConfig, startAdapterPlane } from '@portico/adapter-plane';
import { PlaneWorld } from './plane-world.js';

describeDomain('plane', async () => {
  const world = await PlaneWorld.start();
  const shop = world.plane.records.project('SHOP');
  world.plane.records.create(shop, { name: 'One' });
  return {
    source: 'domain.plane',
    serve: (bus) => startAdapterPlane(bus, readConfig(world.environment())!, world.log()),
    backendRequests: () => world.plane.requests.length + world.git.requests.length,
    badArguments: { tool: 'get_work_item', arguments: { work_item: '../SHOP-1' } },
    hang() {
      let there = (): void => undefined;
      const arrived = new Promise<void>((resolve) => (there = resolve));
      world.plane.fault = ({ path }) => path.endsWith('/SHOP-1/') && (there(), true);
      return {
        tool: 'get_work_item',
        arguments: { work_item: 'SHOP-1' },
        arrived: () => arrived,
        release: () => (world.plane.fault = () => false),
      };
    },
    close: () => world.close(),
  };
});

describe('[AD-9][AD-10] what plane.* publishes', () => {
  let world: PlaneWorld;
  let adapter: AskedDomain;
  beforeAll(async () => {
    world = await PlaneWorld.start();
    adapter = await world.adapter();
  });
  afterAll(() => world.close());
  const published = async () => (await adapter.bus.ask(describeSource('domain.plane'), {})).tools;

  it('has these tools, with these effects', async () => {
    const effects = (await published()).map(({ definition, policy }) => [definition.name, policy.effect]);
    const reads = ['projects', 'work_items', 'states', 'labels', 'cycles', 'modules', 'members', 'comments'];
    expect(new Map(effects as [string, string][])).toEqual(
      new Map([
        ...reads.map((name) => [`list_${name}`, 'read'] as const),
        ['get_work_item', 'read'],
        ['search_work_items', 'read'],
        ...['create_work_item', 'update_work_item', 'set_state', 'add_comment'].map((name) => [name, 'write'] as const),
      ]),
    );
  });

  it('describes every argument that does not explain itself', async () => {
    const plain = new Set(['priority', 'view', 'limit']);
    for (const { definition } of await published()) {
      const properties = definition.inputSchema['properties'] as Record<string, { description?: string }>;
      for (const [name, { description }] of Object.entries(properties))
        if (!plain.has(name))
          expect([definition.name, name, description]).toEqual([definition.name, name, expect.any(String)]);
    }
  });

  it('needs a lease on the very item for each write to one, whose name has one spelling', async () => {
    const leased = (await published()).filter(({ policy }) => policy.lease);
    expect(leased.map(({ definition }) => definition.name).sort()).toEqual([
      'add_comment',
      'set_state',
      'update_work_item',
    ]);
    for (const { definition, policy } of leased) {
      expect(policy.lease).toEqual({ resource: 'plane:{project}/{work_item}' });
      expect(definition.inputSchema['required']).toEqual(expect.arrayContaining(['project', 'work_item']));
      const args = { project: 'SHOP', work_item: 'SHOP-1', state: 'Done', text: 'x' };
      const takes = Object.keys(definition.inputSchema['properties'] as object);
      for (const other of [
        { project: 'shop' },
        { work_item: 'SHOP-01' },
        { work_item: 'shop-1' },
        { work_item: ' SHOP-1' },
      ]) {
        const given = Object.entries({ ...args, ...other }).filter(([name]) => takes.includes(name));
        expect(await adapter.fault(definition.name, Object.fromEntries(given))).toMatchObject({
          code: 'INVALID_ARGUMENTS',
        });
      }
    }
  });

  it('keeps answers of reads alone, and each write drops those that it changes', async () => {
    const tools = await published();
    const names = tools.map(({ definition }) => definition.name);
    const dropped = (tool: string): string[] => {
      const globs = tools
        .find(({ definition }) => definition.name === tool)!
        .policy.invalidates!.map((glob) => new DotGlob(glob));
      return names.filter((name) => globs.some((glob) => glob.matches(`plane.${name}`))).sort();
    };
    const kept = tools.filter(({ policy }) => policy.cache).map(({ definition }) => definition.name);
    expect(kept).not.toContain('get_work_item');
    expect(tools.filter(({ policy }) => policy.cache && policy.effect !== 'read')).toEqual([]);
    expect(dropped('create_work_item')).toEqual(['list_work_items', 'search_work_items']);
    expect(dropped('update_work_item')).toEqual(['get_work_item', 'list_work_items', 'search_work_items']);
    expect(dropped('set_state')).toEqual(['get_work_item', 'list_work_items']);
    expect(dropped('add_comment')).toEqual(['list_comments']);
  });
});
