import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AskedDomain } from '@portico/testkit';
import { json } from './git-double.js';
import { PlaneWorld } from './plane-world.js';

const PATH = '.plane/SHOP.json';
/** As people write it: blanks where they like, a field of their own, letters beyond ASCII. */
const declared = (items: number): string => `{
  "project": "SHOP",
  "work_items": [
${Array.from(
  { length: items },
  (_, index) => `    {
      "key": "SHOP-${index + 1}",
      "name":  "Ítem ${index + 1} \\u00e9",
      "state": "Todo",
      "priority": "low" ,
      "labels": ["bug"],
      "note": { "kept":   true },
      "description": ""
    }`,
).join(',\n')}
  ]
}`;

let world: PlaneWorld;
let shop: string;
beforeEach(async () => {
  world = await PlaneWorld.start();
  shop = world.plane.records.project('SHOP');
  for (let n = 1; n <= 8; n++) world.plane.records.create(shop, { name: `Item ${n}`, priority: 'low' });
  await world.git.put(PATH, declared(8));
});
afterEach(() => world.close());
const git = (env: Record<string, string> = {}): Promise<AskedDomain> =>
  world.adapter({ PLANE_WRITE_MODE: 'git', ...env });
const update = { project: 'SHOP', work_item: 'SHOP-1', priority: 'urgent' };

