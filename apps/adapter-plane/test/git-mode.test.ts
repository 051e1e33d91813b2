import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeSource } from '@portico/contracts';
import { BackendClient } from '@portico/domain-kit';
import { readConfig } from '@portico/adapter-plane';
import { PlaneReader } from '../src/client.js';
import type { PlaneWriter } from '../src/writer.js';
import { writesOf } from '../src/writes.js';
import { PlaneWorld } from './plane-world.js';

const FILE = '{\n  "project": "SHOP",\n  "work_items": []\n}\n';
const WRITES = ['createWorkItem', 'updateWorkItem', 'addComment', 'send', 'exchange', 'post', 'put', 'patch', 'delete'];

/** Every name that can be called on a value, its own and inherited, and those of what it holds. */
function reachable(value: unknown, seen = new Set<unknown>()): { names: Set<string>; values: Set<unknown> } {
  const names = new Set<string>();
  const walk = (each: unknown): void => {
    if ((typeof each !== 'object' && typeof each !== 'function') || each === null || seen.has(each)) return;
    seen.add(each);
    for (
      let at: object | null = each;
      at && at !== Object.prototype && at !== Function.prototype;
      at = Object.getPrototypeOf(at)
    )
      for (const [name, { value: held }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
        if (typeof held === 'function') names.add(name);
        else walk(held);
      }
  };
  walk(value);
  return { names, values: seen };
}

describe('[AD-12] in git mode', () => {
  let world: PlaneWorld;
  beforeAll(async () => {
    world = await PlaneWorld.start();
    const shop = world.plane.records.project('SHOP');
    world.plane.records.create(shop, { name: 'One' });
    await world.git.put('.plane/SHOP.json', FILE);
  });
  afterAll(() => world.close());
  const config = () => readConfig(world.environment({ PLANE_WRITE_MODE: 'git' }))!;

  it('the client that the tools are given has no write, as types go', async () => {
    const reader = new PlaneReader(config(), world.log());
    // @ts-expect-error -- a reader is no writer
    const writer: PlaneWriter = reader;
    for (const write of [
      // @ts-expect-error -- there is none
      () => reader.createWorkItem('p', {}),
      // @ts-expect-error -- there is none
      () => reader.updateWorkItem('p', 'i', {}),
      // @ts-expect-error -- there is none
      () => reader.addComment('p', 'i', ''),
      // @ts-expect-error -- there is none
      () => reader.send('POST', '/'),
    ])
      expect(write).toThrow(TypeError);
    expect(writer).toBe(reader);
    await reader.close();
  });

  it('the client that the tools are given has no write at run time, and holds nothing that has', async () => {
    const reader = new PlaneReader(config(), world.log());
    const { names, values } = reachable(reader);
    expect(names).toContain('workItemByKey');
    expect(WRITES.filter((name) => names.has(name))).toEqual([]);
    expect([...values].filter((value) => value instanceof BackendClient)).toEqual([]);
    await reader.close();
  });

  it('only the Git server has a client that writes', async () => {
    const reader = new PlaneReader(config(), world.log());
    const writes = writesOf(config(), reader, world.log());
    const { names, values } = reachable(writes);
    for (const write of ['createWorkItem', 'updateWorkItem', 'addComment']) expect(names).not.toContain(write);
    expect([...values].filter((value) => value instanceof BackendClient)).toHaveLength(1);
    await reader.close();
    await writes.close();
  });

  it('no tool sends Plane anything but GET, whatever becomes of it', async () => {
    const adapter = await world.adapter({ PLANE_WRITE_MODE: 'git' });
    const { tools } = await adapter.bus.ask(describeSource('domain.plane'), {});
    const args: Record<string, unknown> = {
      project: 'SHOP',
      work_item: 'SHOP-1',
      query: 'One',
      name: 'New',
      state: 'Done',
      text: 'Hello',
    };
    const called = async (): Promise<string[]> => {
      const outcomes: string[] = [];
      for (const { definition } of tools) {
        const takes = Object.keys(definition.inputSchema['properties'] as object);
        const given = Object.fromEntries(Object.entries(args).filter(([name]) => takes.includes(name)));
        outcomes.push(
          await adapter.call(definition.name, given).then(
            () => 'done',
            ({ code }: { code: string }) => `${definition.name} ${code}`,
          ),
        );
      }
      return outcomes;
    };
    expect(tools).toHaveLength(14);
    expect((await called()).filter((outcome) => outcome !== 'done')).toEqual(['add_comment UNSUPPORTED']);
    world.git.fault = async ({ method }, forward) => (method === 'PUT' ? 'cut' : forward());
    await called();
    world.git.fault = async () => 'cut';
    await called();
    expect(world.plane.requests.length).toBeGreaterThan(30);
    expect(world.plane.writes()).toEqual([]);
  });
});
