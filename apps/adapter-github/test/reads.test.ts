import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeSource } from '@portico/contracts';
import { OWNER, REPOSITORY } from './github-double.js';
import { GithubWorld, SHOP } from './github-world.js';

const PNG = Buffer.from('89504e470d0a1a0a00', 'hex');
const LONG = 'é😀'.repeat(20_000);

let world: GithubWorld;
beforeAll(async () => {
  world = await GithubWorld.start();
  const { github } = world;
  const place = { owner: OWNER, repo: REPOSITORY };
  const { rest } = github.octokit;
  await github.put('docs/a b#?%.md', '# Fünf\n', 'Docs\n\nwith a body');
  await github.put('logo.png', PNG, 'Logo');
  await github.put('long.txt', LONG, `Long ${'x'.repeat(2_000)}`);
  await github.branch('fix/door');
  await github.put('door.txt', 'open', 'Opens the door', 'fix/door');
  for (let number = 1; number <= 4; number++)
    await rest.issues.create({
      ...place,
      title: `Issue ${number}`,
      body: number === 1 ? 'b'.repeat(25_000) : 'It is broken.',
      labels: number === 2 ? ['bug', 'door'] : ['bug'],
    });
  await rest.pulls.create({ ...place, title: 'Opens the door', head: 'fix/door', base: 'main', body: 'Fixes #2' });
  await rest.issues.update({ ...place, issue_number: 3, state: 'closed' });
});
afterAll(async () => {
  await world.close();
  expect(world.github.proxy.requests.filter(({ method, body }) => method !== 'GET' || body !== '')).toEqual([]);
});
const asked = () => new URL(world.github.proxy.requests.at(-1)!.url, 'http://x');
const numbers = (items: { number: number }[]) => items.map(({ number }) => number);

describe('[AD-18] the tools of github.*', () => {
  it('read, and say which repositories they may', async () => {
    const { tools } = await world.bus.ask(describeSource('domain.github'), {});
    expect(tools.map(({ definition }) => definition.name)).toEqual([
      ...['get_file', 'get_issue', 'get_pull_request', 'list_commits', 'list_issues', 'list_pull_requests'],
    ]);
    for (const { definition, policy } of tools) {
      expect([policy.effect, definition['annotations']]).toEqual(['read', { readOnlyHint: true }]);
      const { properties } = definition.inputSchema as { properties: Record<string, { description?: string }> };
      expect(properties['repository']?.description).toBe('owner/name, one of: acme/shop, acme/empty');
    }
  });
});