describe('[AD-10] in git mode', () => {
  it('edits the declared file by a commit on the branch, and says where', async () => {
    const adapter = await git();
    const before = await world.git.commits();
    const answer = await adapter.call('set_state', { project: 'SHOP', work_item: 'SHOP-3', state: 'In Progress' });
    const [commit] = await world.git.commits();
    expect(answer).toEqual({
      work_item: 'SHOP-3',
      changed: ['state'],
      written_to: ['git'],
      git: { branch: 'plane', path: PATH, commit: commit!.sha },
      note: expect.stringContaining('reconciled'),
    });
    expect(await world.git.read(PATH)).toBe(
      declared(8).replace(/("SHOP-3",\n.*\n\s+"state": )"Todo"/, '$1"In Progress"'),
    );
    expect(await world.git.commits()).toHaveLength(before.length + 1);
    expect(commit!.message).toBe('SHOP-3: state\n\nPortico-Correlation-Id: c-1');
  });

  it('declares a new item with an external id of its own, which is what it is called until Plane has it', async () => {
    const adapter = await git();
    const made = await adapter.call('create_work_item', {
      project: 'SHOP',
      name: 'New',
      state: 'Todo',
      labels: ['bug'],
    });
    expect(made).toMatchObject({ work_item: made.external_id, written_to: ['git'] });
    expect(made.external_id).toMatch(/^portico-[0-9a-f-]{36}$/);
    expect(JSON.parse((await world.git.read(PATH))!).work_items[0]).toEqual({
      external_id: made.external_id,
      name: 'New',
      state: 'Todo',
      labels: ['bug'],
    });
    await adapter.call('update_work_item', { project: 'SHOP', work_item: made.work_item, description: 'More' });
    const file = JSON.parse((await world.git.read(PATH))!);
    expect(file.work_items[0]).toMatchObject({ external_id: made.external_id, description: 'More' });
    expect(file.work_items).toHaveLength(9);
  });

  it('finds what was declared by its external id when Plane has given it a key, and then takes that name alone', async () => {
    const adapter = await git();
    const made = await adapter.call('create_work_item', { project: 'SHOP', name: 'New' });
    world.plane.records.create(shop, { name: 'New', external_id: made.external_id, external_source: 'portico' });
    const old = await adapter.fault('set_state', { project: 'SHOP', work_item: made.external_id, state: 'Done' });
    expect(old).toMatchObject({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining('SHOP-9') });
    await adapter.call('set_state', { project: 'SHOP', work_item: 'SHOP-9', state: 'Done' });
    const { work_items } = JSON.parse((await world.git.read(PATH))!);
    expect(work_items[0]).toEqual({ external_id: made.external_id, name: 'New', state: 'Done' });
    expect(work_items).toHaveLength(9);
  });

  it('declares an item that Plane has and nobody had declared', async () => {
    const adapter = await git();
    world.plane.records.create(shop, { name: 'By hand' });
    await adapter.call('set_state', { project: 'SHOP', work_item: 'SHOP-9', state: 'Done' });
    const file = (await world.git.read(PATH))!;
    expect(JSON.parse(file).work_items[0]).toEqual({ key: 'SHOP-9', name: 'By hand', state: 'Done' });
  });

  it('has no comments, and says so before anything is asked', async () => {
    const adapter = await git();
    world.plane.requests.length = 0;
    const comment = { project: 'SHOP', work_item: 'SHOP-1', text: 'Hello' };
    expect(await adapter.fault('add_comment', comment)).toMatchObject({ code: 'UNSUPPORTED', executed: 'no' });
    expect(world.plane.requests).toEqual([]);
  });

  it('declares nothing that can not come true', async () => {
    const adapter = await git();
    const refused = { code: 'INVALID_ARGUMENTS', executed: 'no' };
    expect(await adapter.fault('update_work_item', { ...update, labels: ['nope'] })).toMatchObject(refused);
    expect(await adapter.fault('create_work_item', { project: 'SHOP', name: 'x', state: 'Nope' })).toMatchObject({
      ...refused,
      message: 'The project has no state "Nope". It has "Todo", "In Progress", "Done".',
    });
    expect(await adapter.fault('set_state', { project: 'SHOP', work_item: 'SHOP-77', state: 'Done' })).toMatchObject({
      code: 'NOT_FOUND',
      executed: 'no',
    });
    expect(world.git.puts()).toEqual([]);
  });

  it('makes no commit for what is declared already', async () => {
    const adapter = await git();
    const { git: where } = await adapter.call('update_work_item', { ...update, priority: 'low' });
    expect(where).toEqual({ branch: 'plane', path: PATH, unchanged: true });
    expect(world.git.puts()).toEqual([]);
  });

  it('says that there is no declared file, and makes none', async () => {
    const adapter = await git();
    await world.git.delete(PATH);
    for (const [tool, args] of [
      ['update_work_item', update],
      ['create_work_item', { project: 'SHOP', name: 'x' }],
    ] as const)
      expect(await adapter.fault(tool, args)).toMatchObject({
        code: 'NOT_FOUND',
        executed: 'no',
        message: expect.stringContaining(PATH),
      });
    expect(await world.git.read(PATH)).toBeUndefined();
  });

  it('keeps declared files where the settings say', async () => {
    const adapter = await git({ PLANE_DECLARED_PATH: 'declared/items of/{project}.json'.replace(' ', '-') });
    await world.git.put('declared/items-of/SHOP.json', declared(2));
    await adapter.call('update_work_item', update);
    expect(await world.git.read('declared/items-of/SHOP.json')).toContain('"urgent"');
    expect(await world.git.read(PATH)).toBe(declared(8));
  });
});

