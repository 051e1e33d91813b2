import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AskedDomain } from '@portico/testkit';
import { PLANE_KEY, PlaneWorld } from './plane-world.js';

describe('[AD-9] plane.* reads', () => {
  let world: PlaneWorld;
  let adapter: AskedDomain;
  let shop: string;
  beforeAll(async () => {
    world = await PlaneWorld.start();
    const { records } = world.plane;
    shop = records.project('SHOP');
    records.project('OPS');
    const label = records.labels.find(({ name }) => name === 'bug')!.id;
    for (let n = 1; n <= 250; n++) {
      records.create(shop, {
        name: `Item ${n}`,
        priority: n % 2 ? 'high' : 'low',
        labels: [label],
        assignees: [records.members[0]!.id],
        description_html: `<p>About &lt;${n}&gt;</p><ul><li>one</li><li>two</li></ul>`,
      });
    }
    adapter = await world.adapter();
  });
  beforeEach(() => {
    world.plane.requests.length = 0;
  });
  afterAll(() => world.close());

  it('lists projects, by the identifier that the other tools take', async () => {
    expect((await adapter.call('list_projects', {})).projects).toEqual([
      { identifier: 'SHOP', name: 'The SHOP', description: 'About SHOP', id: shop },
      { identifier: 'OPS', name: 'The OPS', description: 'About OPS', id: expect.any(String) },
    ]);
    expect(world.plane.requests[0]).toMatchObject({ headers: { 'x-api-key': PLANE_KEY } });
    expect(world.plane.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('gives every page of the work items, each once, and no cursor after the last', async () => {
    const keys: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await adapter.call('list_work_items', { project: 'SHOP', limit: 100, ...(cursor && { cursor }) });
      keys.push(...page.work_items.map(({ key }: { key: string }) => key));
      cursor = page.next_cursor;
      pages++;
    } while (cursor !== undefined);
    expect(pages).toBe(3);
    expect(keys).toEqual(Array.from({ length: 250 }, (_, index) => `SHOP-${250 - index}`));
  });

  it('keeps the size of the first page while it follows a cursor', async () => {
    const { next_cursor } = await adapter.call('list_work_items', {
      project: 'SHOP',
      limit: 20,
      order_by: 'created_at',
    });
    const next = await adapter.call('list_work_items', {
      project: 'SHOP',
      order_by: 'created_at',
      cursor: next_cursor,
    });
    expect(next.work_items.map(({ key }: { key: string }) => key)).toEqual(
      Array.from({ length: 20 }, (_, index) => `SHOP-${index + 21}`),
    );
  });

  it('shows items in names, without what nobody asked for', async () => {
    const { work_items } = await adapter.call('list_work_items', { project: 'SHOP', limit: 1 });
    expect(work_items[0]).toEqual({
      key: 'SHOP-250',
      id: expect.any(String),
      name: 'Item 250',
      state: 'Todo',
      state_group: 'unstarted',
      priority: 'low',
      labels: ['bug'],
      assignees: ['ada'],
      updated_at: expect.any(String),
    });
  });

  it('gets one item by its key, and by its id, with its description as text', async () => {
    const byKey = await adapter.call('get_work_item', { work_item: 'SHOP-12' });
    expect(byKey).toMatchObject({ key: 'SHOP-12', name: 'Item 12', description: 'About <12>\n\n- one\n- two' });
    expect(await adapter.call('get_work_item', { work_item: byKey.id, project: 'SHOP' })).toEqual(byKey);
    expect(await adapter.fault('get_work_item', { work_item: byKey.id })).toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(await adapter.fault('get_work_item', { work_item: 'SHOP-12', project: 'OPS' })).toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
    expect(await adapter.fault('get_work_item', { work_item: 'SHOP-999' })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('cuts a long description, says so, and shows the rest when asked', async () => {
    const { records } = world.plane;
    const long = records.create(shop, {
      name: 'Long',
      description_html: `<p>${'a'.repeat(20_000)}${'b'.repeat(500)}</p>`,
    });
    const key = `SHOP-${(long[1] as { sequence_id: number }).sequence_id}`;
    const { description } = await adapter.call('get_work_item', { work_item: key });
    expect(description).toMatch(/^a{20000}\n\[cut: characters 0 to 20000 of 20500\. description_from: 20000 /);
    const rest = await adapter.call('get_work_item', { work_item: key, description_from: 20_000 });
    expect(rest.description).toBe('b'.repeat(500));
  });

  it('searches in a project and in the workspace', async () => {
    const { work_items } = await adapter.call('search_work_items', { query: 'item 24', project: 'SHOP' });
    expect(work_items.map(({ key }: { key: string }) => key)).toContain('SHOP-24');
    expect((await adapter.call('search_work_items', { query: 'item 24', project: 'OPS' })).work_items).toEqual([]);
    const everywhere = await adapter.call('search_work_items', { query: 'item', limit: 3 });
    expect(everywhere).toMatchObject({ truncated: true, work_items: [{}, {}, {}] });
    expect(world.plane.requests.at(-1)?.query.get('workspace_search')).toBe('true');
  });

  it('lists states, labels, cycles, modules and members, bare arrays and pages alike', async () => {
    const { states } = await adapter.call('list_states', { project: 'SHOP' });
    expect(states).toMatchObject([
      { name: 'Todo', group: 'unstarted', default: true },
      { name: 'In Progress' },
      { name: 'Done' },
    ]);
    const names = async (tool: string, args: object): Promise<string[]> =>
      Object.values<{ name: string }[]>(await adapter.call(tool, { project: 'SHOP', ...args }))[0]!.map(
        ({ name }) => name,
      );
    expect(await names('list_labels', {})).toEqual(['bug', 'big "one"']);
    expect(await names('list_cycles', {})).toEqual(['Sprint 1', 'Sprint 2']);
    expect(await names('list_cycles', { view: 'current' })).toEqual(['Sprint 1']);
    expect(await names('list_modules', {})).toEqual(['Checkout']);
    expect(await names('list_members', {})).toEqual(['ada', 'grace']);
    const all = await adapter.call('list_members', {});
    expect(all.members).toMatchObject([{ name: 'ada', role: 'member' }, { name: 'grace' }]);
    expect(JSON.stringify(all)).not.toContain('@');
  });

  it('follows pages until there are none, up to a thousand entries, and says how to go on', async () => {
    const { records } = world.plane;
    const big = records.project('BIG');
    for (let n = 0; n < 1_050; n++) records.add('labels', big, { name: `label ${n}` });
    const first = await adapter.call('list_labels', { project: 'BIG' });
    expect(first.labels).toHaveLength(1_000);
    const rest = await adapter.call('list_labels', { project: 'BIG', cursor: first.next_cursor });
    expect(rest.labels).toHaveLength(52);
    expect(rest.next_cursor).toBeUndefined();
  });

  it('lists comments as text, with who wrote them', async () => {
    const item = world.plane.records.byKey('SHOP-1')!;
    for (let n = 0; n < 30; n++) world.plane.records.comment(item.id, { comment_html: `<p>Comment<br>${n}</p>` });
    const first = await adapter.call('list_comments', { work_item: 'SHOP-1' });
    expect(first.comments).toHaveLength(25);
    expect(first.comments[0]).toMatchObject({ text: 'Comment\n0', created_at: expect.any(String) });
    const rest = await adapter.call('list_comments', { work_item: 'SHOP-1', cursor: first.next_cursor });
    expect(rest.comments).toHaveLength(5);
    expect(rest).not.toHaveProperty('next_cursor');
  });

  it.each([
    ['get_work_item', { work_item: 'SHOP-1/../2' }],
    ['get_work_item', { work_item: '..' }],
    ['get_work_item', { work_item: 'shop-1' }],
    ['get_work_item', { work_item: 'SHOP-01' }],
    ['get_work_item', { work_item: 'SHOP-1\0' }],
    ['get_work_item', { work_item: 'SHОP-1' }],
    ['list_states', { project: '%2e%2e' }],
    ['list_states', { project: 'SHOP/x' }],
    ['list_states', { project: 'SHOPSHOPSHOPS' }],
    ['list_labels', { project: 'SHOP', cursor: '1000:0:0' }],
    ['list_labels', { project: 'SHOP', cursor: '100:0:0&x=1' }],
    ['list_work_items', { project: 'SHOP', order_by: 'name' }],
    ['list_work_items', { project: 'SHOP', limit: 101 }],
    ['search_work_items', { query: ' ' }],
    ['update_work_item', { project: 'SHOP', work_item: 'SHOP-1' }],
    ['set_state', { project: 'SHOP', work_item: 'OPS-1', state: 'Done' }],
    ['set_state', { project: 'SHOP', work_item: 'SHOP-1', state: 'a\nb' }],
    ['create_work_item', { project: 'SHOP', name: '' }],
    ['create_work_item', { project: 'SHOP', name: 'x', labels: ['bug', 'bug'] }],
  ])('[AD-2] %s with %j reaches neither Plane nor git', async (tool, args) => {
    world.git.requests.length = 0;
    expect(await adapter.fault(tool, args)).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
    expect([...world.plane.requests, ...world.git.requests]).toEqual([]);
  });
});
