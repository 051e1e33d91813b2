import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sourceHealth } from '@portico/contracts';
import type { AskedDomain } from '@portico/testkit';
import { GIT_TOKEN, json } from './git-double.js';
import { PLANE_KEY, PlaneWorld } from './plane-world.js';

const PATH = '.plane/SHOP.json';
const FILE = '{\n  "project": "SHOP",\n  "work_items": []\n}\n';
const setState = { project: 'SHOP', work_item: 'SHOP-1', state: 'Done' };

let world: PlaneWorld;
let adapter: AskedDomain;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portico-plane-'));
  world = await PlaneWorld.start();
  const shop = world.plane.records.project('SHOP');
  world.plane.records.create(shop, { name: 'One' });
  await world.git.put(PATH, FILE);
  adapter = await world.adapter();
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

describe('[AD-4][AD-9] what goes wrong in Plane', () => {
  it.each([
    [
      400,
      { error: 'Please provide valid detail' },
      'INVALID_ARGUMENTS',
      'Plane did not accept this: Please provide valid detail',
    ],
    [
      400,
      { name: ['Too short.'], non_field_errors: ['No.'] },
      'INVALID_ARGUMENTS',
      'Plane did not accept this: name: Too short.; No.',
    ],
    [400, 'at /srv/app/views.py', 'INVALID_ARGUMENTS', 'Plane did not accept the arguments.'],
    [
      401,
      { detail: 'Authentication credentials were not provided.' },
      'UNAUTHENTICATED',
      "Plane did not accept the gateway's own credential.",
    ],
    [
      403,
      { detail: 'Given API token is not valid' },
      'UNAUTHENTICATED',
      "Plane did not accept the gateway's own API key.",
    ],
    [403, { detail: 'You do not have permission' }, 'PERMISSION_DENIED', 'Plane does not permit this.'],
    [404, { error: 'The requested resource does not exist.' }, 'NOT_FOUND', 'Plane has no such thing.'],
    [409, { error: 'It exists', id: 'x' }, 'CONFLICT', 'Plane did not accept this: It exists'],
    [
      429,
      { error_code: 5900, error_message: 'RATE_LIMIT_EXCEEDED' },
      'RATE_LIMITED',
      'Plane asks to wait before the next request.',
    ],
    [
      500,
      { error: 'Something went wrong please try again later' },
      'UNKNOWN_ERROR',
      'Plane failed in a way that its status does not explain.',
    ],
    [502, '<html>', 'BACKEND_UNAVAILABLE', 'Plane is not available.'],
    [301, '', 'UNKNOWN_ERROR', 'Plane failed in a way that its status does not explain.'],
    [200, 'not json', 'UNKNOWN_ERROR', 'Plane answered in a form that is not understood.'],
    [200, { id: 'x' }, 'UNKNOWN_ERROR', 'Plane answered in a form that is not understood.'],
    [
      200,
      'x'.repeat(8 * 1024 * 1024 + 1),
      'PAYLOAD_TOO_LARGE',
      'Plane answered with more than the 8388608 bytes that are read.',
    ],
  ])('%i %j is %s', async (status, body, code, message) => {
    world.plane.fault = (_request, response) => {
      const headers = { 'retry-after': '7', location: 'http://127.0.0.1:1/elsewhere' };
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
      return true;
    };
    const fault = await adapter.fault('get_work_item', { work_item: 'SHOP-1' });
    expect(fault).toMatchObject({ code, message });
    if (status === 429) expect(fault.retryAfterMs).toBe(7_000);
    if (code === 'UNAUTHENTICATED') expect(world.lines.join()).toContain('backend.credential-refused');
    // Before a write the same is a failure by which nothing was done.
    const before = world.git.puts().length;
    expect(await adapter.fault('set_state', setState)).toMatchObject({ code, executed: 'no' });
    expect(world.plane.writes()).toEqual([]);
    expect(world.git.puts()).toHaveLength(before);
  });

  it('a connection that is cut, in the middle of an answer too', async () => {
    world.plane.fault = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"id":');
      setImmediate(() => response.destroy());
      return true;
    };
    expect(await adapter.fault('get_work_item', { work_item: 'SHOP-1' })).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
  });

  it('an answer that does not come within the deadline', async () => {
    world.plane.fault = () => true;
    const asked = adapter.fault('get_work_item', { work_item: 'SHOP-1' }, { deadlineMs: 300 });
    expect(await asked).toMatchObject({ code: 'TIMEOUT' });
  });

  it('a cursor that stands still ends the list', async () => {
    world.plane.fault = ({ path }, response) => {
      if (!path.endsWith('/projects/')) return false;
      const page = { results: [], next_cursor: '100:0:0', next_page_results: true };
      response.writeHead(200).end(JSON.stringify(page));
      return true;
    };
    expect(await adapter.call('list_projects', {})).toEqual({ projects: [] });
    expect(world.plane.requests.length).toBeLessThan(4);
  });

  it('shows through the health of the domain', async () => {
    const health = () => adapter.bus.ask(sourceHealth('domain.plane'), {});
    expect(await health()).toMatchObject({ state: 'up' });
    world.git.fault = async () => json(404, {});
    expect(await health()).toMatchObject({ state: 'degraded', detail: 'NOT_FOUND' });
    world.plane.fault = (_request, response) => (response.writeHead(502).end(), true);
    expect(await health()).toMatchObject({ state: 'down', detail: 'BACKEND_UNAVAILABLE' });
  });
});

