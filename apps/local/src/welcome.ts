import { request } from 'node:http';

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
 * Tells who has just started Portico where it is and how to connect, then lists once, as a client would, and tells what
 * each source offers. Listing here is what first asks the sources: the start itself asks none.
 */
export async function welcome({ url, adminUrl }: { url: string; adminUrl: string }, write: (text: string) => void): Promise<void> {
  const endpoint = `${url}/mcp`;
  const snippet = JSON.stringify({ mcpServers: { portico: { type: 'http', url: endpoint } } }, null, 2);
  write(`\nPortico is open at ${endpoint}\nOperators: ${adminUrl}/readyz, ${adminUrl}/metrics\n\nPaste this into an MCP client:\n${snippet}\n\n`);
  try {
    write(`${toolsBySource(await listTools(endpoint))}\n`);
  } catch {
    write('The tools could not be listed yet; tools/list will tell.\n');
  }
}

const toolsBySource = (names: readonly string[]): string => {
  const sources = new Map<string, string[]>();
  for (const name of names) {
    const dot = name.indexOf('.');
    const source = dot < 0 ? '' : name.slice(0, dot);
    sources.set(source, [...(sources.get(source) ?? []), name.slice(dot + 1)]);
  }
  return [...sources]
    .map(([source, tools]) => `  ${source.padEnd(10)} ${String(tools.length).padStart(3)} tools: ${tools.slice(0, 6).join(', ')}${tools.length > 6 ? ', …' : ''}\n`)
    .join('');
};

function listTools(endpoint: string): Promise<string[]> {
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
          const { result } = JSON.parse(text) as { result: { tools: { name: string }[] } };
          resolve(result.tools.map((tool) => tool.name));
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
