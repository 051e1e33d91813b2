import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { sourceHealth } from '@portico/contracts';
import { cutOff, endless } from '@portico/testkit';
import { NEW_TOKEN, TOKEN, failing } from './github-double.js';
import { GithubWorld, SHOP } from './github-world.js';

const folder = mkdtempSync(join(tmpdir(), 'portico-github-'));
const file = join(folder, 'token');

let world: GithubWorld;
beforeAll(async () => {
  writeFileSync(file, `${TOKEN}\n`);
  world = await GithubWorld.start({ GITHUB_TOKEN_FILE: file });
});
afterEach(() => void (world.github.proxy.faults.length = 0));
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
  const everything = JSON.stringify(world.seen) + world.lines.join('');
  expect(everything).toContain('backend.credential-refused');
  for (const secret of [TOKEN, NEW_TOKEN, folder, 'db.internal', '/srv/github', world.github.proxy.url])
    expect(everything).not.toContain(secret);
});

const readme = { ...SHOP, path: 'README.md' };
const inAnHour = () => String(Math.floor(Date.now() / 1_000) + 3_600);

describe('[AD-18] what goes wrong at GitHub', () => {
  it.each([
    [301, 'UNKNOWN_ERROR'],
    [401, 'UNAUTHENTICATED'],
    [403, 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND'],
    [409, 'CONFLICT'],
    [422, 'INVALID_ARGUMENTS'],
    [451, 'UNKNOWN_ERROR'],
    [500, 'UNKNOWN_ERROR'],
    [502, 'BACKEND_UNAVAILABLE'],
    [504, 'BACKEND_UNAVAILABLE'],
  ])('%i is %s, in a sentence of ours', async (status, code) => {
    world.github.proxy.faults.push(failing(status));
    expect(await world.fault('get_file', readme)).toMatchObject({
      code,
      message: expect.stringMatching(/^[A-Z].*\.$/),
    });
  });

  it.each([
    ['the hourly limit', 403, { 'x-ratelimit-remaining': '0' }, 'API rate limit exceeded for user ID 1.'],
    ['the hourly limit, as 429', 429, { 'x-ratelimit-remaining': '0' }, ''],
  ])('%s is RATE_LIMITED until it is over', async (_name, status, headers, message) => {
    world.github.proxy.faults.push(failing(status, { ...headers, 'x-ratelimit-reset': inAnHour() }, message));
    const fault = await world.fault('get_file', readme);
    expect(fault.code).toBe('RATE_LIMITED');
    expect(fault.retryAfterMs).toBeGreaterThan(3_500_000);
    expect(fault.retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });

  it.each([
    [403, { 'retry-after': '7' }, 7_000],
    [429, { 'retry-after': '7', 'x-ratelimit-remaining': '55' }, 7_000],
    [403, {}, 60_000],
    [429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }, 0],
    [429, { 'retry-after': '99999999999' }, 86_400_000],
  ])('a limit of bursts, %i with %j, is RATE_LIMITED with a wait', async (status, headers, retryAfterMs) => {
    world.github.proxy.faults.push(failing(status, headers, 'You have exceeded a secondary rate limit.'));
    expect(await world.fault('list_issues', SHOP)).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs });
  });

  it('503 is asked once more, and then told', async () => {
    world.github.proxy.faults.push(failing(503, { 'retry-after': '0' }));
    expect(await world.call('get_file', readme)).toMatchObject({ type: 'file' });
    const before = world.github.proxy.requests.length;
    world.github.proxy.faults.push(failing(503, { 'retry-after': '0' }), failing(503));
    expect(await world.fault('get_file', readme)).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(world.github.proxy.requests).toHaveLength(before + 2);
  });

  it('an answer that is cut off is BACKEND_UNAVAILABLE', async () => {
    world.github.proxy.faults.push(cutOff, cutOff);
    expect(await world.fault('list_commits', SHOP)).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });

  it('no answer is TIMEOUT at the deadline', async () => {
    world.github.proxy.faults.push(() => {});
    expect(await world.fault('get_file', readme, { deadlineMs: 300 })).toMatchObject({ code: 'TIMEOUT' });
  });

  it.each(['', 'null', '{}', '{"type":"file"}', '<html>', '[{}]'])(
    'an answer like %j is UNKNOWN_ERROR',
    async (body) => {
      world.github.proxy.faults.push((response) => void response.end(body));
      expect(await world.fault('get_file', readme)).toMatchObject({
        code: 'UNKNOWN_ERROR',
        message: 'GitHub answered in a form that is not understood.',
      });
    },
  );

  it('an answer without an end is not read', async () => {
    world.github.proxy.faults.push(endless);
    expect(await world.fault('get_file', readme)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('neither a redirect nor a link in an answer is followed, and nobody else is shown the token', async () => {
    let asked = 0;
    const other = createServer((_request, response) => (asked++, void response.end('[]')));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const elsewhere = `http://localhost:${(other.address() as AddressInfo).port}/repos/acme/vault/issues`;
    world.github.proxy.faults.push((response) => void response.writeHead(302, { location: elsewhere }).end());
    expect(await world.fault('list_issues', SHOP)).toMatchObject({ code: 'UNKNOWN_ERROR' });
    world.github.proxy.faults.push(
      (response) => void response.setHeader('link', `<${elsewhere}>; rel="next"`).end('[]'),
    );
    expect(await world.call('list_issues', SHOP)).toEqual({ issues: [], next_page: 2 });
    await world.call('list_issues', { ...SHOP, page: 2 });
    expect(asked).toBe(0);
    await new Promise((resolve) => other.close(resolve));
  });

  it('a repository without commits is said to be one', async () => {
    world.github.proxy.faults.push(failing(409, {}, 'Git Repository is empty.'));
    const fault = await world.fault('list_commits', { repository: 'acme/empty' });
    expect(fault).toMatchObject({ code: 'CONFLICT', message: 'The repository has no commits yet.' });
  });

  it('its health is down while it is away, and up where nothing is counted', async () => {
    const health = () => world.bus.ask(sourceHealth('domain.github'), {});
    world.github.proxy.faults.push(failing(502));
    expect(await health()).toEqual({ state: 'down', detail: 'BACKEND_UNAVAILABLE' });
    world.github.proxy.faults.push(failing(404));
    expect(await health()).toEqual({ state: 'up' });
    expect(await health()).toEqual({ state: 'up' });
  });
});

describe('[AD-18] its token', () => {
  it('is read again when its file changes', async () => {
    await world.call('get_file', readme);
    world.github.tokens.clear();
    world.github.tokens.add(NEW_TOKEN);
    expect(await world.fault('get_file', readme)).toMatchObject({ code: 'UNAUTHENTICATED' });
    writeFileSync(file, ` ${NEW_TOKEN}\n`);
    expect(await world.call('get_file', readme)).toMatchObject({ type: 'file' });
    expect(world.github.proxy.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${NEW_TOKEN}`);
  });

  it('need not be there', async () => {
    const anonymous = await GithubWorld.start({});
    expect(await anonymous.call('get_file', readme)).toMatchObject({ type: 'file' });
    expect(anonymous.github.proxy.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    await anonymous.close();
  });
});
