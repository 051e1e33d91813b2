import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { callTool, describeSource, sourceHello } from '@portico/contracts';
import { createLog } from '@portico/observe';
import type { Log } from '@portico/observe';

const ROOT = join(import.meta.dirname, '../../..');

/** What the page builds, as far as this test uses it. */
interface Billing {
  startAdapterBilling(bus: Bus, config: unknown, log: Log): Promise<{ close(): Promise<void> }>;
}
interface Config {
  readConfig(env: Record<string, string>): unknown;
}

describe('[AD-1] docs/adding-a-domain.md', () => {
  let folder: string;
  let blocks: { file: string; code: string }[];

  beforeAll(async () => {
    const page = await readFile(join(ROOT, 'docs/adding-a-domain.md'), 'utf8');
    blocks = [...page.matchAll(/^```ts file=(\S+)\n([\s\S]*?)^```$/gm)].map(([, file, code]) => ({
      file: file!,
      code: code!,
    }));
    // Inside the tree, where packages resolve as they do for an app.
    await mkdir(join(ROOT, '.cache'), { recursive: true });
    folder = await mkdtemp(join(ROOT, '.cache/adding-a-domain-'));
    for (const { file, code } of blocks) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), code);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('adds a domain in under 60 lines of code', () => {
    const lines = blocks.flatMap(({ code }) => code.split('\n')).filter((line) => line.trim() !== '');
    expect(blocks.map(({ file }) => file)).toEqual([
      'config.ts',
      'client.ts',
      'tools/get-invoice.ts',
      'adapter-billing.module.ts',
      'conversations.ts',
    ]);
    expect(lines.length).toBeLessThan(60);
  });

  it('builds, with the main.ts that it names', async () => {
    const main = await readFile(join(ROOT, 'apps/adapter-dagger/src/main.ts'), 'utf8');
    await writeFile(join(folder, 'main.ts'), main.replaceAll('dagger', 'billing').replaceAll('Dagger', 'Billing'));
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: relative(folder, join(ROOT, 'tsconfig.base.json')),
        compilerOptions: {
          composite: false,
          incremental: false,
          noEmit: true,
          rootDir: relative(folder, ROOT),
          typeRoots: [join(ROOT, 'node_modules/@types')],
          paths: { '@portico/*': [join(relative(folder, ROOT), 'packages/*/src/index.ts')] },
        },
        include: ['**/*.ts'],
      }),
    );
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const output = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [compiler, '-p', folder, '--pretty', 'false'],
        { cwd: folder },
        (_error, stdout, stderr) => resolve(stdout + stderr),
      );
    });
    // Errors of files beyond the page are shown with a path out of the folder, and are other tests' concern.
    expect(output.split('\n').filter((line) => line.includes('error') && !line.startsWith('..'))).toEqual([]);
  }, 120_000);

  it('announces itself, lists its tool and answers a call, and refuses a bad identifier before the backend hears of it', async () => {
    const asked: string[] = [];
    const backend = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.end(JSON.stringify({ id: 'INV-42', total: 12.5, paid: true, internal: 'left out' }));
    });
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
    const bus = memoryBus();
    const heard: string[] = [];
    await bus.listen(sourceHello, ({ source }) => void heard.push(source));

    const { readConfig } = (await import(join(folder, 'config.ts'))) as Config;
    const { startAdapterBilling } = (await import(join(folder, 'adapter-billing.module.ts'))) as Billing;
    const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
    expect(readConfig({})).toBeUndefined();
    expect(() => readConfig({ BILLING_URL: 'http://billing.example.com' })).toThrow(/^BILLING_URL cannot be used/);
    const config = readConfig({ BILLING_URL: url, BILLING_TOKEN: 'b1ll' });
    const billing = await startAdapterBilling(bus, config, createLog({ level: 'silent', name: 'test' }));

    const { tools } = await bus.ask(describeSource('domain.billing'), {});
    expect(heard).toEqual(['domain.billing']);
    expect(tools).toMatchObject([{ definition: { name: 'get_invoice' }, policy: { effect: 'read' } }]);
    const call = (invoice_id: string) =>
      bus.ask(callTool('domain.billing'), { tool: 'get_invoice', arguments: { invoice_id } }, { deadlineMs: 10_000 });
    const invoice = { id: 'INV-42', total: 12.5, paid: true };
    expect(await call('INV-42')).toEqual({
      content: [{ type: 'text', text: JSON.stringify(invoice) }],
      structuredContent: invoice,
    });
    await expect(call('../admin')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
    expect(asked).toEqual(['GET /invoices/INV-42 Bearer b1ll']);

    await billing.close();
    await bus.close();
    backend.closeAllConnections();
    await new Promise((resolve) => backend.close(resolve));
  });
});