describe('[AD-11] the git edit', () => {
  it('reads the blob anew for each write, and sends its sha and the branch in the body', async () => {
    const adapter = await git();
    await adapter.call('update_work_item', update);
    await world.git.put(PATH, declared(8));
    await adapter.call('update_work_item', update);
    const [first, second] = world.git.puts().map(({ body }) => JSON.parse(body.toString()));
    expect(first).toEqual({
      message: expect.any(String),
      content: expect.any(String),
      branch: 'plane',
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(second.sha).toBe(first.sha);
    expect(world.git.requests.filter(({ method }) => method === 'GET')).toHaveLength(2);
    expect(world.git.puts()[0]?.url).not.toContain('?');
    expect(world.git.requests[0]?.headers['user-agent']).toBe('portico');
  });

  it('keeps the changes of eight concurrent writers, and every other byte', async () => {
    const adapter = await git();
    const before = await world.git.commits();
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        adapter.call('update_work_item', { project: 'SHOP', work_item: `SHOP-${index + 1}`, priority: 'urgent' }),
      ),
    );
    expect(await world.git.read(PATH)).toBe(declared(8).replaceAll('"priority": "low" ,', '"priority": "urgent" ,'));
    const commits = await world.git.commits();
    expect(commits).toHaveLength(before.length + 8);
    expect(commits.every(({ parents }) => parents <= 1)).toBe(true);
  });

  it('keeps the changes of eight concurrent writers that know nothing of each other, and every other byte', async () => {
    const adapters = await Promise.all(Array.from({ length: 8 }, () => git()));
    // All eight have read before any of them writes: seven lose the first race.
    let arrived = 0;
    let open = (): void => undefined;
    const all = new Promise<void>((resolve) => (open = resolve));
    let lost = 0;
    world.git.fault = async ({ method }, forward) => {
      if (method === 'PUT' && ++arrived <= 8) {
        if (arrived === 8) open();
        await all;
      }
      const answer = await forward();
      if (answer.status === 409) lost++;
      return answer;
    };
    const write = (adapter: AskedDomain, index: number): Promise<unknown> =>
      adapter.call('update_work_item', { project: 'SHOP', work_item: `SHOP-${index + 1}`, priority: 'urgent' });
    const outcomes = await Promise.allSettled(adapters.map(write));
    expect(lost).toBeGreaterThanOrEqual(7);
    // Who lost five times was told that nothing was changed; whoever was told of success has their change in the file.
    const losers = outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []));
    for (const index of losers) expect(outcomes[index]).toMatchObject({ reason: { code: 'CONFLICT', executed: 'no' } });
    for (const index of losers) await write(adapters[index]!, index);
    expect(await world.git.read(PATH)).toBe(declared(8).replaceAll('"priority": "low" ,', '"priority": "urgent" ,'));
  });

  it('keeps both changes when two writers change two fields of one item, and new items of all', async () => {
    const [one, other] = [await git(), await git()];
    await Promise.all([
      one.call('update_work_item', update),
      other.call('set_state', { project: 'SHOP', work_item: 'SHOP-1', state: 'Done' }),
      one.call('create_work_item', { project: 'SHOP', name: 'From one' }),
      other.call('create_work_item', { project: 'SHOP', name: 'From the other' }),
    ]);
    const { work_items } = JSON.parse((await world.git.read(PATH))!);
    expect(work_items).toHaveLength(10);
    expect(
      work_items
        .slice(0, 2)
        .map(({ name }: { name: string }) => name)
        .sort(),
    ).toEqual(['From one', 'From the other']);
    expect(work_items.find(({ key }: { key: string }) => key === 'SHOP-1')).toMatchObject({
      priority: 'urgent',
      state: 'Done',
    });
  });

  it.each([
    ['a file', (sha: string) => `${PATH} does not match ${sha}`],
    ['the branch', (sha: string) => `is at ${sha} but expected ${sha}`],
  ])('tries anew what lost a race about %s, on what is there then', async (_what, words) => {
    const adapter = await git();
    let races = 0;
    world.git.fault = async ({ method, body }, forward) => {
      if (method !== 'PUT' || ++races > 4) return forward();
      await world.git.put(PATH, declared(8).replace('"note"', `"by_hand_${races}"`));
      return json(409, { message: words((JSON.parse(body.toString()) as { sha: string }).sha), status: '409' });
    };
    await adapter.call('update_work_item', update);
    expect(races).toBe(5);
    expect(await world.git.read(PATH)).toBe(
      declared(8).replace('"note"', '"by_hand_4"').replace('"priority": "low" ,', '"priority": "urgent" ,'),
    );
  });

  it('gives up after five tries, and says that nothing was changed', async () => {
    const adapter = await git();
    world.git.fault = async ({ method }, forward) =>
      method === 'PUT' ? json(409, { message: `${PATH} does not match 0` }) : forward();
    expect(await adapter.fault('update_work_item', update)).toMatchObject({ code: 'CONFLICT', executed: 'no' });
    expect(world.git.puts()).toHaveLength(5);
    expect(await world.git.read(PATH)).toBe(declared(8));
  });

  it.each([
    [409, { message: 'Repository rule violations found\n\nChanges must be made through a pull request.' }, 'CONFLICT'],
    [409, { message: 'Conflict', metadata: { secret_scanning: { bypass_placeholders: [] } } }, 'CONFLICT'],
    [422, { message: 'Invalid request.\n\n"sha" wasn\'t supplied.' }, 'INVALID_ARGUMENTS'],
    [403, { message: 'Resource not accessible by personal access token' }, 'PERMISSION_DENIED'],
    [404, { message: 'Not Found' }, 'NOT_FOUND'],
    [401, { message: 'Bad credentials' }, 'UNAUTHENTICATED'],
  ])('sends a write that is refused with %i %j once', async (status, body, code) => {
    const adapter = await git();
    world.git.fault = async ({ method }, forward) => (method === 'PUT' ? json(status, body) : forward());
    const fault = await adapter.fault('update_work_item', update);
    expect(fault).toMatchObject({ code, executed: 'no' });
    expect(fault.message).not.toContain(body.message.split('\n')[0]);
    expect(world.git.puts()).toHaveLength(1);
    expect(await world.git.read(PATH)).toBe(declared(8));
  });

  it('reports a file that was deleted meanwhile and came back by its write', async () => {
    const adapter = await git();
    world.git.fault = async ({ method }, forward) => {
      if (method === 'PUT') await world.git.delete(PATH);
      return forward();
    };
    const fault = await adapter.fault('update_work_item', update);
    expect(fault).toMatchObject({
      code: 'PARTIALLY_APPLIED',
      executed: 'yes',
      message: expect.stringContaining('deleted'),
    });
    expect(world.git.puts()).toHaveLength(1);
    expect(world.lines.join()).toContain('plane.declared-file-came-back');
    expect(await world.git.read(PATH)).toContain('"urgent"');
  });

  it('never forces, and touches nothing but the contents of one file', async () => {
    const adapter = await git();
    await adapter.call('update_work_item', update);
    await adapter.call('create_work_item', { project: 'SHOP', name: 'x' });
    expect(new Set(world.git.requests.map(({ method, url }) => `${method} ${url.split('?')[0]}`))).toEqual(
      new Set([`GET /repos/acme/plans/contents/${PATH}`, `PUT /repos/acme/plans/contents/${PATH}`]),
    );
    expect(world.git.requests.map(({ body }) => body.toString()).join()).not.toContain('force');
  });

  it('takes a write whose answer was lost as done when the file says so, and else as not known', async () => {
    const adapter = await git();
    world.git.fault = async ({ method }, forward) => {
      const answer = await forward();
      return method === 'PUT' ? 'cut' : answer;
    };
    const answer = await adapter.call('create_work_item', { project: 'SHOP', name: 'Once' });
    expect(answer.git).toEqual({ branch: 'plane', path: PATH });
    expect((await world.git.read(PATH))!.match(/"Once"/g)).toHaveLength(1);
    world.git.fault = async ({ method }, forward) => (method === 'PUT' ? 'cut' : forward());
    expect(await adapter.fault('update_work_item', update)).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'unknown',
    });
    expect(world.git.puts()).toHaveLength(2);
  });

  it('edits no file that is not what it seems', async () => {
    const adapter = await git();
    for (const broken of [
      Buffer.from([0xff, 0xfe, 0x7b]),
      Buffer.from(`\ufeff${declared(8)}`),
      '[]',
      declared(8).slice(0, -1),
    ]) {
      await world.git.put(PATH, broken);
      expect(await adapter.fault('update_work_item', update)).toMatchObject({ code: 'CONFLICT', executed: 'no' });
    }
    expect(world.git.puts()).toEqual([]);
  });
});
