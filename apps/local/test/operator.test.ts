import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describeIfAvailable } from '@portico/testkit';
import { type Running, build, start } from './running.js';

const ROOT = resolve(import.meta.dirname, '../../..');

/** The command of the README, as it stands there but for the port. */
const readmeCommand = (adminUrl: string): string => {
  const blocks = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/```sh\n([^]*?)```/g)];
  const [command] = blocks.flatMap(([, block = '']) => (block.includes('/api/mcp/save') ? [block] : []));
  return (command as string).replace('http://127.0.0.1:8081', adminUrl);
};

describeIfAvailable('curl', '[UP-2][DI-10] an operator with the command of the README', () => {
  let portico: Running;
  beforeAll(async () => {
    build();
    portico = await start();
    // Where `npx` looks first, as in a checkout: nothing is downloaded.
    symlinkSync(join(ROOT, 'node_modules'), join(portico.folder, 'node_modules'));
  }, 120_000);
  afterAll(() => portico.stop());

  const shell = async (command: string): Promise<string> =>
    (await promisify(execFile)('sh', ['-ec', command], { cwd: portico.folder, timeout: 60_000 })).stdout;

  it('is told at the start where the token is, and never what it is', () => {
    const file = join(portico.folder, '.portico', 'admin-token');
    expect(portico.output()).toContain(`${portico.adminUrl}/api/mcp (its token is in .portico/admin-token)`);
    expect(portico.output()).not.toContain(readFileSync(file, 'utf8').trim());
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('adds a server, and an agent that was there before is told of its tools and calls one', async () => {
    let told = (): void => undefined;
    const changed = new Promise<void>((done) => (told = done));
    const agent = new Client(
      { name: 'agent', version: '1' },
      { versionNegotiation: { mode: 'auto' }, listChanged: { tools: { autoRefresh: false, onChanged: () => told() } } },
    );
    await agent.connect(new StreamableHTTPClientTransport(new URL(`${portico.url}/mcp`)));
    const names = async () => (await agent.listTools()).tools.map(({ name }) => name);
    expect(await names()).not.toContain('drafts.write_file');

    const answer = JSON.parse(await shell(readmeCommand(portico.adminUrl))) as { ok: boolean; server: object };
    expect(answer).toMatchObject({
      ok: true,
      server: { name: 'drafts', transport: 'stdio', source: 'api', enabled: true },
    });
    for (const end = Date.now() + 60_000; !(await names()).includes('drafts.write_file');) {
      expect(Date.now()).toBeLessThan(end);
      await new Promise((next) => setTimeout(next, 100));
    }
    await changed;
    await agent.callTool({ name: 'drafts.write_file', arguments: { path: 'draft.txt', content: 'hello' } });
    expect(readFileSync(join(portico.folder, 'workspace', 'draft.txt'), 'utf8')).toBe('hello');
    await agent.close();
  }, 120_000);
});
