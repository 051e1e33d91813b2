import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UNLISTED } from './github-double.js';
import { GithubWorld, SHOP } from './github-world.js';

let world: GithubWorld;
beforeAll(async () => {
  world = await GithubWorld.start();
  await world.github.put('secret.txt', 'NOT FOR AGENTS', 'Secret', undefined, UNLISTED);
});
afterAll(async () => {
  await world.close();
  const others = world.github.proxy.requests.filter(({ url }) => !/^\/repos\/acme\/(shop|empty)\//.test(url));
  expect(others).toEqual([]);
});

const TOOLS: [tool: string, args: Record<string, unknown>][] = [
  ['get_file', { path: 'secret.txt' }],
  ['list_commits', {}],
  ['list_pull_requests', {}],
  ['get_pull_request', { number: 1 }],
  ['list_issues', {}],
  ['get_issue', { number: 1 }],
];

describe('[AD-18] a repository', () => {
  it.each(TOOLS)('that is not on the list is not for %s', async (tool, args) => {
    for (const repository of [`acme/${UNLISTED}`, 'acme/shop2', 'acme/sho', 'evil/shop', 'acme/constructor']) {
      const before = world.github.proxy.requests.length;
      const fault = await world.fault(tool, { repository, ...args });
      expect(fault).toMatchObject({ code: 'PERMISSION_DENIED', executed: 'no' });
      expect(world.github.proxy.requests).toHaveLength(before);
    }
  });

  it.each([
    `acme/shop/../${UNLISTED}`,
    `acme/shop%2f..%2f${UNLISTED}`,
    `../acme/${UNLISTED}`,
    `acme/shop?x=acme/${UNLISTED}`,
    'acme/shop\u0000',
    'acme/shop\n',
    'acme\\shop',
    'acme',
    '',
    ['acme/shop'],
    undefined,
  ])('is never %j', async (repository) => {
    const before = world.github.proxy.requests.length;
    for (const [tool, args] of TOOLS) {
      const fault = await world.fault(tool, { ...args, ...(repository !== undefined && { repository }) });
      expect(fault).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
    }
    expect(world.github.proxy.requests).toHaveLength(before);
  });

  it('on the list is one however it is spelled, and is asked for as the list spells it', async () => {
    expect(await world.call('get_file', { repository: 'ACME/Shop', path: 'README.md' })).toMatchObject({
      type: 'file',
    });
    expect(world.github.proxy.requests.at(-1)?.url).toMatch(/^\/repos\/acme\/shop\//);
  });
});

describe('[AD-18] arguments', () => {
  it.each([
    ['get_file', { path: `../${UNLISTED}/contents/secret.txt` }],
    ['get_file', { path: `a/../../${UNLISTED}` }],
    ['get_file', { path: '..' }],
    ['get_file', { path: 'a/./b' }],
    ['get_file', { path: '/etc/passwd' }],
    ['get_file', { path: 'a//b' }],
    ['get_file', { path: 'a/' }],
    ['get_file', { path: 'a\u0000b' }],
    ['get_file', { path: 'a\n' }],
    ['get_file', { path: 'a'.repeat(1_025) }],
    ['get_file', { ref: '' }],
    ['get_file', { ref: 'a\r\nb' }],
    ['get_file', { from: -1 }],
    ['list_commits', { path: '' }],
    ['list_commits', { author: 'a b' }],
    ['list_commits', { since: 'yesterday' }],
    ['list_commits', { limit: 101 }],
    ['list_commits', { page: 0 }],
    ['list_pull_requests', { state: 'merged' }],
    ['list_issues', { labels: ['a,b'] }],
    ['list_issues', { labels: [] }],
    ['list_issues', { assignee: '../x' }],
    ['get_issue', { number: 0 }],
    ['get_issue', { number: '1/../2' }],
    ['get_pull_request', { number: 1.5 }],
    ['get_pull_request', { number: 1, owner: 'evil' }],
  ])('of %s are refused where they are %j', async (tool, args) => {
    const before = world.github.proxy.requests.length;
    const fault = await world.fault(tool, { ...SHOP, ...args });
    expect(fault).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
    expect(world.github.proxy.requests).toHaveLength(before);
  });

  it('stay inside the path or the query that they are for', async () => {
    const path = `%2e%2e/%2e%2e/${UNLISTED}\\..\\x`;
    expect(await world.fault('get_file', { ...SHOP, path, ref: '../../x&y=z#' })).toMatchObject({ code: 'NOT_FOUND' });
    const { pathname, searchParams } = new URL(world.github.proxy.requests.at(-1)!.url, 'http://x');
    expect(pathname).toBe(`/repos/acme/shop/contents/%252e%252e/%252e%252e/${UNLISTED}%5C..%5Cx`);
    expect([...searchParams]).toEqual([['ref', '../../x&y=z#']]);
  });
});