describe('[AD-18] github.get_file', () => {
  it('shows a file as it is on the default branch, whatever its name', async () => {
    expect(await world.call('get_file', { ...SHOP, path: 'docs/a b#?%.md' })).toEqual({
      type: 'file',
      path: 'docs/a b#?%.md',
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      size: 8,
      text: '# Fünf\n',
    });
    expect(asked().pathname).toBe('/repos/acme/shop/contents/docs/a%20b%23%3F%25.md');
  });

  it('shows a file of another branch', async () => {
    expect(await world.call('get_file', { ...SHOP, path: 'door.txt', ref: 'fix/door' })).toMatchObject({
      text: 'open',
    });
    expect(await world.fault('get_file', { ...SHOP, path: 'door.txt' })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('shows a folder', async () => {
    const top = await world.call('get_file', SHOP);
    expect(top).toEqual({
      type: 'folder',
      path: '',
      entries: [
        { name: 'docs', type: 'folder' },
        { name: 'logo.png', type: 'file', size: 9 },
        { name: 'long.txt', type: 'file', size: 120_000 },
        { name: 'README.md', type: 'file', size: 7 },
      ],
      total: 4,
    });
    const page = await world.call('get_file', { ...SHOP, from: 3 });
    expect(page.entries).toEqual([{ name: 'README.md', type: 'file', size: 7 }]);
  });

  it('shows a large folder in pieces', async () => {
    const entries = Array.from({ length: 700 }, (_, index) => ({ name: `f${index}`, type: 'file', size: 1 }));
    world.github.proxy.faults.push((response) => void response.end(JSON.stringify(entries)));
    const { entries: shown, total, next_from } = await world.call('get_file', { ...SHOP, path: 'many' });
    expect([shown.length, total, next_from]).toEqual([500, 700, 500]);
  });

  it('shows a long text in pieces that make the whole', async () => {
    let text = '';
    let from: number | undefined = 0;
    while (from !== undefined) {
      const piece: { text: string; next_from?: number } = await world.call('get_file', {
        ...SHOP,
        path: 'long.txt',
        from,
      });
      expect(piece.text.length).toBeLessThanOrEqual(50_000);
      text += piece.text;
      from = piece.next_from;
    }
    expect(text === LONG).toBe(true);
  });

  it('reads what is too large for one answer of the contents API by its hash', async () => {
    world.github.proxy.faults.push(async (response, real) => {
      const file = (await (await real()).json()) as Record<string, unknown>;
      response.end(JSON.stringify({ ...file, content: '', encoding: 'none' }));
    });
    const { text, sha } = await world.call('get_file', { ...SHOP, path: 'docs/a b#?%.md' });
    expect([text, asked().pathname]).toEqual(['# Fünf\n', `/repos/acme/shop/git/blobs/${sha}`]);
  });

  it('says of what is no text how large it is', async () => {
    expect(await world.call('get_file', { ...SHOP, path: 'logo.png' })).toEqual({
      type: 'file',
      path: 'logo.png',
      sha: expect.any(String),
      size: 9,
      binary: true,
    });
  });

  it('says what a link is, and follows none', async () => {
    const link = { type: 'symlink', path: 'l', sha: 'a'.repeat(40), size: 9, target: '../vault/x' };
    world.github.proxy.faults.push((response) => void response.end(JSON.stringify(link)));
    const before = world.github.proxy.requests.length;
    expect(await world.call('get_file', { ...SHOP, path: 'l' })).toEqual(link);
    expect(world.github.proxy.requests).toHaveLength(before + 1);
  });
});

describe('[AD-18] github.list_commits', () => {
  it('shows commits, newest first, a page at a time', async () => {
    const messages: string[] = [];
    let page: number | undefined = 1;
    while (page !== undefined) {
      const answer: { commits: { message: string }[]; next_page?: number } = await world.call('list_commits', {
        ...SHOP,
        limit: 3,
        page,
      });
      messages.push(...answer.commits.map(({ message }) => message));
      page = answer.next_page;
    }
    expect(messages.slice(1, 3)).toEqual(['Logo', 'Docs\n\nwith a body']);
    expect(messages).toHaveLength(4);
    expect(messages[0]).toMatch(/^Long x+\n\[cut: characters 0 to 1000 of 2005\. GitHub has the rest\]$/);
  });

  it('chooses by branch, file, author and time', async () => {
    const by = async (filter: Record<string, unknown>) =>
      (await world.call('list_commits', { ...SHOP, ...filter })).commits.length as number;
    expect(await by({ ref: 'fix/door' })).toBe(5);
    expect(await by({ path: 'logo.png' })).toBe(1);
    expect(await by({ author: 'nobody' })).toBe(0);
    expect(await by({ since: '2100-01-01T00:00:00Z' })).toBe(0);
    expect(await by({ until: '2000-01-01T00:00:00+02:00' })).toBe(0);
    const [commit] = (await world.call('list_commits', { ...SHOP, ref: 'fix/door', limit: 1 })).commits;
    expect(commit).toEqual({
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      message: 'Opens the door',
      author: OWNER,
      date: expect.stringMatching(/^20\d\d-/),
      url: expect.stringContaining('/acme/shop/commit/'),
    });
  });
});

describe('[AD-18] pull requests', () => {
  it('are listed', async () => {
    const { pull_requests, next_page } = await world.call('list_pull_requests', SHOP);
    expect(pull_requests).toEqual([
      {
        number: 5,
        title: 'Opens the door',
        state: 'open',
        author: OWNER,
        labels: [],
        assignees: [],
        comments: 0,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        url: expect.stringContaining('/acme/shop/pull/5'),
        draft: false,
        head: 'acme:fix/door',
        head_sha: expect.any(String),
        base: 'main',
      },
    ]);
    expect(next_page).toBeUndefined();
    const by = async (filter: Record<string, unknown>) =>
      numbers((await world.call('list_pull_requests', { ...SHOP, ...filter })).pull_requests);
    expect(await by({ base: 'main', head: 'acme:fix/door' })).toEqual([5]);
    expect(await by({ base: 'other' })).toEqual([]);
    expect(await by({ state: 'closed' })).toEqual([]);
  });

  it('are shown one at a time', async () => {
    expect(await world.call('get_pull_request', { ...SHOP, number: 5 })).toMatchObject({
      number: 5,
      head: 'acme:fix/door',
      commits: expect.any(Number),
      changed_files: expect.any(Number),
      additions: expect.any(Number),
      deletions: expect.any(Number),
      body: 'Fixes #2',
    });
    expect(await world.fault('get_pull_request', { ...SHOP, number: 1 })).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('[AD-18] issues', () => {
  it('are listed, without pull requests', async () => {
    const list = async (filter: Record<string, unknown>) =>
      numbers((await world.call('list_issues', { ...SHOP, ...filter })).issues);
    expect(await list({ direction: 'asc' })).toEqual([1, 2, 4]);
    expect(await list({ state: 'closed' })).toEqual([3]);
    expect(await list({ labels: ['bug', 'door'] })).toEqual([2]);
    expect(await list({ creator: 'nobody' })).toEqual([]);
    expect(await list({ since: '2100-01-01T00:00:00Z' })).toEqual([]);
  });

  it('come page by page, each once', async () => {
    const found: number[] = [];
    let page: number | undefined = 1;
    while (page !== undefined) {
      const args = { ...SHOP, state: 'all', direction: 'asc', limit: 2, page };
      const answer: { issues: { number: number }[]; next_page?: number } = await world.call('list_issues', args);
      found.push(...numbers(answer.issues));
      page = answer.next_page;
    }
    expect(found).toEqual([1, 2, 3, 4]);
  });

  it('are listed without the pull requests that GitHub has among them, and those end no list', async () => {
    const ours = { number: 9, title: 'Opens the gate', state: 'open', pull_request: { url: 'x' } };
    const listed = (...added: unknown[]) =>
      world.github.proxy.faults.push((response) => {
        response.setHeader('link', '<x>; rel="prev", <x>; rel="next"');
        response.end(JSON.stringify(added));
      });
    listed(ours, { ...ours, number: 8, pull_request: undefined });
    expect(numbers((await world.call('list_issues', SHOP)).issues)).toEqual([8]);
    listed(ours);
    expect(await world.call('list_issues', { ...SHOP, page: 3 })).toEqual({ issues: [], next_page: 4 });
  });

  it('are shown one at a time, long ones in pieces', async () => {
    expect(await world.call('get_issue', { ...SHOP, number: 2 })).toMatchObject({
      number: 2,
      state: 'open',
      labels: ['bug', 'door'],
      body: 'It is broken.',
    });
    const { body } = await world.call('get_issue', { ...SHOP, number: 1 });
    expect(body).toMatch(
      /^b{20000}\n\[cut: characters 0 to 20000 of 25000\. body_from: 20000 shows what comes next\]$/,
    );
    const rest = await world.call('get_issue', { ...SHOP, number: 1, body_from: 20_000 });
    expect(rest.body).toBe('b'.repeat(5_000));
  });

  it('are not what a pull request is', async () => {
    const pull = { number: 5, title: 'Opens the door', state: 'open', pull_request: { url: 'x' } };
    world.github.proxy.faults.push((response) => void response.end(JSON.stringify(pull)));
    expect(await world.fault('get_issue', { ...SHOP, number: 5 })).toMatchObject({
      code: 'NOT_FOUND',
      message: 'This number is a pull request: github.get_pull_request shows it.',
    });
  });
});
