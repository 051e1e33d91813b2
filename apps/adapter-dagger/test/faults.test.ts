import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { sourceHealth } from '@portico/contracts';
import { cutOff, endless } from '@portico/testkit';
import { DaggerWorld, TOKEN } from './dagger-world.js';
import { failing } from './dispatcher-double.js';

const NEW_TOKEN = 'ci-token-0002';
const folder = mkdtempSync(join(tmpdir(), 'portico-dagger-'));
const file = join(folder, 'token');

let world: DaggerWorld;
beforeAll(async () => {
  writeFileSync(file, `${TOKEN}\n`);
  world = await DaggerWorld.start({ CI_DISPATCHER_TOKEN_FILE: file });
});
afterEach(() => void (world.dispatcher.faults.length = 0));
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
  expect(world.dispatcher.violations).toEqual([]);
  const everything = JSON.stringify(world.seen) + world.lines.join('');
  expect(everything).toContain('backend.credential-refused');
  for (const secret of [TOKEN, NEW_TOKEN, folder, 'ci-db.internal', '/srv/dispatcher', world.dispatcher.url])
    expect(everything).not.toContain(secret);
});

const run = { run_id: 'build-44' };

describe('[AD-7] what goes wrong at the dispatcher', () => {
  it.each([
    [400, 'INVALID_ARGUMENTS'],
    [401, 'UNAUTHENTICATED'],
    [403, 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND'],
    [409, 'CONFLICT'],
    [410, 'UNKNOWN_ERROR'],
    [422, 'INVALID_ARGUMENTS'],
    [500, 'UNKNOWN_ERROR'],
    [502, 'BACKEND_UNAVAILABLE'],
    [504, 'BACKEND_UNAVAILABLE'],
  ])('%i is %s, in a sentence of ours', async (status, code) => {
    world.dispatcher.faults.push(failing(status));
    const fault = await world.fault('get_run', run);
    expect(fault.code).toBe(code);
    expect(fault.message).toMatch(/^The CI dispatcher .*\.$/);
  });

  it('429 is RATE_LIMITED with the wait', async () => {
    world.dispatcher.faults.push(failing(429, 7));
    expect(await world.fault('list_runs')).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 7_000 });
  });

  it('503 is asked once more, and then told with the wait', async () => {
    world.dispatcher.faults.push(failing(503, 0));
    expect(await world.call('get_run', run)).toMatchObject(run);
    const before = world.dispatcher.requests.length;
    world.dispatcher.faults.push(failing(503, 0), failing(503, 3));
    expect(await world.fault('get_run', run)).toMatchObject({ code: 'BACKEND_UNAVAILABLE', retryAfterMs: 3_000 });
    expect(world.dispatcher.requests).toHaveLength(before + 2);
  });

  it('an answer that is cut off is BACKEND_UNAVAILABLE', async () => {
    world.dispatcher.faults.push(cutOff, cutOff);
    expect(await world.fault('get_run', run)).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });

  it('no answer is TIMEOUT at the deadline', async () => {
    world.dispatcher.faults.push(() => {});
    expect(await world.fault('get_run', run, { deadlineMs: 300 })).toMatchObject({ code: 'TIMEOUT' });
  });

  it.each(['', 'null', '[]', '{"id":44,"status":"completed"}', '<html>', '{"id":"build-44"'])(
    'an answer like %j is UNKNOWN_ERROR',
    async (body) => {
      world.dispatcher.faults.push((response) => response.end(body));
      expect(await world.fault('get_run', run)).toMatchObject({
        code: 'UNKNOWN_ERROR',
        message: 'The CI dispatcher answered in a form that is not understood.',
      });
    },
  );

  it('an answer with less in it than it could is shown as it is', async () => {
    world.dispatcher.faults.push((response) => response.end('{"id":"build-44","status":"paused","steps":null}'));
    expect(await world.call('get_run', run)).toEqual({ run_id: 'build-44', status: 'paused', steps: [] });
  });

  it('an answer without an end is not read', async () => {
    world.dispatcher.faults.push(endless);
    expect(await world.fault('get_logs', run)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('a redirect is not followed, and nobody else is shown the token', async () => {
    let asked = 0;
    const other = createServer((_request, response) => (asked++, void response.end('{}')));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const location = `http://localhost:${(other.address() as AddressInfo).port}/v1/runs/build-44`;
    world.dispatcher.faults.push((response) => response.writeHead(302, { location }).end());
    expect(await world.fault('get_run', run)).toMatchObject({ code: 'UNKNOWN_ERROR' });
    expect(asked).toBe(0);
    await new Promise((resolve) => other.close(resolve));
  });

  it('its health is down while it is away', async () => {
    world.dispatcher.faults.push(failing(503, 0), failing(503, 0));
    const health = () => world.bus.ask(sourceHealth('domain.dagger'), {});
    expect(await health()).toEqual({ state: 'down', detail: 'BACKEND_UNAVAILABLE' });
    expect(await health()).toEqual({ state: 'up' });
  });
});

describe('[AD-7] its token', () => {
  it('is read again when its file changes', async () => {
    await world.call('get_run', run);
    world.dispatcher.tokens.clear();
    world.dispatcher.tokens.add(NEW_TOKEN);
    expect(await world.fault('get_run', run)).toMatchObject({ code: 'UNAUTHENTICATED' });
    writeFileSync(file, ` ${NEW_TOKEN}\n`);
    expect(await world.call('get_run', run)).toMatchObject(run);
    expect(world.dispatcher.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${NEW_TOKEN}`);
  });
});