describe('[AD-4][AD-11] what goes wrong in git', () => {
  it.each([
    [403, { message: 'API rate limit exceeded for user ID 1.' }, 'RATE_LIMITED'],
    [403, { message: 'You have exceeded a secondary rate limit.' }, 'RATE_LIMITED'],
    [429, {}, 'RATE_LIMITED'],
    [403, { message: 'Forbidden' }, 'PERMISSION_DENIED'],
    [502, {}, 'BACKEND_UNAVAILABLE'],
    [302, {}, 'UNKNOWN_ERROR'],
  ])('%i %j while the file is read is %s, and nothing was done', async (status, body, code) => {
    world.git.fault = async () => json(status, body, { location: 'http://127.0.0.1:1/elsewhere' });
    expect(await adapter.fault('set_state', setState)).toMatchObject({ code, executed: 'no' });
    expect(world.plane.writes()).toEqual([]);
  });

  it.each([
    ['in the middle of the answer', 'unknown'],
    ['before it', 'unknown'],
  ])('a write that is cut %s is not known to be done, nor sent again', async (how, executed) => {
    world.git.fault = async ({ method }, forward) => {
      if (method !== 'PUT') return forward();
      return how === 'before it' ? 'cut' : { status: 200, headers: { 'content-length': '100' }, body: '{' };
    };
    const asked = adapter.fault('set_state', setState, { deadlineMs: 2_000 });
    expect(['BACKEND_UNAVAILABLE', 'TIMEOUT']).toContain((await asked).code);
    expect(await asked).toMatchObject({ executed });
    expect(world.git.puts()).toHaveLength(1);
    expect(world.plane.writes()).toEqual([]);
  });

  it('a write of which nothing is heard holds up those behind it no longer than their callers wait', async () => {
    let arrived = (): void => undefined;
    const there = new Promise<void>((resolve) => (arrived = resolve));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    world.git.fault = async ({ method }, forward) => {
      if (method === 'PUT') {
        arrived();
        await held;
      }
      return forward();
    };
    const first = new AbortController();
    const stuck = adapter.fault('set_state', setState, { signal: first.signal });
    await there;
    const leaving = new AbortController();
    const behind = adapter.fault('set_state', setState, { signal: leaving.signal });
    leaving.abort();
    expect(await behind).toMatchObject({ code: 'CANCELLED' });
    first.abort();
    expect(await stuck).toMatchObject({ code: 'CANCELLED', executed: 'unknown' });
    release();
    world.git.fault = (_request, forward) => forward();
    await adapter.call('set_state', setState);
    expect(JSON.parse((await world.git.read(PATH))!).work_items).toMatchObject([{ state: 'Done' }]);
  });
});

describe('[AD-3] tokens', () => {
  it('are read from their files anew when they change, and are in no answer, fault or line of the log', async () => {
    const [planeFile, gitFile] = [join(folder, 'plane'), join(folder, 'git')];
    writeFileSync(planeFile, 'plane_api_old_SECRET\n');
    writeFileSync(gitFile, 'ghp_old_SECRET\n');
    const filed = await world.adapter({ PLANE_TOKEN_FILE: planeFile, PLANE_GIT_TOKEN_FILE: gitFile });
    const seen: string[] = [];
    const fault = async () => seen.push(JSON.stringify((await filed.fault('set_state', setState)).toRecord()));
    await fault();
    writeFileSync(planeFile, `${PLANE_KEY}\n`);
    world.git.fault = async ({ headers }, forward) =>
      headers.authorization === `Bearer ${GIT_TOKEN}` ? forward() : json(401, { message: 'Bad credentials' });
    await fault();
    expect(seen.every((record) => record.includes('UNAUTHENTICATED'))).toBe(true);
    writeFileSync(gitFile, GIT_TOKEN);
    seen.push(JSON.stringify(await filed.call('set_state', setState)));
    const everything = [...seen, ...world.lines].join('\n');
    for (const secret of ['SECRET', PLANE_KEY, GIT_TOKEN, folder]) expect(everything).not.toContain(secret);
    expect(world.git.requests.map(({ headers }) => headers.authorization)).toContain('Bearer ghp_old_SECRET');
    expect(JSON.stringify(world.git.requests.map(({ headers }) => headers))).not.toContain(PLANE_KEY);
    expect(JSON.stringify(world.plane.requests.map(({ headers }) => headers))).not.toContain('ghp_');
  });
});
