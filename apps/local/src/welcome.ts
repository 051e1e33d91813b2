import { request } from 'node:http';
import { relative } from 'node:path';
import type { RunningPortico } from './local.module.js';

/** A list that is not whole yet says so; it is asked for again so often, after so long. */
const LISTS = 60;
const PAUSE_MS = 1_000;
/** Tools named of each source. */
const SHOWN = 6;

/** What a client sends besides, where callers have keys. */
const KEY = { headers: { Authorization: 'Bearer <a key made by: npm run keys -- create>' } };

const LIST = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'portico-local', version: '0.1.0' },
    },
  },
};

/**
 * Tells who has just started Portico where it is and how to connect, then lists, as a client would, and tells what each
 * source offers when it is first listed. Listing here is what first asks the sources: the start itself asks none.
 */
export async function welcome(
  { url, authMode, adminUrl, adminTokenFile }: Omit<RunningPortico, 'bus' | 'close'>,
  write: (text: string) => void,
): Promise<void> {
  const endpoint = `${url}/mcp`;
  const entry = { type: 'http', url: endpoint, ...(authMode === 'api-key' ? KEY : {}) };
  const snippet = JSON.stringify({ mcpServers: { portico: entry } }, null, 2);
  const token = relative(process.cwd(), adminTokenFile);
  write(
    `\nPortico is open at ${endpoint}\nOperators: ${adminUrl}/readyz, ${adminUrl}/metrics, ${adminUrl}/api/mcp (its token is in ${token})\n\nPaste this into an MCP client:\n${snippet}\n\n`,
  );
  if (authMode !== 'none') return; // Tools are told to callers alone, and this is none.
  const told = new Set<string>();
  for (let turn = 0; turn < LISTS; turn += 1) {
    try {
      const { tools, ttlMs } = await listTools(endpoint);
      for (const [source, line] of linesBySource(tools)) if (!told.has(source) && told.add(source)) write(line);
      if (ttlMs > 0) return;
    } catch {
      // It is stopping, or busy: the next turn will tell.
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
  }
}

/** A line for each source, by its name. */
const linesBySource = (names: readonly string[]): Map<string, string> => {
  const sources = new Map<string, string[]>();
  for (const name of names) {
    const dot = name.indexOf('.');
    const source = dot < 0 ? '' : name.slice(0, dot);
    sources.set(source, [...(sources.get(source) ?? []), name.slice(dot + 1)]);
  }
  const line = (source: string, tools: readonly string[]): string =>
    `  ${source.padEnd(10)} ${String(tools.length).padStart(3)} tools: ${tools.slice(0, SHOWN).join(', ')}${tools.length > SHOWN ? ', …' : ''}\n`;
  return new Map([...sources].map(([source, tools]) => [source, line(source, tools)]));
};

function listTools(endpoint: string): Promise<{ tools: string[]; ttlMs: number }> {
  return new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/list',
    };
    const req = request(endpoint, { method: 'POST', headers, timeout: 5_000 }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => (text += chunk));
      res.once('end', () => {
        try {
          const { result } = JSON.parse(text) as { result: { tools: { name: string }[]; ttlMs: number } };
          resolve({ tools: result.tools.map((tool) => tool.name), ttlMs: result.ttlMs });
        } catch (error) {
          reject(error as Error);
        }
      });
    });
    req.once('timeout', () => req.destroy(new Error('no answer')));
    req.once('error', reject);
    req.end(JSON.stringify(LIST));
  });
}
