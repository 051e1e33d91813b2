import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AskedDomain } from '@portico/testkit';
import type { Item } from './plane-records.js';
import { PlaneWorld } from './plane-world.js';

const PATH = '.plane/SHOP.json';
const EMPTY = '{\n  "project": "SHOP",\n  "work_items": []\n}\n';
const DECLARED = `{
  "project": "SHOP",
  "work_items": [
    {
      "key": "SHOP-1",
      "name": "One",
      "state": "Todo",
      "priority": "low"
    }
  ]
}
`;
const create = {
  project: 'SHOP',
  name: 'The <b>till</b>',
  state: 'In Progress',
  priority: 'high',
  labels: ['big "one"', 'bug'],
  description: 'First & "foremost".\n\nSecond\nline',
};
const setState = { project: 'SHOP', work_item: 'SHOP-1', state: 'Done' };
const comment = { project: 'SHOP', work_item: 'SHOP-1', text: 'Seen <script>\nand known' };

let world: PlaneWorld;
let shop: string;
beforeEach(async () => {
  world = await PlaneWorld.start();
  shop = world.plane.records.project('SHOP');
  world.plane.records.create(shop, { name: 'One', priority: 'low' });
  await world.git.put(PATH, DECLARED);
});
afterEach(() => world.close());

const named = (item: Item): string => world.plane.records.states.find(({ id }) => id === item.state)!.name;
const labelled = (item: Item): string[] =>
  item.labels.map((label) => world.plane.records.labels.find(({ id }) => id === label)!.name);

describe('[AD-10] in api mode', () => {
  let adapter: AskedDomain;
  beforeEach(async () => {
    adapter = await world.adapter({ PLANE_WRITE_MODE: 'api', PLANE_GIT_REPOSITORY: '' });
  });

  it('makes a work item in Plane, of names and text', async () => {
    const made = await adapter.call('create_work_item', create);
    const item = world.plane.records.byKey('SHOP-2')!;
    expect(made).toEqual({ work_item: 'SHOP-2', id: item.id, written_to: ['plane'] });
    expect(item).toMatchObject({
      name: 'The <b>till</b>',
      priority: 'high',
      description_html: '<p>First &amp; &quot;foremost&quot;.</p><p>Second<br>line</p>',
      external_id: null,
    });
    expect([named(item), labelled(item)]).toEqual(['In Progress', ['big "one"', 'bug']]);
    const { description } = await adapter.call('get_work_item', { work_item: 'SHOP-2' });
    expect(description).toBe(create.description);
  });

  it('changes fields, the state, and comments, each by one request', async () => {
    const changes = { project: 'SHOP', work_item: 'SHOP-1', name: 'Uno', labels: [] };
    expect(await adapter.call('update_work_item', changes)).toEqual({
      work_item: 'SHOP-1',
      changed: ['labels', 'name'],
      written_to: ['plane'],
    });
    await adapter.call('set_state', setState);
    const said = await adapter.call('add_comment', comment);
    const item = world.plane.records.byKey('SHOP-1')!;
    expect([item.name, named(item), item.priority]).toEqual(['Uno', 'Done', 'low']);
    expect(said).toEqual({ work_item: 'SHOP-1', comment_id: expect.any(String), written_to: ['plane'] });
    expect(world.plane.records.comments[0]?.comment_html).toBe('<p>Seen &lt;script&gt;<br>and known</p>');
    const at = `/api/v1/workspaces/acme/projects/${shop}/work-items/${item.id}/`;
    expect(world.plane.writes()).toEqual([`PATCH ${at}`, `PATCH ${at}`, `POST ${at}comments/`]);
    expect(world.plane.requests.at(-1)?.headers).toMatchObject({ 'x-correlation-id': 'c-1' });
    expect(world.git.requests).toEqual([]);
  });

  it('refuses names that the project does not have, which Plane itself would drop in silence', async () => {
    const refused = await adapter.fault('create_work_item', { ...create, labels: ['bug', 'buh'] });
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
    expect(refused.message).toBe('The project has no label "buh". It has "bug", "big \\"one\\"".');
    expect(await adapter.fault('create_work_item', { ...create, project: 'SHOPS' })).toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no project SHOPS. There are SHOP.',
    });
    expect(world.plane.writes()).toEqual([]);
  });
});

