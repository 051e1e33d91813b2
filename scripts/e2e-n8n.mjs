import { readConfig, startAdapterN8n } from '@portico/adapter-n8n';
import { memoryBus } from '@portico/bus';
import { Fault, callTool } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { checks } from './n8n-checks.mjs';
import { VERSION, installedN8n } from './n8n-install.mjs';
import { startN8n } from './n8n-server.mjs';

const HELP = `npm run e2e:n8n

Installs n8n ${VERSION} into the user's cache folder on first use (several minutes, 2.3 GB), starts it on a loopback port, and holds
the n8n adapter to AD-13, AD-14 and AD-15 on it. Ends with status 1 when a check fails.`;

/** The adapter before a real n8n; all that it lets out is in `seen`. */
async function adapterOf({ url, key }) {
  const seen = [];
  const bus = memoryBus();
  const log = createLog({ name: 'e2e', format: 'json', level: 'debug', write: (line) => void seen.push(line) });
  const adapter = await startAdapterN8n(bus, readConfig({ N8N_URL: url, N8N_API_KEY: key }), log);
  const call = async (tool, args = {}) => {
    const asked = { tool, arguments: args };
    try {
      const result = await bus.ask(callTool('domain.n8n'), asked, { deadlineMs: 60_000 });
      seen.push(JSON.stringify(result));
      return JSON.parse(result.content[0].text);
    } catch (error) {
      const record = Fault.from(error).toRecord();
      seen.push(JSON.stringify(record));
      return { fault: record };
    }
  };
  return { call, seen, close: () => adapter.close().then(() => bus.close()) };
}

async function main() {
  if (process.argv.includes('--help')) return void console.log(HELP);
  const n8n = await startN8n(await installedN8n());
  let failed = 0;
  try {
    const adapter = await adapterOf(n8n);
    const stranger = await adapterOf({ url: n8n.url, key: 'no-key' });
    try {
      for (const [title, check] of checks({ n8n, adapter, stranger })) {
        try {
          await check();
          console.log(`ok      ${title}`);
        } catch (error) {
          failed++;
          console.log(`FAILED  ${title}\n        ${error.message.replaceAll('\n', '\n        ')}`);
        }
      }
    } finally {
      await adapter.close();
      await stranger.close();
    }
  } finally {
    await n8n.close();
  }
  console.log(failed === 0 ? `n8n ${VERSION}: every check passed.` : `n8n ${VERSION}: ${failed} failed.`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
