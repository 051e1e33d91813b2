import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Running, build, start, startFails } from './running.js';

const list = async (url: string) => {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  return ((await response.json()) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
};
/** None is no failure, though `ps` calls it one. */
const childrenOf = (pid: number): number[] =>
  spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .stdout.split('\n')
    .map(Number)
    .filter((id) => id > 0);
const alive = (pid: number): boolean => existsSync(`/proc/${pid}`);
/** The watchdog of the servers ends when it sees that we have, a moment later. */
const allEnd = async (pids: number[]): Promise<void> => {
  for (const end = Date.now() + 5_000; pids.some(alive);) {
    expect(Date.now()).toBeLessThan(end);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

beforeAll(build, 120_000);

describe('[FD-7] npm start', () => {
  let portico: Running;
  beforeAll(async () => {
    portico = await start();
  });
  afterAll(() => portico.stop());

  it('opens in time, and its first list has the real tools of real servers', async () => {
    // 2 s is the figure; a test asserts ten times that, the benchmark of start-up reports it.
    expect(portico.openAfterMs).toBeLessThan(20_000);
    const wanted = ['files.read_file', 'memory.read_graph', 'gateway.describe'];
    // A list never waits past 1.2 s from the start; on a machine that is busy elsewhere a server may take longer.
    for (const end = Date.now() + 20_000; ;) {
      const names = await list(portico.url);
      if (wanted.every((name) => names.includes(name))) break;
      expect(Date.now()).toBeLessThan(end);
    }
  });

  it('prints its address, the snippet for a client, and the tools of each source', async () => {
    await portico.until(/memory +9 tools/);
    await portico.until(/files +14 tools: create_directory/);
    await portico.until(/gateway +4 tools: cache_stats, describe, health, receipts/);
    const output = portico.output();
    expect(output).toContain(`Portico is open at ${portico.url}/mcp`);
    expect(JSON.parse(/\{\n[^]*?\n\}/.exec(output)?.[0] as string)).toEqual({
      mcpServers: { portico: { type: 'http', url: `${portico.url}/mcp` } },
    });
  });

  it('idles below 250 MB', async () => {
    await list(portico.url);
    expect(portico.memory()).toBeLessThan(250e6);
  });

  it('answers its operators', async () => {
    expect(await (await fetch(`${portico.adminUrl}/readyz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${portico.adminUrl}/metrics`)).text()).toContain('process_resident_memory_bytes');
  });

  it('made its workspace and its home where it was started', async () => {
    expect(existsSync(join(portico.folder, 'workspace', 'welcome.md'))).toBe(true);
    expect(existsSync(join(portico.folder, '.portico', 'signing-key'))).toBe(true);
  });
});

describe('[FD-7] whatever the state of what stands behind', () => {
  it('starts and lists in time with servers that are dead, hang, or can not be started', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-dead-'));
    const file = join(folder, 'mcp.json');
    const mcpServers = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `dead-${index}`,
        [
          { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] },
          { command: join(folder, 'no-such-program') },
          { url: 'http://127.0.0.1:9/mcp', allowPrivate: true },
        ][index % 3],
      ]),
    );
    writeFileSync(file, JSON.stringify({ mcpServers }));
    const portico = await start({ MCP_SERVERS_FILE: file });
    const asked = performance.now();
    expect(await list(portico.url)).toContain('gateway.describe');
    expect(performance.now() - asked).toBeLessThan(20_000);
    await portico.until(/"event":"[a-z.]*not-connected"/);
    const logged = portico.output().match(/^\{"level".*\}$/gm) ?? [];
    expect(logged.filter((line) => JSON.parse(line).service === undefined)).toEqual([]);
    const children = childrenOf(portico.child.pid as number);
    expect(await portico.stop()).toBe(0);
    await allEnd(children);
    rmSync(folder, { recursive: true, force: true });
  });
});

describe('where callers have keys', () => {
  it('the snippet says where the key goes', async () => {
    const portico = await start({ AUTH_MODE: 'api-key' });
    await portico.until(/"Authorization": "Bearer <a key made by: npm run keys -- create>"\n +}/);
    await portico.stop();
  });
});

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s ends it and every server it started, with status 0', async (signal) => {
    const portico = await start();
    await portico.until(/memory +9 tools/);
    const children = childrenOf(portico.child.pid as number);
    expect(children.length).toBeGreaterThanOrEqual(2);
    const asked = performance.now();
    expect(await portico.stop(signal)).toBe(0);
    expect(performance.now() - asked).toBeLessThan(10_000);
    await allEnd(children);
  });
});

describe('a start that can not be', () => {
  it.each([
    [{ PORT: 'eighty' }, /^PORT is "eighty"/],
    [{ HOST: '0.0.0.0' }, /^HOST is "0.0.0.0".*TRUST_PERIMETER/],
    [{ MCP_SERVERS_FILE: '/nowhere/mcp.json' }, /MCP_SERVERS_FILE|mcp\.json/],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL/],
  ])('%j ends with one sentence and status 1', async (env, sentence) => {
    const { code, output } = await startFails(env);
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toMatch(sentence);
  });

  it('a port that is taken is named', async () => {
    const portico = await start();
    const { code, output } = await startFails({ PORT: new URL(portico.url).port });
    expect([code, output]).toEqual([1, expect.stringMatching(/^HOST and PORT: 127\.0\.0\.1:\d+ is already in use/m)]);
    await portico.stop();
  });

  it.each([['--foo'], ['--port=1'], ['8080'], ['--help', '--foo']])(
    '%j is refused in one sentence',
    async (...args) => {
      const { code, output } = await startFails({}, args);
      expect(code).toBe(1);
      expect(output).toBe(`${JSON.stringify(args.at(-1))} is not known here: --help says what there is.\n`);
    },
  );

  it('--help prints every setting and starts nothing', async () => {
    const { code, output } = await startFails({}, ['--help']);
    expect(code).toBe(0);
    for (const name of ['PORT', 'MCP_SERVERS_FILE', 'WORKSPACE', 'BUS_URL', 'CLUSTER_MCP_URL', 'LOG_LEVEL'])
      expect(output).toContain(name);
  });
});
