import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DaggerWorld } from './dagger-world.js';
import { LOG, RUNS } from './dispatcher-records.js';

let world: DaggerWorld;
beforeAll(async () => (world = await DaggerWorld.start()));
afterAll(async () => {
  await world.close();
  expect(world.dispatcher.violations).toEqual([]);
  // What is behind the dispatcher is nobody's business.
  expect(JSON.stringify(world.seen)).not.toMatch(/internal|worker/);
});
const asked = () => world.dispatcher.requests.at(-1)?.url;

describe('[AD-7] dagger.list_runs', () => {
  it('shows what runs are told apart by, newest first', async () => {
    const { runs } = await world.call('list_runs', { limit: 2 });
    expect(runs.map((run: { run_id: string }) => run.run_id)).toEqual(['build-45', 'build-44']);
    expect(runs[1]).toEqual({
      run_id: 'build-44',
      pipeline: 'shop',
      function: 'build',
      status: 'completed',
      conclusion: 'failure',
      attempt: 1,
      trigger: 'push',
      actor: 'ada',
      repository: 'https://git.example.com/shop',
      branch: 'feature/x',
      commit: '44'.padStart(40, 'a'),
      created_at: '2026-11-30T08:44:00.000Z',
      finished_at: '2026-11-30T08:45:00.000Z',
      duration_ms: 60_000,
    });
    expect(runs[0]).not.toHaveProperty('conclusion');
  });

  it('goes from page to page, and each run comes once', async () => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await world.call('list_runs', cursor === undefined ? {} : { cursor });
      found.push(...page.runs.map((run: { run_id: string }) => run.run_id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(found).toEqual(RUNS.map(({ id }) => id));
    expect(asked()).toMatch(/^\/v1\/runs\?limit=20&cursor=/);
  });

  it.each([
    [{ status: 'running' }, ['build-45']],
    [{ pipeline: 'shop', branch: 'main', limit: 2 }, ['build-42', 'build-36']],
    [{ commit: `${'a'.repeat(38)}44` }, ['build-44']],
    [{ created_after: '2026-11-30T08:43:00Z' }, ['build-45', 'build-44']],
    [{ created_after: '2026-11-30T09:44:00+01:00' }, ['build-45']],
  ])('chooses by %j', async (filter, ids) => {
    const { runs } = await world.call('list_runs', filter);
    expect(runs.map((run: { run_id: string }) => run.run_id)).toEqual(ids);
  });

  it.each([
    { status: 'failed' },
    { commit: '44' },
    { created_after: 'yesterday' },
    { limit: 0 },
    { limit: 101 },
    { cursor: '../x' },
    { branch: 'a\nb' },
    { pipeline: '' },
    { sort: 'asc' },
  ])('refuses %j before the dispatcher hears of it', async (args) => {
    const before = world.dispatcher.requests.length;
    expect(await world.fault('list_runs', args)).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
    expect(world.dispatcher.requests).toHaveLength(before);
  });

  it('hands on a name as one value, whatever is in it', async () => {
    expect(await world.call('list_runs', { branch: 'a&status=running#é/../x' })).toEqual({ runs: [] });
    expect(new URL(asked()!, 'http://x').searchParams.get('branch')).toBe('a&status=running#é/../x');
  });
});

describe('[AD-7] dagger.get_run', () => {
  it('shows how a run went, step by step', async () => {
    expect(await world.call('get_run', { run_id: 'build-44' })).toMatchObject({
      run_id: 'build-44',
      conclusion: 'failure',
      error: { message: 'exit code 1', step: 'test' },
      steps: [
        { name: 'build', status: 'completed', conclusion: 'success' },
        { name: 'test', status: 'completed', conclusion: 'failure' },
      ],
      trace_url: 'https://dagger.cloud/traces/44',
      dagger_version: '0.21.9',
    });
    expect(asked()).toBe('/v1/runs/build-44');
  });

  it('shows many steps in pieces', async () => {
    const steps = Array.from({ length: 250 }, (_, index) => ({ name: `s${index}`, status: 'completed' }));
    const many = (message: string) =>
      world.dispatcher.faults.push((response) =>
        response.end(JSON.stringify({ id: 'build-1', status: 'completed', steps, error: { message } })),
      );
    many('x'.repeat(9_000));
    const first = await world.call('get_run', { run_id: 'build-1' });
    expect([first.steps.length, first.next_steps_from]).toEqual([200, 200]);
    expect(first.error.message).toMatch(/^x{4000}\n\[cut: characters 0 to 4000 of 9000\. dagger\.get_logs/);
    many('short');
    const rest = await world.call('get_run', { run_id: 'build-1', steps_from: 200 });
    expect([rest.steps.length, rest.steps[0].name, rest.next_steps_from]).toEqual([50, 's200', undefined]);
    expect(rest.error.message).toBe('short');
  });
});

describe('[AD-7] dagger.get_logs', () => {
  it('shows what a run wrote, without what is for terminals', async () => {
    const { lines, complete, next_cursor } = await world.call('get_logs', { run_id: 'build-44' });
    expect(lines[0]).toEqual({
      time: '2026-11-30T08:44:00.000Z',
      step: 'build',
      stream: 'stdout',
      text: 'compiled in 3 s',
    });
    expect([lines.length, complete, next_cursor]).toEqual([4, true, undefined]);
    expect(asked()).toBe('/v1/runs/build-44/logs?limit_bytes=32768');
  });

  it('shows one step, in pieces, each line once', async () => {
    const part = { run_id: 'build-44', step: 'test', limit_bytes: 1_024 };
    const first = await world.call('get_logs', part);
    expect([first.lines.length, first.complete]).toEqual([2, false]);
    const rest = await world.call('get_logs', { ...part, cursor: first.next_cursor });
    expect([rest.lines.length, rest.complete]).toEqual([1, true]);
    const texts = [...first.lines, ...rest.lines].map((line: { text: string }) => line.text);
    expect(texts).toEqual(LOG['build-44']!.slice(1).map(({ text }) => text));
  });

  it('says that a run goes on, and where', async () => {
    const { complete, next_cursor } = await world.call('get_logs', { run_id: 'build-45' });
    expect([complete, typeof next_cursor]).toEqual([false, 'string']);
    const later = await world.call('get_logs', { run_id: 'build-45', cursor: next_cursor });
    expect(later).toEqual({ lines: [], complete: false, next_cursor });
  });

  it.each([{ limit_bytes: 1_023 }, { limit_bytes: 65_537 }, { cursor: 'a b' }, { step: 'a\u0000' }])(
    'refuses %j before the dispatcher hears of it',
    async (args) => {
      const before = world.dispatcher.requests.length;
      const fault = await world.fault('get_logs', { run_id: 'build-44', ...args });
      expect(fault).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
      expect(world.dispatcher.requests).toHaveLength(before);
    },
  );
});

describe('[AD-7] dagger.list_artifacts', () => {
  it('shows what a run left, by name', async () => {
    const { artifacts, total } = await world.call('list_artifacts', { run_id: 'build-44' });
    expect(artifacts.map(({ name }: { name: string }) => name)).toEqual(['coverage.tar', 'report.xml']);
    expect(artifacts[1]).toEqual({
      name: 'report.xml',
      size_bytes: 2_048,
      sha256: 'ab'.repeat(32),
      content_type: 'application/octet-stream',
      created_at: '2026-11-30T08:44:00.000Z',
    });
    expect(total).toBe(2);
    expect(asked()).toBe('/v1/runs/build-44/artifacts');
    expect(await world.call('list_artifacts', { run_id: 'build-1' })).toEqual({ artifacts: [], total: 0 });
  });

  it('shows many in pieces', async () => {
    const names: string[] = [];
    let from: number | undefined = 0;
    while (from !== undefined) {
      const page: { artifacts: { name: string }[]; total: number; next_from?: number } = await world.call(
        'list_artifacts',
        { run_id: 'build-43', from },
      );
      expect([page.artifacts.length <= 200, page.total]).toEqual([true, 450]);
      names.push(...page.artifacts.map(({ name }) => name));
      from = page.next_from;
    }
    expect([names.length, new Set(names).size]).toEqual([450, 450]);
  });
});