describe('[AD-10] in dual mode, which is the default', () => {
  let adapter: AskedDomain;
  beforeEach(async () => {
    adapter = await world.adapter();
  });

  it('declares in git first, and then makes the same in Plane, with one external id', async () => {
    await world.git.put(PATH, EMPTY);
    const order: string[] = [];
    world.git.fault = (request, forward) => (order.push(`git ${request.method}`), forward());
    world.plane.fault = ({ method }) => (order.push(`plane ${method}`), false);
    const made = await adapter.call('create_work_item', create);
    expect(order.filter((each) => !each.endsWith('GET'))).toEqual(['git PUT', 'plane POST']);
    expect(order.indexOf('git PUT')).toBe(order.length - 2);
    const item = world.plane.records.byKey('SHOP-2')!;
    const [commit] = await world.git.commits();
    expect(made).toEqual({
      work_item: 'SHOP-2',
      id: item.id,
      external_id: item.external_id,
      written_to: ['git', 'plane'],
      git: { branch: 'plane', path: PATH, commit: commit!.sha },
    });
    expect(item.external_source).toBe('portico');
    const { project: _project, ...declared } = create;
    expect(JSON.parse((await world.git.read(PATH))!).work_items).toEqual([
      { external_id: item.external_id, ...declared },
    ]);
  });

  it('finds the one item when a reconciler was faster', async () => {
    world.plane.fault = ({ method, body }) => {
      if (method === 'POST') world.plane.records.create(shop, { ...body, name: 'Reconciled' });
      return false;
    };
    expect(await adapter.call('create_work_item', create)).toMatchObject({ work_item: 'SHOP-2' });
    expect(world.plane.records.items).toHaveLength(2);
  });

  it('changes both', async () => {
    expect(await adapter.call('set_state', setState)).toMatchObject({
      work_item: 'SHOP-1',
      written_to: ['git', 'plane'],
      git: { path: PATH },
    });
    expect(await world.git.read(PATH)).toBe(DECLARED.replace('Todo', 'Done'));
    expect(named(world.plane.records.byKey('SHOP-1')!)).toBe('Done');
  });

  it('comments in Plane alone', async () => {
    expect(await adapter.call('add_comment', comment)).toMatchObject({ written_to: ['plane'] });
    expect(world.git.requests).toEqual([]);
    expect(world.plane.records.comments).toHaveLength(1);
  });

  it.each([
    ['500', 'unknown', 500],
    ['503', 'unknown', 503],
    ['400', 'no', 400],
    ['403', 'no', 403],
    ['429', 'no', 429],
    ['a cut connection', 'unknown', 0],
    ['garbage', 'yes', 200],
  ])('says what is done and what is not when Plane fails after the commit with %s', async (_how, executed, status) => {
    world.plane.fault = ({ method }, response) => {
      if (method === 'GET') return false;
      if (status === 0) response.socket?.destroy();
      else response.writeHead(status).end('<html>secret of the proxy</html>');
      return true;
    };
    const before = await world.git.commits();
    for (const [tool, args] of [
      ['create_work_item', create],
      ['set_state', setState],
    ] as const) {
      const fault = await adapter.fault(tool, args);
      const [commit] = await world.git.commits();
      expect(fault).toMatchObject({ code: 'PARTIALLY_APPLIED', executed: 'yes' });
      expect(fault.retryAfterMs).toBeUndefined();
      expect(fault.message).toContain('do not repeat the call, or it is done twice');
      for (const where of [PATH, 'branch plane', commit!.sha.slice(0, 12)]) expect(fault.message).toContain(where);
      expect(fault.message).toContain(
        executed === 'no' ? 'Plane was not changed' : 'whether Plane was changed is not known',
      );
      expect(fault.message).not.toContain('secret');
    }
    expect(await world.git.commits()).toHaveLength(before.length + 2);
    expect(world.plane.writes()).toHaveLength(2);
    expect(world.lines.filter((line) => line.includes('plane.partially-applied'))).toHaveLength(2);
  });

  it('writes nothing to Plane when there is no commit', async () => {
    world.git.fault = async ({ method }, forward) =>
      method === 'PUT' ? { status: 422, body: '{"message":"no"}' } : forward();
    expect(await adapter.fault('set_state', setState)).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
    await world.git.delete(PATH);
    expect(await adapter.fault('create_work_item', create)).toMatchObject({ code: 'NOT_FOUND', executed: 'no' });
    expect(world.plane.writes()).toEqual([]);
  });

  it('reports a declared file that came back, and leaves Plane as it is', async () => {
    world.git.fault = async ({ method }, forward) => {
      if (method === 'PUT') await world.git.delete(PATH);
      return forward();
    };
    expect(await adapter.fault('set_state', setState)).toMatchObject({ code: 'PARTIALLY_APPLIED', executed: 'yes' });
    expect(world.plane.writes()).toEqual([]);
  });

  it('commits nothing that Plane is known to refuse', async () => {
    const before = await world.git.commits();
    await adapter.fault('create_work_item', { ...create, state: 'Nope' });
    await adapter.fault('set_state', { ...setState, work_item: `portico-${world.plane.records.items[0]!.id}` });
    world.plane.fault = (_request, response) => (response.writeHead(503).end(), true);
    expect(await adapter.fault('set_state', setState)).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    expect(await world.git.commits()).toEqual(before);
  });

  it('is a plain failure of Plane when there was nothing to commit', async () => {
    await world.git.put(PATH, DECLARED.replace('Todo', 'Done'));
    world.plane.fault = ({ method }, response) => method !== 'GET' && (response.writeHead(503).end(), true);
    expect(await adapter.fault('set_state', setState)).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'unknown',
    });
    expect(world.git.puts()).toEqual([]);
  });
});
