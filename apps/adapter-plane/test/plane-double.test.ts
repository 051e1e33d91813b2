import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlaneClient } from '@makeplane/plane-node-sdk';
import { PlaneDouble } from './plane-double.js';
import { WORKSPACE } from './plane-records.js';

/** The double is what the vendor's own client takes for Plane. */
describe('[AD-9] the Plane double, driven by @makeplane/plane-node-sdk', () => {
  let plane: PlaneDouble;
  let client: PlaneClient;
  let project: string;
  beforeAll(async () => {
    plane = await PlaneDouble.start();
    project = plane.records.project('SHOP');
    plane.records.project('OPS');
    client = new PlaneClient({ baseUrl: plane.url, apiKey: [...plane.keys][0]! });
  });
  afterAll(() => plane.close());

  it('lists projects, states, labels, cycles, modules and members', async () => {
    expect((await client.projects.list(WORKSPACE)).results.map(({ identifier }) => identifier)).toEqual([
      'SHOP',
      'OPS',
    ]);
    expect((await client.states.list(WORKSPACE, project)).results.map(({ name }) => name)).toEqual([
      'Todo',
      'In Progress',
      'Done',
    ]);
    expect((await client.labels.list(WORKSPACE, project)).results).toHaveLength(2);
    expect((await client.cycles.list(WORKSPACE, project)).results).toHaveLength(2);
    expect((await client.modules.list(WORKSPACE, project)).results).toHaveLength(1);
    expect((await client.projects.getMembers(WORKSPACE, project)).map(({ display_name }) => display_name)).toEqual([
      'ada',
      'grace',
    ]);
    expect(await client.workspace.getMembers(WORKSPACE)).toHaveLength(2);
  });

  it('makes, reads, changes, finds and comments on work items', async () => {
    const made = await client.workItems.create(WORKSPACE, project, { name: 'The till is stuck', priority: 'high' });
    expect(made).toMatchObject({ sequence_id: 1, priority: 'high', project });
    const state = plane.records.states.find(({ name }) => name === 'Done')!.id;
    await client.workItems.update(WORKSPACE, project, made.id, { state });
    expect((await client.workItems.retrieve(WORKSPACE, project, made.id)).state).toBe(state);
    const byKey = await client.workItems.retrieveByIdentifier(WORKSPACE, 'SHOP-1', ['state']);
    expect(byKey.state).toMatchObject({ name: 'Done' });
    expect((await client.workItems.list(WORKSPACE, project, { per_page: 1 })).total_count).toBe(1);
    expect((await client.workItems.search(WORKSPACE, 'till')).issues.map(({ id }) => id)).toEqual([made.id]);
    await client.workItems.comments.create(WORKSPACE, project, made.id, { comment_html: '<p>Seen</p>' });
    expect((await client.workItems.comments.list(WORKSPACE, project, made.id)).results).toHaveLength(1);
  });

  it('refuses as Plane does', async () => {
    const refusal = (asked: Promise<unknown>) =>
      asked.then(
        () => undefined,
        (error: unknown) => error,
      );
    const wrong = new PlaneClient({ baseUrl: plane.url, apiKey: 'plane_api_wrong' });
    expect(await refusal(wrong.projects.list(WORKSPACE))).toMatchObject({ statusCode: 403 });
    const foreign = { name: 'x', state: '00000000-0000-4000-8000-000000000000' };
    expect(await refusal(client.workItems.create(WORKSPACE, project, foreign))).toMatchObject({ statusCode: 400 });
    expect(await refusal(client.workItems.retrieveByIdentifier(WORKSPACE, 'SHOP-99'))).toMatchObject({
      statusCode: 404,
    });
    const external = { name: 'x', external_id: 'e-1', external_source: 'portico' };
    await client.workItems.create(WORKSPACE, project, external);
    expect(await refusal(client.workItems.create(WORKSPACE, project, external))).toMatchObject({ statusCode: 409 });
  });
});
